#!/usr/bin/env python3
"""Prints how to link the programs of a station with one shared library of the modules that most of them have.

usage: packaging/cross/share_modules.py RELEASE PROGRAM…

RELEASE is the folder that SwiftPM built programs in, which share Swift's library. An object goes into `libroost.so`
there when `roostd` and at least two other programs have it: what roostd does not have, such as OpenSSL's callers, would
lead to libraries that it does without. Each line of the answer is one command, as a JSON list; the first makes the
library, each other one links a program anew. `scripts/build-arm64` runs them.

The folder may have another name here than where the commands run: only its own files are opened.
"""

import collections
import glob
import json
import os
import sys

LIBRARY = "libroost.so"
FIRST = "roostd"
PROGRAMS = 3


def objects(release, program):
    """The objects of a program, each as SwiftPM quotes it."""
    with open(os.path.join(release, f"{program}.product", "Objects.LinkFileList"), encoding="utf-8") as file:
        return file.read().splitlines()


def commands(manifest):
    """The command that links each program, from SwiftPM's own plan."""
    found = {}
    with open(manifest, encoding="utf-8") as file:
        for line in file:
            line = line.strip()
            if line.startswith("args: [") and '"-emit-executable"' in line:
                command = json.loads(line.removeprefix("args: "))
                found[os.path.basename(command[command.index("-o") + 1])] = command
    return found


def changed(command, listed, output, more):
    """The same command for other objects and another output; only libraries that are needed are named in it."""
    command = [f"@{listed}" if part.endswith("/Objects.LinkFileList") else part for part in command]
    command[command.index("-o") + 1] = output
    return command[:1] + ["-Xlinker", "--as-needed"] + command[1:] + more


def library(command):
    """The command that links the library, from roostd's."""
    command = list(command)
    command[command.index("-emit-executable")] = "-emit-library"
    entry = command.index("--defsym")
    del command[entry - 1 : entry + 3]
    return command


def main(release, programs):
    manifests = glob.glob(os.path.join(release, "..", "release.yaml")) or glob.glob(os.path.join(release, "..", "..", "release.yaml"))
    links = commands(manifests[0])
    lists = {program: objects(release, program) for program in programs}
    count = collections.Counter(each for program in programs for each in lists[program])
    shared = [each for each in lists[FIRST] if count[each] >= PROGRAMS]
    lists = {program: [each for each in lists[program] if each not in set(shared)] for program in programs}
    lists[LIBRARY] = shared
    for name, listed in lists.items():
        with open(os.path.join(release, f"{name}.objects"), "w", encoding="utf-8") as file:
            file.write("\n".join(listed) + "\n")
    there = os.path.dirname(links[FIRST][links[FIRST].index("-o") + 1])
    soname = ["-Xlinker", f"-soname={LIBRARY}"]
    yield changed(library(links[FIRST]), f"{there}/{LIBRARY}.objects", f"{there}/{LIBRARY}", soname)
    for program in programs:
        yield changed(links[program], f"{there}/{program}.objects", f"{there}/{program}", [f"-L{there}", "-lroost"])


if __name__ == "__main__":
    if len(sys.argv) < 3 or FIRST not in sys.argv[2:]:
        sys.exit(__doc__)
    for line in main(sys.argv[1], sys.argv[2:]):
        print(json.dumps(line))
