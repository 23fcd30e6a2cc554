"""What a check works with: its folder, the programs, what was wrong, and what to end afterwards."""

import json
import os
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
COMMAND_SECONDS = 120  # For one command that is expected to end.


class Failed(Exception):
    """A promise that was not kept; ends the check."""


class Skipped(Exception):
    """Why a check cannot run on this machine."""


def now():
    """Seconds since boot, suspended time included: the station's own clock."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def until(question, limit, pause=0.2):
    """The first answer that counts as true, else the last one after `limit` seconds."""
    deadline = now() + limit
    while True:
        answer = question()
        if answer or now() > deadline:
            return answer
        time.sleep(pause)


def swift_build(products, build, scratch=None, extra=(), environment=None):
    """Builds products, with messages to standard error; returns the folder of the programs."""
    command = ["swift", "build", "--package-path", ROOT, "-c", build,
               "--explicit-target-dependency-import-check", "error", *extra]
    command += ["--scratch-path", os.path.join(ROOT, scratch)] if scratch else []
    for product in products:
        done = subprocess.run(
            [*command, "--product", product], stdout=sys.stderr, env=environment, check=False)
        if done.returncode != 0:
            raise Failed(f"{product} does not build")
    return subprocess.check_output([*command, "--show-bin-path"], text=True).strip()


def tests_of(binaries):
    """The command that runs the tests of a build that is there."""
    return [os.path.join(binaries, "roostPackageTests.xctest"), "--testing-library", "swift-testing"]


def swift_test(suites, options, **environment):
    """Runs suites of options.binaries, else of a build, in release in the folder that scripts/test uses for them."""
    # As scripts/test builds them: with another flag everything would compile once more.
    command = ["swift", "test", "--package-path", ROOT,
               "--explicit-target-dependency-import-check", "error"]
    if options.binaries:
        command = tests_of(os.path.realpath(options.binaries))
    elif options.build == "release":
        command += ["-c", "release", "-Xswiftc", "-enable-testing",
                    "--scratch-path", os.path.join(ROOT, ".build-testing")]
    texts = {name: str(value) for name, value in environment.items()}
    done = subprocess.run(
        [*command, "--filter", suites], env={**os.environ, **texts}, check=False, cwd=ROOT)
    if done.returncode != 0:
        raise Failed(f"{suites}: the tests ended with {done.returncode}")


class Check:
    """One run of a check. `demand` and `same` collect what is wrong; `Failed` ends the run."""

    def __init__(self, name, folder, binaries=None):
        self.name, self.folder, self.binaries = name, folder, binaries
        self.problems, self.count, self.started = [], 0, []

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def program(self, name):
        return os.path.join(self.binaries, name)

    def say(self, text):
        print(f"{self.name}: {text}", flush=True)

    def skip(self, reason):
        """Says what this machine keeps the check from doing; scripts/test repeats it in its last line."""
        self.say(f"skipped: {reason}")
        if path := os.environ.get("ROOST_SKIPS"):
            with open(path, "a", encoding="utf-8") as file:
                file.write(f"{self.name}: {reason}\n")

    def demand(self, is_so, text):
        self.count += 1
        if not is_so:
            self.problems.append(text)
        return bool(is_so)

    def same(self, found, wanted, what):
        return self.demand(found == wanted, f"{what}: {found!r:.600}, not {wanted!r:.600}")

    def roost(self, *words, status=None, says=None, **options):
        """Runs a command; its exit status and its messages are demanded where they are named."""
        options = {"timeout": COMMAND_SECONDS, **options}
        answer = subprocess.run(
            [self.program("roost"), *words], capture_output=True, text=True, check=False, **options)
        command = f"roost {' '.join(words)}"
        if status is not None:
            self.demand(answer.returncode == status,
                        f"{command}: status {answer.returncode}, not {status}: "
                        f"{answer.stdout[-300:]}{answer.stderr[-300:]}")
        if says is not None:
            self.demand(says in answer.stderr,
                        f"{command}: does not say '{says}': {answer.stderr[-300:]}")
        return answer

    def ends(self, item):
        """Has `item.close()` called when the check ends, the newest first; returns the item."""
        self.started.append(item)
        return item

    def close(self):
        while self.started:
            self.started.pop().close()


def objects(text):
    """The JSON objects of a text, one a line."""
    try:
        return [json.loads(line) for line in text.splitlines() if line]
    except ValueError:
        return []
