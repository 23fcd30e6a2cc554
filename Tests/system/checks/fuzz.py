"""Millions of spoilt byte streams, profiles and answers; no reader falls over one.

  decoders  N byte streams (1 000 000) for each decoder: good frames cut, flipped, doubled and mixed.
            No crash, the same whole and in pieces, at most one utterance a byte, no value that an
            independent reader does not find in a good frame, and good frames understood afterwards
  profiles  N spoilt profiles (100 000) through the reader, and as many through reader and schema,
            which must agree: no crash, nothing taken in part
  answers   N spoilt answers of servers (100 000) for each target and receiver of the courier: no crash,
            and none that is no success counts as delivered
  lives     N lives (200) of a courier beside a station with faults: the sum holds at every look, and a
            receiver with keys has each sample once

All unless one is named. The first two are `roost-lab fuzz`, which repeats one input by its seed; the
others are tests, built in release. --seed is where to begin.
"""

import time

from .. import roost_lab
from ..check import swift_test

PRODUCTS = ("roost-lab",)
BUILD = "release"
# Kinds of roost-lab.
LAB = {"decoders": ("decoders",), "profiles": ("profiles", "schema")}
# Suites, variables for number and seed, and the seed unless another is named.
TESTS_ONLY = {
    "answers": ("AnswerFuzzTests", "ROOST_ANSWER_FUZZ", "ROOST_ANSWER_SEED", 20261123),
    "lives": ("CourierNodeTests/losesAndDoublesNothingInALifeOfFaults", "ROOST_COURIER_LIVES",
              "ROOST_COURIER_SEED", 1),
}
KINDS = [*LAB, *TESTS_ONLY]


def arguments(parser):
    parser.add_argument("kinds", nargs="*", choices=[*KINDS, []], default=[], metavar="KIND",
                        help=", ".join(KINDS))
    parser.add_argument("--streams", type=int, default=1_000_000, dest="decoders", metavar="N")
    parser.add_argument("--profiles", type=int, default=100_000, metavar="N")
    parser.add_argument("--answers", type=int, default=100_000, metavar="N")
    parser.add_argument("--lives", type=int, default=200, metavar="N")
    parser.add_argument("--seed", type=int)


def run(check, options):
    for kind in options.kinds or KINDS:
        count = getattr(options, kind)
        check.say(f"{kind}: {count}")
        began = time.monotonic()
        if kind in LAB:
            seed = [] if options.seed is None else ["--seed", str(options.seed)]
            roost_lab.run(check, "fuzz", *LAB[kind], "--count", str(count), *seed)
        else:
            suites, count_name, seed_name, seed = TESTS_ONLY[kind]
            seed = seed if options.seed is None else options.seed
            # In a build of tests, not in the folder of the programs.
            options.binaries = None
            swift_test(suites, options, **{count_name: count, seed_name: seed})
        check.say(f"{kind}: {count}, no complaint, {time.monotonic() - began:.0f} s")
