"""`scripts/image --base`: the station in an image in Raspberry Pi OS's layout, started in QEMU."""

import hashlib
import json
import os
import subprocess

from . import bench as shared
from . import stock
from ..check import ROOT, until
from .bench import LabFailed, board

CONFIGURATION = {"name": "attic", "claim": {"window": True}, "mode": "live",
                 "store": {"journal": "auto", "megabytes": 16, "lossWindowSeconds": shared.WINDOW}}


def base(bench):
    """Made, started to the page and to the first reading, configured from the boot partition."""
    given = bench.check.path("raspios.img")
    direct = stock.make(bench, given)
    before = digest(given)
    packages = os.path.realpath(bench.options.packages or os.path.join(ROOT, ".build-packages"))
    words = [os.path.join(ROOT, "scripts/image"), f"--base={given}", f"--output={bench.check.path('with-roost')}",
             f"--packages={packages}"]
    with open(bench.check.path("base-made.txt"), "w", encoding="utf-8") as log:
        done = subprocess.run(words, stdout=log, stderr=log, check=False)
    with open(bench.check.path("base-made.txt"), encoding="utf-8") as log:
        said = log.read()
    if done.returncode != 0:
        raise LabFailed(f"scripts/image --base: {done.returncode}\n{said[-1500:]}")
    bench.check.same(digest(given), before, "the image that was given")
    bench.figure("seconds to put the station in", said.strip().splitlines()[-1].split("s]")[0].strip("[ "))
    card = bench.check.path("with-roost/raspios-roost.img")
    parts = board.table(card)
    bench.check.demand(3 in parts and parts[3][0] < parts[1][0], f"no partition of the journal before the first: {parts}")
    board.write_boot(card, "roost.json", json.dumps(CONFIGURATION))
    port = shared.free_port()
    with bench.board("base", card, web=port, wait=0, direct=direct) as machine:
        bench.figure("power on to the page", f"{shared.wait_for_page(machine, port, 900):.0f} s")
        machine.wait_for_boot(900)
        claim = until(lambda: shared.ask(port, "claim").get("isOpen"), 120, 2)
        bench.check.demand(claim is True, f"a new station cannot be claimed: {shared.ask(port, 'claim')}")
        began = machine.seconds()
        bench.plug(machine, bench.sensor())
        bench.figure("sensor plugged in to its first reading", f"{shared.wait_for_value(machine, began + 600) - began:.0f} s")
        status = machine.ask_roost("status")
        bench.check.same(status.get("station", status.get("name")), "attic", "roost.json of the boot partition: the name")
        bench.check.demand(status.get("store", {}).get("isOnPartition"), f"the journal: {status.get('store')}")
        failed = machine.run("systemctl --failed --no-legend --plain").strip()
        bench.check.demand(not failed, f"failed units: {failed}")
        bench.figure("roost-said.txt", machine.run("cat /boot/firmware/roost-said.txt || true").strip())
        machine.run("sleep 20; sync")
        count = shared.values(machine)
    with bench.board("base", card, web=port, wait=0, direct=direct) as machine:
        bench.figure("the next start to the page, after a power cut", f"{shared.wait_for_page(machine, port, 900):.0f} s")
        machine.wait_for_boot(900)
        has = shared.values(machine)
        bench.check.demand(has >= count - shared.WINDOW - shared.SLACK, f"{has} of {count} values after the power cut")
    bench.close(card, given)


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
