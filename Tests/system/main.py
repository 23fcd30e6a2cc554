"""The command line of scripts/check: lists the checks, runs one with its options, or several at once."""

import argparse
import contextlib
import fcntl
import glob
import importlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

from .check import Check, Failed, Skipped, swift_build

NOTHING_BUILT = "taken by each check; this one runs nothing that is built"
SKIPPED = 77  # Exit status, as in automake.
PREFIX = "roost-check-"
HELP = """usage: scripts/check                           lists the checks
       scripts/check NAME [OPTION …]           runs one; --help says what it does and takes
       scripts/check together NAME … [OPTION]  runs several at the same time, each with its own output

Nothing is changed outside of the build folders (.build*) and a folder in /tmp, which stays when a check
fails; a check says its place. --keep leaves it in any case. Checks of programs or of Swift tests build them,
or take --build debug, --build release or --binaries FOLDER.

exit status: 0 passed · 1 failed · 2 wrong arguments · 77 skipped, with the reason

"""


def names():
    paths = glob.glob(os.path.join(os.path.dirname(__file__), "checks", "*.py"))
    found = [os.path.basename(path).removesuffix(".py") for path in paths]
    return sorted(name.replace("_", "-") for name in found if not name.startswith("_"))


def load(name):
    return importlib.import_module(f"system.checks.{name.replace('-', '_')}")


def listing():
    """One line for each check: its name, what it shows, and what it needs."""
    lines = []
    for name in names():
        module = load(name)
        needs = getattr(module, "NEEDS", None)
        summary = module.__doc__.splitlines()[0].removesuffix(".")
        lines.append(f"  {name:15} {summary}" + (f" (needs {needs})" if needs else ""))
    return "\n".join(lines)


def parser_of(name):
    module = load(name)
    parser = argparse.ArgumentParser(
        prog=f"scripts/check {name}", description=module.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    if hasattr(module, "arguments"):
        module.arguments(parser)
    build = getattr(module, "BUILD", "debug")
    what = "the programs" if hasattr(module, "PRODUCTS") else "the tests" if hasattr(module, "TESTS") else None
    parser.add_argument("--build", choices=("debug", "release"), default=build,
                        help=f"which build of {what}; made when it is old ({build})" if what else NOTHING_BUILT)
    parser.add_argument("--binaries", metavar="FOLDER",
                        help=f"folder with {what}; builds nothing" if what else NOTHING_BUILT)
    parser.add_argument("--keep", action="store_true", help="leave logs and traces behind")
    return parser


def read_arguments(name, module, words):
    parser = parser_of(name)
    if getattr(module, "PASSES_OPTIONS", False):
        options, options.rest = parser.parse_known_args(words)
        return options
    return parser.parse_args(words)


def remove_abandoned():
    """Removes the folders of checks that were killed: nothing holds their lock."""
    for folder in glob.glob(os.path.join(tempfile.gettempdir(), PREFIX + "*")):
        with contextlib.suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if not os.path.exists(os.path.join(folder, ".kept")):
                    shutil.rmtree(folder)
            finally:
                os.close(descriptor)


def make_folder(name):
    """Makes the folder of a check, locked until this process ends."""
    made = tempfile.mkdtemp(prefix=f"roost-new-{name}-")
    os.chmod(made, 0o755)
    fcntl.flock(os.open(made, os.O_RDONLY), fcntl.LOCK_EX)
    # It has its name only now: a check that starts meanwhile removes each one without a lock.
    folder = made.replace("roost-new-", PREFIX)
    os.rename(made, folder)
    return folder


def perform(name, words):
    """Runs one check in a folder of its own; returns the exit status."""
    module = load(name)
    options = read_arguments(name, module, words)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # What was started is ended, too.
    remove_abandoned()
    began, folder = time.monotonic(), make_folder(name)
    check, skipped, summary, is_over = Check(name, folder), None, None, False
    try:
        if hasattr(module, "obstacle") and (reason := module.obstacle(options)):
            raise Skipped(reason)
        if hasattr(module, "PRODUCTS"):
            check.binaries = os.path.realpath(
                options.binaries or swift_build(module.PRODUCTS, options.build))
        elif options.binaries and not hasattr(module, "TESTS"):
            check.say("runs nothing that is built: --binaries changes nothing")
        summary = module.run(check, options)
        is_over = True
    except Skipped as reason:
        skipped = str(reason)
    except Failed as failure:
        check.problems.append(str(failure))
    except Exception:  # A mistake in a check is its failure.
        check.problems.append(traceback.format_exc())
    finally:
        try:
            check.close()
        finally:
            is_kept = options.keep or check.problems
            if is_kept:
                open(os.path.join(folder, ".kept"), "w", encoding="ascii").close()
            else:
                shutil.rmtree(folder, ignore_errors=True)
    if is_kept:
        check.say(f"logs and traces: {folder}")
    return conclude(check, skipped, summary if is_over else None, time.monotonic() - began)


def conclude(check, skipped, summary, seconds):
    for problem in check.problems:
        check.say(problem)
    if check.problems:
        check.say(f"FAILED after {seconds:.0f} s")
        return 1
    if skipped:
        check.skip(skipped)
        return SKIPPED
    check.say(f"{summary or 'passed'}, in {seconds:.0f} s")
    return 0


def together(chosen, words):
    """Runs checks at the same time, each a process of its own; returns the exit status."""
    running = {}
    for name in chosen:
        output = tempfile.TemporaryFile()
        # The options choose what is built; some checks run nothing of it.
        module = load(name)
        options = words if hasattr(module, "PRODUCTS") or hasattr(module, "TESTS") else []
        options = [*options, *getattr(module, "TOGETHER", ())]  # A check may have a shorter form.
        running[name] = output, subprocess.Popen(
            [sys.executable, sys.argv[0], name, *options], stdout=output, stderr=output)
    results = {}
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        while running:
            time.sleep(0.1)
            for name, (output, process) in list(running.items()):
                if process.poll() is None:
                    continue
                results[name] = process.returncode
                output.seek(0)
                sys.stdout.write(output.read().decode(errors="replace"))
                sys.stdout.flush()
                del running[name]
    finally:
        for _, process in running.values():
            process.terminate()
        for _, process in running.values():
            process.wait()
    failed = [name for name in chosen if results[name] not in (0, SKIPPED)]
    if failed:
        print(f"check: FAILED: {', '.join(failed)}")
    else:
        skipped = sum(status == SKIPPED for status in results.values())
        print(f"check: {len(chosen) - skipped} passed, {skipped} skipped")
    return 1 if failed else 0


def main():
    words = sys.argv[1:]
    if not words or words[0] in ("-h", "--help", "--list"):
        print((HELP if words != ["--list"] else "") + listing())
        return 0
    known, chosen = names(), [words.pop(0)]
    if chosen == ["together"]:
        count = next((i for i, word in enumerate(words) if word.startswith("-")), len(words))
        chosen, words = words[:count], words[count:]
    unknown = [name for name in chosen if name not in known]
    if unknown or not chosen:
        print(f"check: there is no check {' '.join(unknown)}; there are {', '.join(known)}",
              file=sys.stderr)
        return 2
    is_together = sys.argv[1] == "together"
    return together(chosen, words) if is_together else perform(chosen[0], words)
