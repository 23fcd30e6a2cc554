#!/usr/bin/env python3
"""Prints the suites that changed files can reach, as a filter for swift test; --files prints the changed Swift files."""

import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))


def git(*words):
    return subprocess.check_output(["git", "-C", ROOT, *words], text=True).splitlines()


def changed():
    """Files that differ from the last commit and, on a branch, from where it left `main`."""
    base = subprocess.run(["git", "-C", ROOT, "merge-base", "HEAD", "@{upstream}"], text=True,
                          capture_output=True, check=False).stdout.strip() or "HEAD"
    new = git("ls-files", "--others", "--exclude-standard")
    return [path for path in git("diff", "--name-only", base) + new if os.path.exists(os.path.join(ROOT, path))]


def reached(paths):
    """Names of the test targets that depend on a target with a changed file; TidyTests reads every file."""
    package = json.loads(subprocess.check_output(["swift", "package", "--package-path", ROOT, "describe", "--type", "json"]))
    targets = {target["name"]: target for target in package["targets"]}
    changed_names = {name for name, target in targets.items()
                     if any(path.startswith(target["path"] + "/") for path in paths)}
    if "Package.swift" in paths:
        changed_names = set(targets)

    def depends(name, seen):
        if name in changed_names:
            return True
        seen.add(name)
        below = targets[name].get("target_dependencies", ())
        return any(depends(other, seen) for other in below if other not in seen)

    suites = {name for name, target in targets.items() if target["type"] == "test" and depends(name, set())}
    return sorted(suites | {"TidyTests"}) if paths else []


def main():
    paths = changed()
    if sys.argv[1:] == ["--files"]:
        for path in paths:
            if path.endswith(".swift"):
                print(path)
    else:
        print("|".join(f"{name}[.]" for name in reached(paths)))


main()
