"""scripts/install twice into a folder, scripts/uninstall, and the unit by `systemd-analyze`.

Compares what is there after each. Needs no root and touches nothing but a temporary folder.
"""

import glob
import hashlib
import os
import shutil
import subprocess

from ..check import ROOT, Failed

# Says of itself what the real one says in the same form.
PROGRAM = """#!/bin/sh
case $1 in
    --experimental-dump-help)
        printf '{"command":{"commandName":"%s","abstract":"Does -x.","arguments":[' ;
        printf '{"kind":"option","names":[{"kind":"long","name":"from"}],"shouldDisplay":true,' ;
        printf '"isRepeating":false,"valueName":"from","abstract":"From when."}]}}\\n' ;;
    *) echo %s "$@" ;;
esac
"""
SYSTEMD_MIN = 250  # Judges a unit offline.
# In tenths. It would be 1.3 without adjtimex, and then the station would never know the time; and one tenth or two
# less with users of its own, and then it could not tell the courier from the dashboard.
EXPOSURE_MAX = 18


class Target:
    """A folder to install into, as if it was /, under one prefix."""

    def __init__(self, check, prefix):
        self.check, self.prefix = check, prefix
        self.folder, self.programs = check.path("target"), check.path("programs")
        shutil.rmtree(self.folder, ignore_errors=True)
        os.mkdir(self.folder)

    def run(self, script, *options):
        command = [os.path.join(ROOT, "scripts", script), f"--destination={self.folder}",
                   f"--prefix={self.prefix}", *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.demand(done.returncode == 0, f"scripts/{script} {options}: {done.stdout}{done.stderr}")

    def install(self, *options):
        self.run("install", f"--binaries={self.programs}", *options)

    def uninstall(self, *options):
        self.run("uninstall", *options)

    def demand(self, is_so, text):
        if not is_so:
            raise Failed(f"{self.prefix}: {text}")

    def path(self, name):
        return os.path.join(self.folder, name.lstrip("/"))

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def census(self):
        """Every file with its mode, time and content."""
        found = {}
        for place, _, names in os.walk(self.folder):
            for name in names:
                path = os.path.join(place, name)
                status = os.lstat(path)
                with open(path, "rb") as file:
                    content = hashlib.sha256(file.read()).hexdigest()
                found[os.path.relpath(path, self.folder)] = (status.st_mode, status.st_mtime_ns, content)
        return found

    def play(self):
        self.install("--dry-run")
        self.demand(not self.census(), "--dry-run wrote something")
        self.install()
        first = self.census()
        self.demand(len(first) >= 21, "too few files")
        self.look_at_files()
        self.install()
        second = self.census()
        self.demand(first == second, f"the second run changed {set(first.items()) ^ set(second.items())}")
        self.write("/etc/roost/roost.json", "mine\n")
        self.write("/var/lib/roost/journal", "history\n")
        self.install()
        self.uninstall("--dry-run")
        self.demand(os.path.isfile(self.path(f"{self.prefix}/bin/roostd")), "--dry-run removed something")
        self.uninstall()
        self.uninstall()
        self.demand(self.read("/etc/roost/roost.json") == "mine\n", "configuration lost")
        left = sorted(self.census())
        self.demand(left == ["etc/roost/roost.json", "var/lib/roost/journal"], f"left behind: {left}")
        command = [os.path.join(ROOT, "scripts", "uninstall"), f"--destination={self.folder}", f"--prefix={self.prefix}",
                   "--purge"]
        for answer in ("", "no\n"):
            done = subprocess.run(command, input=answer, capture_output=True, text=True, check=False)
            self.demand(done.returncode == 1 and "Type yes" in done.stderr, f"--purge asks nothing: {done.stderr}")
            self.demand(self.read("/var/lib/roost/journal") == "history\n", "the history is gone without a yes")
        self.uninstall("--purge", "--yes")
        self.demand(not self.census(), "--purge left something")

    def look_at_files(self):
        share = f"{self.prefix}/share"
        for name in ("man/man1/roost.1", "man/man8/roostd.8", "roost/profile.schema.json",
                     "bash-completion/completions/roost", "fish/vendor_completions.d/roost.fish"):
            self.demand(os.path.getsize(self.path(f"{share}/{name}")) > 0, f"no {name}")
        lines = self.read(f"{share}/man/man1/roost.1").splitlines()
        self.demand(any(line.startswith(".B ") and line.endswith("from <from>") for line in lines),
                    "the manual page lacks an option")
        units = [self.read(name) for name in self.census() if name.endswith("roostd.service")]
        self.demand(any(f"ExecStart={self.prefix}/bin/roostd\n" in unit for unit in units),
                    "the unit starts another")
        # What is plugged in, and a store: nothing that ties the station to one part at one port.
        self.demand("".join(self.read("/etc/roost/roost.json").split()) == '{"store":{}}',
                    "the first configuration is not what is plugged in and a store")
        for path in glob.glob(os.path.join(ROOT, "docs", "examples", "*.json")):
            name = os.path.basename(path)
            with open(path, encoding="utf-8") as file:
                self.demand(self.read(f"{share}/doc/roost/examples/{name}") == file.read(),
                            f"the example {name} is not installed")


def unit(check):
    """What only systemd can judge."""
    if shutil.which("systemd-analyze") is None:
        return check.skip("unit: no systemd-analyze (apt install systemd)")
    version = subprocess.check_output(["systemd-analyze", "--version"], text=True).split()[1]
    if int(version) < SYSTEMD_MIN:
        return check.skip(f"unit: systemd {version} judges no unit offline, {SYSTEMD_MIN} does")
    path = check.path("roostd.service")
    for name in ("roost-bus.service", "roost-bus.path", "roostd.service"):
        with open(os.path.join(ROOT, "packaging", "systemd", name), encoding="utf-8") as file:
            text = file.read().replace("/usr/bin/roost", check.path("programs", "roost"))
        with open(check.path(name), "w", encoding="utf-8") as file:
            file.write(text)
    for name in ("roost-bus.service", "roost-bus.path"):
        done = subprocess.run(["systemd-analyze", "verify", check.path(name)], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        check.demand(done.returncode == 0, f"systemd-analyze verify {name}: {done.stdout}")
    for words in (("verify",), ("security", "--offline=true", f"--threshold={EXPOSURE_MAX}", "--no-pager")):
        done = subprocess.run(["systemd-analyze", *words, path], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        check.demand(done.returncode == 0, f"systemd-analyze {words[0]}: {done.stdout}")
    exposure = done.stdout.strip().splitlines()[-1].split(": ", 1)[-1]
    return check.say(f"unit: verified by systemd {version}, exposure level {exposure}")


def purge(check):
    """What apt's purge runs: settings go, and what was measured stays, with a word how to remove it."""
    folder = check.path("purge")
    for name in ("var/lib/roost/history.db", "etc/roost/profiles.d/own.json", "run/roost/mirror"):
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        open(os.path.join(folder, name), "w", encoding="ascii").close()
    with open(os.path.join(ROOT, "packaging", "debian", "postrm"), encoding="utf-8") as file:
        text = file.read().replace("@PACKAGE@", "roost").replace("@UNITS@", "").replace(" /dev/null", " /dev/null ")
    for top in ("/var/lib/", "/run/", "/etc/"):
        text = text.replace(f" {top}", f" {folder}{top}")
    for _ in range(2):
        done = subprocess.run(["sh", "-c", text, "postrm", "purge"], capture_output=True, text=True, check=False)
        check.same(done.returncode, 0, f"the purge's status ({done.stderr})")
        check.demand("the history stays in" in done.stderr, f"the purge says: {done.stderr}")
        left = sorted(os.path.relpath(os.path.join(place, name), folder) for place, _, names in os.walk(folder) for name in names)
        check.same(left, ["var/lib/roost/history.db"], "what a purge leaves")
    os.remove(os.path.join(folder, "var/lib/roost/history.db"))
    done = subprocess.run(["sh", "-c", text, "postrm", "purge"], capture_output=True, text=True, check=False)
    check.same((done.returncode, done.stderr, os.path.exists(f"{folder}/var/lib/roost")), (0, "", False), "an empty folder")


def run(check, options):
    os.mkdir(check.path("programs"))
    for name in ("roostd", "roost"):
        with open(check.path("programs", name), "w", encoding="utf-8") as file:
            file.write(PROGRAM % (name, name))
        os.chmod(file.name, 0o755)
    purge(check)
    prefixes = ("/usr", "/usr/local", "/opt/roost")
    for prefix in prefixes:
        Target(check, prefix).play()
    unit(check)
    return "twice the same, uninstall keeps configuration and history, under 3 prefixes"
