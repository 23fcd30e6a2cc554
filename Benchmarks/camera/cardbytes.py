"""Counts what pictures cost a card: the ring on an ext4 of its own, on a loop device. Needs root.

A stand-in for a station sends motions to a real roost-eyes, whose command writes a JPEG of the size asked for; the block
device counts bytes and requests. First a stretch without a motion, then one with a motion each few seconds. From these a
day of so many motions follows. `python3 Benchmarks/camera/cardbytes.py --binaries .build/release`
"""

import argparse
import json
import os
import sys
import tempfile
import time

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "Tests")]

from system.card import Card  # noqa: E402
from system.check import Check, until  # noqa: E402
from system.checks.camera import Eyes, Motions  # noqa: E402

TAKE = "#!/bin/sh\nprintf '\\377\\330\\377\\340'; head -c {count} /dev/urandom; printf '\\377\\331'\n"
DAY_MOTIONS = (10, 50, 200)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binaries", required=True, help="folder with roost and roost-eyes")
    parser.add_argument("--pictures", type=int, default=60, help="motions (60)")
    parser.add_argument("--kilobytes", type=int, default=100, help="of a picture (100)")
    parser.add_argument("--every", type=float, default=7, help="seconds from one motion to the next (7)")
    parser.add_argument("--idle", type=float, default=120, help="seconds without a motion (120)")
    return parser.parse_args()


def counts(card):
    """Bytes and requests written to the device, all that waits included."""
    os.sync()
    with open(f"/sys/block/{os.path.basename(card.device)}/stat", encoding="ascii") as file:
        words = file.read().split()
    return int(words[6]) * 512, int(words[4])


def cost(card, body):
    before = counts(card)
    body()
    after = counts(card)
    return after[0] - before[0], after[1] - before[1]


def measure(check, options):
    card = Card(check.folder)
    check.ends(card)
    motions = Motions(check)
    eyes = Eyes(check, motions)
    eyes.ring = os.path.join(card.mount, "pictures")
    take = check.path("take-one")
    with open(take, "w", encoding="ascii") as file:
        file.write(TAKE.format(count=options.kilobytes << 10))
    os.chmod(take, 0o755)
    with open(eyes.config, "w", encoding="utf-8") as file:
        json.dump({"command": [take], "limitSeconds": 5, "ring": eyes.ring, "megabytes": 16, "pictures": 64}, file)
    started = cost(card, lambda: (eyes.start(), time.sleep(5)))
    idle = cost(card, lambda: time.sleep(options.idle))

    def walk():
        for number in range(options.pictures):
            motions.send(number)
            time.sleep(options.every)
        until(lambda: len(eyes.records()) == options.pictures, 20)

    spent = cost(card, walk)
    check.same(len(eyes.records()), min(options.pictures, 64), "pictures in the ring")
    each = spent[0] / options.pictures
    print(f"start, with the ring made: {started[0] / 1e6:.1f} MB once")
    print(f"without a motion for {options.idle:.0f} s: {idle[0]} B in {idle[1]} requests")
    print(f"{options.pictures} pictures of {options.kilobytes} KiB: {each / 1024:.1f} KiB each "
          f"({each / 1024 / options.kilobytes:.2f} of its own bytes), {spent[1] / options.pictures:.1f} requests each")
    for count in DAY_MOTIONS:
        print(f"a day of {count} motions: {count * each / 1e6:.1f} MB")


def main():
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="roost-cardbytes-") as folder:
        check = Check("cardbytes", folder, os.path.realpath(options.binaries))
        try:
            measure(check, options)
        finally:
            check.close()
    for problem in check.problems:
        print(problem, file=sys.stderr)
    return 1 if check.problems else 0


if __name__ == "__main__":
    sys.exit(main())
