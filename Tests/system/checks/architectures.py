"""A simulated month is the same on amd64 and arm64: the log of the whole life has one hash.

  scripts/check architectures --binaries .build-static/release

Runs `roost-lab simulate` of this machine, and the one of scripts/build-arm64 under qemu-user, on the same scenario and
seed, and compares the hashes. A month of `quiet-year` takes seconds here and minutes under qemu-user.
"""

import json
import os
import platform
import subprocess
import threading

from ..check import ROOT, now

PRODUCTS = ("roost-lab",)
BUILD = "release"
NEEDS = "scripts/build-arm64, qemu-user-static"


def arguments(parser):
    parser.add_argument("--cross", default=os.path.join(ROOT, ".build-cross"), help="folder of scripts/build-arm64 (.build-cross)")
    parser.add_argument("--for", dest="span", default="30d", help="length of the life (30d)")
    parser.add_argument("--scenario", default="quiet-year", help="of the life (quiet-year)")
    parser.add_argument("--seed", default="1", help="of the life (1)")


def programs(folder):
    """roost-lab of each suite that was built for arm64, with the words that run it here."""
    found = {}
    for suite, library in (("bookworm", "swift-arm64-bookworm"), ("trixie", "swift-arm64/swift/linux")):
        for built in (suite, f"{suite}-shared"):
            program = os.path.join(folder, built, "release", "roost-lab")
            if os.path.exists(program):
                found[f"arm64 {built}"] = ["qemu-aarch64-static", "-L", os.path.join(folder, f"sysroot-{suite}"), "-E",
                                           f"LD_LIBRARY_PATH={os.path.join(folder, library)}", program]
    return found


def obstacle(options):
    if not programs(options.cross):
        return f"no roost-lab for arm64 in {options.cross}: scripts/build-arm64 builds it"
    try:
        subprocess.run(["qemu-aarch64-static", "--version"], capture_output=True, check=True)
    except OSError:
        return "qemu-aarch64-static is missing: apt-get install qemu-user-static"
    return None


def life(check, runner, words, hashes, name):
    """Lives one life; its hash and how long it took by `name` in `hashes`."""
    began = now()
    done = subprocess.run([*runner, *words], capture_output=True, text=True, check=False)
    if not check.demand(done.returncode == 0, f"{name}: status {done.returncode}: {done.stdout[-300:]}{done.stderr[-300:]}"):
        return
    hashes[name] = json.loads(done.stdout)["logHash"], now() - began


def run(check, options):
    found = programs(options.cross)
    words = ["simulate", "--scenario", options.scenario, "--for", options.span, "--seed", options.seed, "--no-shrink", "--json"]
    hashes = {}
    runners = {platform.machine(): [check.program("roost-lab")], **found}
    threads = [threading.Thread(target=life, args=(check, runner, words, hashes, name)) for name, runner in runners.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name, (digest, seconds) in sorted(hashes.items()):
        check.say(f"{options.scenario}, {options.span}, seed {options.seed}: {digest} on {name} in {seconds:.0f} s")
    check.demand(len({digest for digest, _ in hashes.values()}) == 1, "the hashes differ")
    check.demand(len(hashes) == len(runners), "not every program lived its life")
    return f"{len(runners)} programs, one hash"
