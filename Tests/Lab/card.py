"""The cases `card` and `cache`: a station on storage with logged writes, and power cuts in it."""

import json
import os
import random
import shutil
import signal
import subprocess
import time

import writelog
from adapter import Adapter
from machine import DRIVES, Failed

CARD_BYTES = 128 << 20  # An SD card in QEMU has a power of two.
RUN_SECONDS = 50
CUTS = 16
SEED = 1  # Of the places, and of what a cache forgets.
WINDOW = 10.0  # The loss window of the configuration, its smallest value.
# The machine is emulated: a write may wait this long beyond the window. Measured, not promised.
SLACK = 8.0
ASKED = ("roost readings --channel dust/pm25 --limit 10000 --json 2>/dev/null | "
         "grep -c '\"value\"'")


def values_in(roost, folder):
    """Readings of one channel that a store in a folder has."""
    said = subprocess.run(
        [roost, "readings", "--store", folder, "--channel", "dust/pm25", "--limit", "10000",
         "--json"], capture_output=True, text=True, check=False, timeout=60,
        env={**os.environ, "ROOST_SOCKET": os.path.join(folder, "none.sock")})
    if said.returncode != 0 and "no channel" not in said.stderr:
        raise Failed(f"roost readings: {said.stderr.strip()}")
    return sum('"value"' in line for line in said.stdout.splitlines())


def record(lab, kind, base, log):
    """Runs the station; returns (host's moment, writes done, values told) about each second."""
    shutil.copyfile(base, base + ".run")
    told = []
    node = DRIVES[kind][2]
    with lab.machine(usb=(Adapter.device,), drives={kind: base + ".run"}, log=log) as machine:
        Adapter(lab.sensor(), machine.adapter_path(0)).plug()
        machine.run(f"mkdir -p /var/lib/roost && mount -o noatime {node} /var/lib/roost")
        machine.write("/etc/roost/roost.json", json.dumps({
            "name": "lab", "mode": "live",
            "store": {"megabytes": 4, "lossWindowSeconds": int(WINDOW), "journalBlocks": 64},
            "devices": [{"name": "dust", "type": "sds011", "warmUpSeconds": 1, "windowSeconds": 1,
                         "port": "/dev/roost/port-pci-0000:00:10.0-usb-0:1:1.0"}]}))
        machine.run("/lab/scripts/install --prefix=/usr --binaries=/lab/bin", 120)
        machine.wait(f"[ $({ASKED}) -gt 0 ]", 90, "no value in the store")
        end = time.monotonic() + RUN_SECONDS
        while time.monotonic() < end:
            # Asked before counted: whatever is on the card now may have been told a moment later.
            number = values_told(machine)
            told.append((time.monotonic(), writelog.count(log), number))
            machine.run("sleep 0.7")
        machine.run("systemctl stop roostd; sync", 60)
        lab.keep("journal.txt", machine.run("journalctl -o short-monotonic --no-pager -u roostd"))
        final = values_told(machine)
        machine.run(f"cat /sys/class/block/{node[5:]}/stat; ls -l /var/lib/roost")
        told.append((time.monotonic(), writelog.count(log), final))
    return told


def values_told(machine):
    return int(machine.run(ASKED, check=False)[1].strip() or 0)


def owed(told, place):
    """Values that a card with so many writes must have: what was told a loss window before."""
    _, last_place, last_count = told[-1]
    return last_count if place >= last_place else owed_running(told, place)


def owed_running(told, place):
    """The same where the record does not end with an orderly stop."""
    then = max((moment for moment, writes, _ in told if writes <= place), default=0)
    return max((count for moment, _, count in told if moment <= then - WINDOW - SLACK), default=0)


def extract(image, folder):
    """Repairs the file system as a boot does, and takes the store out of it."""
    repaired = subprocess.run(["e2fsck", "-f", "-y", image], capture_output=True, text=True,
                              check=False, timeout=120)
    if repaired.returncode not in (0, 1):
        raise Failed(f"e2fsck: status {repaired.returncode}\n{repaired.stdout}")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    subprocess.run(["debugfs", "-R", f"rdump / {folder}", image], capture_output=True, check=True,
                   timeout=120)


def opens(lab, folder, work, blocks=64):
    """Starts and stops a station on the store; it must open it, whatever state it is in."""
    path, socket = os.path.join(work, "roost.json"), os.path.join(work, "roost.sock")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"name": "after", "socket": socket, "devices": [],
                   "store": {"folder": folder, "megabytes": 4, "journalBlocks": blocks,
                             "lossWindowSeconds": int(WINDOW)}}, file)
    with open(os.path.join(lab.evidence, "roostd-after.log"), "ab") as log:
        daemon = subprocess.Popen([lab.roost + "d", "--config", path], stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + 30
        while True:
            said = subprocess.run([lab.roost, "status", "--json", "--socket", socket],
                                  capture_output=True, text=True, check=False)
            if said.returncode in (0, 2):  # 2: there is a fault.
                # The /run of this machine may be on a disk; the guest's is not.
                faults = [fault for fault in json.loads(said.stdout).get("faults", [])
                          if fault["id"] != "mirror-missing"]
                if faults:
                    raise Failed(f"the station on that store: {faults}")
                break
            if daemon.poll() is not None or time.monotonic() > deadline:
                raise Failed("no station starts on that store")
            time.sleep(0.1)
        daemon.send_signal(signal.SIGTERM)
        if daemon.wait(20) != 0:
            raise Failed("the station on that store does not stop in order")
    finally:
        daemon.kill()
        daemon.wait()


def choose(told, total):
    """A few cuts while the store is made, most while it is written to, and one after the stop."""
    chance = random.Random(SEED)
    running = [writes for _, writes, _ in told if writes < total]
    places = {total} | {chance.randrange(1, running[0]) for _ in range(CUTS // 4)}
    places |= {chance.randrange(running[0], total) for _ in range(CUTS // 2)}
    return sorted(places | set(running[-1:0:-max(len(running) * 4 // CUTS, 1)]))


def tell_costs(lab, told, sizes):
    """sizes: flags and bytes of each write."""
    lab.figure("values told", told[-1][2])
    flushes = sum(flags & writelog.FLUSH for flags, _ in sizes)
    lab.figure("writes, flushes, bytes",
               f"{len(sizes)}, {flushes}, {sum(size for _, size in sizes)}")
    steady = [entry for entry in told[:-1] if entry[2] >= 15]
    if len(steady) > 1:
        (_, first, count), (_, last, count_then) = steady[0], steady[-1]
        written = sum(size for _, size in sizes[first:last])
        lab.figure("bytes a value of the running station, loss window 10 s",
                   round(written / max(count_then - count, 1)))


def run(lab, kind):
    """Records the station on a `card` or a `disk`, and cuts its power at places of the record."""
    base, log = os.path.join(lab.folder, "card"), os.path.join(lab.folder, "card.log")
    with open(base, "wb") as file:
        file.truncate(CARD_BYTES)
    subprocess.run(["mke2fs", "-q", "-t", "ext4", base], check=True)
    told = record(lab, kind, base, log)
    total = writelog.count(log)
    tell_costs(lab, told, [(flags, len(data)) for _, flags, data in writelog.entries(log)])
    image, folder = os.path.join(lab.folder, "cut"), os.path.join(lab.folder, "store")
    lines = []
    places = choose(told, total)
    cuts = (writelog.cuts(log, base, image, places) if kind == "card"
            else writelog.cuts_of_cache(log, base, image, places, SEED))
    for place in cuts:
        work = image + ".work"
        shutil.copyfile(image, work)
        try:
            extract(work, folder)
            must, has = owed(told, place), 0
            opens(lab, folder, lab.folder)
            has = values_in(lab.roost, folder)
        except Failed as failed:
            raise Failed(f"cut after write {place} of {total}: {failed}") from failed
        lines.append(f"write {place} of {total}: {has} values, owed {must}")
        lab.keep("cuts.txt", "\n".join(lines) + "\n")
        if has < must:
            raise Failed(f"cut after {lines[-1]}")
    lab.figure("power cuts, all opened, nothing owed lost", len(lines))
