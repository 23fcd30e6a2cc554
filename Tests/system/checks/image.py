"""The image of a card in QEMU: starts, first reading, power cuts, faults, updates, bytes written.

  sudo scripts/image && scripts/check image --binaries FOLDER [boot faults cuts writes base pi3 update guide wireless reset restore strip wires]

QEMU's machine virt runs the image's own boot script, kernel and programs on an emulated processor; see
Tests/Lab/board.py for what stands in for a Pi. Emulated seconds mean little, bytes, counts and order are
real. An hour with all cases; the evidence of each stays with --keep.
"""

import glob
import os
import shutil

from ..check import ROOT, Failed

NEEDS = "an image of scripts/image, qemu-system-arm"
PRODUCTS = ("roost", "roostd")
CASES = ("boot", "faults", "cuts", "writes", "base", "pi3", "update", "guide", "wireless", "reset", "restore", "strip", "wires")


def arguments(parser):
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"of {', '.join(CASES)}; all without one")
    parser.add_argument("--image", help="the image, unpacked (the newest in .build-image)")
    parser.add_argument("--old", metavar="IMAGE", help="an image of the version before, for the case restore")
    parser.add_argument("--packages", help="folder of our packages, for the case base (.build-packages)")
    parser.add_argument("--key", help="the private key that the image was made with, for the case update")
    parser.add_argument("--schema", type=int, help="storeSchema of the update files (that of the programs)")
    parser.add_argument("--cuts", type=int, default=100, help="power cuts in the case cuts (100)")
    parser.add_argument("--boots", type=int, default=8, help="of these cards, so many are started in QEMU, too (8)")
    parser.add_argument("--hours", type=float, default=24, help="emulated hours of each period in the case writes (24)")
    parser.add_argument("--only", action="append", metavar="PART",
                        help="in the case writes this rate alone (idle, 5 min, 1 Hz), in faults this fault, in update this part; "
                             "may be given again")
    parser.add_argument("--record", metavar="FOLDER", help="in update: judge the cuts of this kept record, make none")
    parser.add_argument("--place", type=int, action="append", help="in update: cut after this write; may be given again")
    parser.add_argument("--pictures", metavar="FOLDER", help="in guide: claim by a browser, and keep pictures of its pages there; "
                        "in strip: where its pictures go")
    parser.add_argument("--seed", type=int, default=1, help="of the moments of power cuts (1)")


def newest():
    found = sorted(glob.glob(os.path.join(ROOT, ".build-image", "roost-*-rpi-arm64.img")), key=os.path.getmtime)
    return found[-1] if found else None


def obstacle(options):
    missing = [name for name in ("qemu-system-aarch64", "mcopy", "mke2fs", "sfdisk", "dpkg-deb")
               if not shutil.which(name)]
    if missing:
        return f"missing: {', '.join(missing)}"
    return None if options.image or newest() else "there is no image: run sudo scripts/image --plain"


def run(check, options):
    from ..image import base, bench, boot, cuts, faults, guide, pi3, reset, restore, strip, update, wires, wireless, writes
    unknown = set(options.cases) - set(CASES)
    if unknown:
        raise Failed(f"no case {', '.join(unknown)}; there are {', '.join(CASES)}")
    parts = [*writes.PLAN, *(fault.__name__ for fault in faults.FAULTS), *update.PARTS,
             *restore.PARTS, *(part.__name__ for part in wireless.PARTS)]
    unknown = set(options.only or ()) - set(parts)
    if unknown:
        raise Failed(f"no part {', '.join(unknown)}; there are {', '.join(parts)}")
    work = bench.Bench(check, os.path.realpath(options.image or newest()), options)
    for name in options.cases or CASES:
        check.say(f"case {name}")
        try:
            {"boot": boot.boot, "faults": faults.faults, "cuts": cuts.cuts, "writes": writes.writes,
             "base": base.base, "pi3": pi3.pi3, "update": update.update, "guide": guide.guide,
             "wireless": wireless.wireless, "reset": reset.reset, "wires": wires.wires, "restore": restore.restore,
             "strip": strip.strip}[name](work)
        except bench.LabFailed as failure:
            check.problems.append(f"{name}: {failure}")
    return "; ".join(f"{name} {value}" for name, value in work.figures.items())
