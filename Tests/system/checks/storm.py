"""10 000 random plugs, pulls, new numbers and overruns over eight adapters, in simulated time.

Half of the adapters have no serial number. Prints the seed, the checks and how long the first values took.
"""

from ..check import swift_test

TESTS = True
BUILD = "release"


def arguments(parser):
    parser.add_argument("--seed", type=int, default=7, help="of the events (7)")
    parser.add_argument("--events", type=int, default=10_000, help="how many (10 000)")


def run(check, options):
    report = check.path("report")
    swift_test("DetectionStormTests", options, ROOST_STORM_SEED=options.seed, ROOST_STORM_EVENTS=options.events,
               ROOST_STORM_REPORT=report)
    with open(report, encoding="utf-8") as file:
        check.say(file.read().strip())
