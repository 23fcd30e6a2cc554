"""Updates in the guest: a good one, one that crashes, files that are refused, and a loss of power while one is written.

The new roots are copies of the image's own with one thing changed; scripts/image's own steps make the files.
"""

import json
import os
import subprocess
import time

from . import bench as shared
from ..check import ROOT
from .bench import LabFailed, board

BOOT_SECONDS = 900
CONFIRM_SECONDS = 1500
STICK_MIB = 1200
WRITE = """set -euo pipefail
fail() { echo "$2" >&2; exit "$1"; }
say() { :; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
. "$1/packaging/image/build/update.bash"
zstd -q -T0 -3 --force -o "$work/payload.zst" "$3"
write_update "$2" "$work/payload.zst" "$3" "$4" "$5" "$6" "a test" "$7"
"""


def update(bench):
    """Refusals first, then a cut, a good update, and one whose station does not start."""
    if not bench.options.key:
        raise LabFailed("the case needs --key=FILE, the key that the image was made with")
    card = bench.card("update", shared.STATION)
    stick = make_stick(bench, card)
    sensor = bench.sensor()
    with session(bench, card, stick) as machine:
        bench.plug(machine, sensor)
        shared.wait_for_value(machine, machine.seconds() + 300)
        mount(machine)
        for name, words in (("wrong-key", "key"), ("wrong-board", "board"), ("truncated", "ends early")):
            status, text = install(machine, name)
            bench.check.demand(status != 0 and words in text, f"{name}: status {status}, {text[-300:]}")
            bench.figure(f"{name}", f"refused: {text.strip().splitlines()[-1][:160] if text.strip() else ''}")
        bench.check.same(slot(card), "2", "slot.txt after files that were refused")
        # In the middle of the writing: as the payload is on its way.
        machine.agent.send(f"cut {encode('roost update install /run/stick/good.update')}")
        while machine.written()[0] < 150e6 and machine.seconds() < 1800:
            time.sleep(2)
        if machine.written()[0] < 150e6:
            raise LabFailed(f"nothing to cut: {machine.written()[0] / 1e6:.0f} MB were written in 30 min")
        bench.figure("power cut while the update was written, after", f"{machine.written()[0] / 1e6:.0f} MB")
    with session(bench, card, stick) as machine:
        bench.check.same(machine.run("cat /run/roost-slot").strip(), "2", "the root after the cut")
        # No sensor is plugged in yet: what is there was there before the cut. The station may still be starting.
        shared.wait_for_value(machine, machine.seconds() + 120)
        before = shared.values(machine)
        bench.plug(machine, sensor)
        mount(machine)
        if good(bench, machine, card):
            crashing(bench, machine, card, before)
    bench.close(card, stick)


def good(bench, machine, card):
    began = machine.seconds()
    status, text = install(machine, "good")
    bench.figure("a good update written and compared in", f"{machine.seconds() - began:.0f} s")
    if not bench.check.same(status, 0, f"a good update: {text[-400:]}"):
        return False
    restart(machine)
    bench.check.same(machine.run("cat /run/roost-slot").strip(), "3", "the root that is tried")
    confirmed = confirm(machine, card, "slot=3")
    bench.figure("the good update became the good root after", f"{confirmed:.0f} s" if confirmed else "never")
    state = machine.run("roost update status", check=False)[1]
    return bench.check.demand(confirmed, f"the good update is not confirmed: {state}")


def crashing(bench, machine, card, before):
    mount(machine)
    status, text = install(machine, "crashing")
    if not bench.check.same(status, 0, f"the crashing update: {text[-400:]}"):
        return
    restart(machine)
    tried = machine.run("cat /run/roost-slot").strip()
    began = machine.seconds()
    machine.wait_for_boot(CONFIRM_SECONDS)  # By itself.
    bench.figure(f"an update whose roostd ends: root {tried} was tried, the good one is back after", f"{machine.seconds() - began:.0f} s")
    bench.check.same(machine.run("cat /run/roost-slot").strip(), "3" if tried == "2" else "2", "the root that is back")
    bench.check.demand(shared.values(machine) >= before, "the readings are gone after the way back")
    bench.figure("roost update status", machine.run("roost update status", check=False)[1].strip().replace("\n", "; ")[:300])


def session(bench, card, stick):
    return bench.board("update", card, stick=stick, wait=BOOT_SECONDS)


def mount(machine):
    machine.run("mkdir -p /run/stick; mountpoint -q /run/stick || mount -o ro /dev/sda /run/stick", 120)


def install(machine, name):
    return machine.run(f"roost update install /run/stick/{name}.update 2>&1", 1800, check=False)


def restart(machine):
    # Without an answer: the agent may end before it has given one.
    machine.agent.send(f"reboot {encode('systemctl reboot')}")
    machine.wait_for_boot(BOOT_SECONDS)


def confirm(machine, card, words):
    began = machine.seconds()
    while machine.seconds() - began < CONFIRM_SECONDS:
        if words.split("=")[1] == slot(card):
            return machine.seconds() - began
        time.sleep(5)
    return None


def slot(card):
    """The good root, as slot.txt on the card has it."""
    return board.read_boot(card, "slot.txt").decode().split("slot=")[1][:1]


def encode(command):
    import base64
    return base64.b64encode(command.encode()).decode()


def make_stick(bench, card):
    """A USB stick (ext4) with the update files."""
    folder = bench.check.path("stick")
    os.makedirs(folder)
    good_root, crashing_root = bench.check.path("good.root"), bench.check.path("crashing.root")
    take_root(bench.image, good_root)
    info = json.loads(read_root(good_root, "/usr/lib/roost/image.json"))
    change(good_root, "/usr/lib/roost/image.json", json.dumps({**info, "version": info["version"] + "+good"}))
    subprocess.run(["cp", "--sparse=always", good_root, crashing_root], check=True)
    change(crashing_root, "/usr/bin/roostd", "#!/bin/sh\nexit 1\n", mode="0100755")
    schema, other_key = bench.options.schema or own_schema(bench), bench.check.path("other.pem")
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", other_key], check=True)
    key, version = bench.options.key, info["version"] + "+good"
    for name, root, signer, board_name in (
            ("good", good_root, key, "rpi-arm64"), ("crashing", crashing_root, key, "rpi-arm64"),
            ("wrong-key", good_root, other_key, "rpi-arm64"), ("wrong-board", good_root, key, "rpi-arm32")):
        path = os.path.join(folder, f"{name}.update")
        subprocess.run(["bash", "-c", WRITE, "update", ROOT, path, root, signer, version, str(schema), board_name], check=True)
        bench.check.say(f"  {name}.update: {os.path.getsize(path) / 1e6:.0f} MB")
        if name.startswith("wrong"):
            # They are refused by their head.
            with open(path, "r+b") as file:
                file.truncate(1 << 20)
    shutil_copy(os.path.join(folder, "good.update"), os.path.join(folder, "truncated.update"), 40 << 20)
    stick = bench.check.path("stick.img")
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-d", folder, stick, f"{STICK_MIB}M"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["rm", "-rf", folder, good_root, crashing_root], check=True)
    return stick


def own_schema(bench):
    """As many steps of the store's schema as this machine's programs know; they are of the image's age."""
    return json.loads(bench.check.roost("update", "describe", "--json", status=0).stdout)["storeSchema"]


def shutil_copy(source, target, size):
    with open(source, "rb") as read, open(target, "wb") as write:
        write.write(read.read(size))


def take_root(image, target):
    """The file system of root A alone, without the rest of its partition."""
    start, size = board.table(image)[2]
    with open(image, "rb") as file:
        file.seek(start + 1024)
        head = file.read(64)
        blocks, block_size = int.from_bytes(head[4:8], "little"), 1024 << int.from_bytes(head[24:28], "little")
    count = blocks * block_size
    subprocess.run(["dd", f"if={image}", f"of={target}", "bs=1M", f"skip={start // board.MIB}",
                    f"count={-(-count // board.MIB)}", "conv=sparse", "status=none"], check=True)
    with open(target, "r+b") as file:
        file.truncate(count)


def read_root(root, path):
    return subprocess.run(["debugfs", "-R", f"cat {path}", root], check=True, capture_output=True).stdout


def change(root, path, text, mode="0100644"):
    changed = root + ".changed"
    with open(changed, "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run(["debugfs", "-w", "-f", "-", root], check=True, capture_output=True, text=True,
                   input=f"rm {path}\nwrite {changed} {path}\nsif {path} mode {mode}\nsif {path} uid 0\nsif {path} gid 0\n")
    os.remove(changed)
