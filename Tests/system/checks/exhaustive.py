"""Lives, power cuts, damage, spoilt input and ends of sessions on the programs with -O, two at a time.

`swift test` plays a small choice of each (Tests/TestSupport/Exhaustive.swift); this plays the whole: the
commands of `roost-lab` below and, with --tests FOLDER, in that build the tests that have no such command.
A failure says its seed and the command that repeats it. --only NAME … plays some of them.
"""

import concurrent.futures
import os
import subprocess
import time

from ..check import tests_of

PRODUCTS = ("roost-lab",)
BUILD = "release"
# The longest first: they end at about the same time.
COMMANDS = {
    # 43 of its states; without --every it plays all.
    "cuts-faults": "cuts store --faults --every 293",
    "lives-1": "simulate --scenario everything --for 8d --seed 1 --runs 2 --no-shrink",
    "lives-3": "simulate --scenario everything --for 8d --seed 3 --runs 2 --no-shrink",
    # Cuts while it recovers take minutes more: scripts/check powercut.
    "cuts-store": "cuts store store-early --depth 1 --seeds 1 --every 11",
    "rot": "rot --stride 7",
    "states": "states --count 2000",
    "fuzz-decoders": "fuzz decoders",
    "sessions": "sessions",
    "cuts-small": "cuts toy toy-early sqlite-truncate-full sqlite-persist-full sqlite-delete-extra "
                  "sqlite-wal-full sqlite-delete-full sqlite-truncate-normal sqlite-wal-normal "
                  "sqlite-truncate-off sqlite-memory-full",
    "years": "years --years 1 --interval 300 --megabytes 4",
    "fuzz": "fuzz profiles schema",
}
# Whole forms that are tests only: they need what the test targets have.
SUITES = {
    "tests-station": "StationTests.(ChildConformance|DetectionStorm)",
    "tests-courier": "RoostCourierTests.(CourierNodeTests|OutboxTaskTests|AnswerFuzz)",
    "tests-alerts": "AlertsTests.(YearOfRules|AlertReplay)|StoreQueriesTests.DoseSummary|RoostWebTests.GateFuzz",
    "tests-store": "StoreTests.(StationStoreHistory|HistoryHeader|HistoryTail|HistoryMerge|JournalPowerCut)",
    "tests-lives": "ScenariosTests.(DrawerTests|ShrinkerTests)|EyesTests.EyesLifeTests",
    "tests-devices": "DevicesTests.SensorConformance|RuntimeTests.CrashPermutation",
}


def arguments(parser):
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=[*COMMANDS, *SUITES], default=[],
                        help=", ".join([*COMMANDS, *SUITES]))
    parser.add_argument("--tests", metavar="FOLDER", help="a debug build with tests, such as .build/debug")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="at a time (one a core)")


def run(check, options):
    jobs = {name: [check.program("roost-lab"), *words.split()] for name, words in COMMANDS.items()}
    if options.tests:
        tests = tests_of(os.path.realpath(options.tests))
        jobs |= {name: [*tests, "--filter", suites] for name, suites in SUITES.items()}
    else:
        check.say(f"without --tests FOLDER these are left out: {', '.join(SUITES)}")

    def play(name):
        began = time.monotonic()
        with open(check.path(f"{name}.log"), "w", encoding="utf-8") as log:
            done = subprocess.run(jobs[name], stdout=log, stderr=subprocess.STDOUT, check=False,
                                  env={**os.environ, "ROOST_EXHAUSTIVE": "1"})
        check.say(f"{name}: {time.monotonic() - began:.0f} s")
        if done.returncode != 0:
            with open(log.name, encoding="utf-8", errors="replace") as log:
                tail = "".join(log.readlines()[-12:])
            check.demand(False, f"{name} ended with {done.returncode}:\n{tail}")
        else:
            check.demand(True, name)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(play, [name for name in jobs if name in (options.only or jobs)]))
