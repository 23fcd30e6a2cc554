"""Power cuts: two starts are recorded write by write, then the card is made as a cut leaves it.

The record is of QEMU's block layer. A cut drops a random half of what no flush had made durable, and tears
half of the rest in a random sector. Each card is repaired by the memory disk's own commands and opened by a
station of this machine; some are started in QEMU as well.
"""

import json
import os
import shutil
import signal
import subprocess
import time

import card as lab_card
import writelog
from . import bench as shared
from .bench import LabFailed, board

ZONE = "Europe/Rome"
PERSON = {"name": "anna", "email": "anna@example.org", "password": "seven-Kettles-hum"}
RUN_SECONDS = {"first": 100, "second": 60}
ROOTS = (2, 3)


class Record:
    """A start of a card that ends with a loss of power, and what it owed at each moment."""

    def __init__(self, name, base, log, floor):
        # floor: values that the starts before this one owe.
        self.name, self.base, self.log, self.floor = name, base, log, floor
        self.told, self.settings_at, self.account_at = [], None, None

    def note(self, machine):
        # Asked before counted: whatever is on the card now may have been told a moment later.
        number = shared.values(machine)
        self.told.append((time.monotonic(), writelog.count(self.log), number))

    def owed_values(self, place):
        then = max((moment for moment, writes, _ in self.told if writes <= place), default=0)
        return max((count for moment, _, count in self.told
                    if moment <= then - shared.WINDOW - shared.SLACK), default=self.floor)


def cuts(bench):
    """Power cuts at random writes of a first start, of the running station, and of a second start."""
    card = bench.card("cuts", shared.STATION)
    sensor, records = bench.sensor(), []
    for name in ("first", "second"):
        floor = records[-1].owed_values(writelog.count(records[-1].log)) if records else 0
        base = without_roots(card, bench.check.path(f"{name}.base"))
        record = Record(name, base, bench.check.path(f"{name}.log"), floor)
        live(bench, card, record, sensor, records)
        records.append(record)
    bench.close(card)
    share = {"first": 0.6, "second": 0.4}
    lines, booted = [], 0
    for record in records:
        total, number = writelog.count(record.log), int(bench.options.cuts * share[record.name])
        places = sorted(bench.chance.sample(range(1, total), min(number, total - 1)))
        boots = set(bench.chance.sample(places, min(bench.options.boots // len(records), len(places))))
        image = bench.check.path("cut.card")
        for place in writelog.cuts_of_cache(record.log, record.base, image, places, bench.options.seed, is_torn=True):
            text = f"{record.name} start, write {place} of {total}"
            if place in boots:
                text += f", started: {start(bench, image, record, place)}"
                booted += 1
            text += f": {look(bench, image, record, place)}"
            lines.append(text)
            with open(bench.check.path("cuts.txt"), "w", encoding="utf-8") as file:
                file.write("\n".join(lines) + "\n")
        bench.figure(f"writes of the {record.name} start", total)
    bench.figure("power cuts", f"{len(lines)}, of which {len(lines) - len(bench.check.problems)} without a finding")
    bench.figure("of these started in QEMU to the page", booted)


def without_roots(card, target):
    """The card's copy with its roots left out: they are never written, which look() shows."""
    writelog.copy(card, target)
    for number in ROOTS:
        start, size = board.table(target)[number]
        subprocess.run(["fallocate", "--punch-hole", "--offset", str(start), "--length", str(size), target], check=True)
    return target


def live(bench, card, record, sensor, before):
    """Starts the card, has it measure, change a setting and get an owner, and takes its power."""
    port = shared.free_port()
    with bench.board(f"cuts-{record.name}", card, web=port, log=record.log, wait=0) as machine:
        shared.wait_for_page(machine, port, 900)
        machine.wait_for_boot(900)
        bench.plug(machine, sensor)
        if not before:
            machine.run(f"roost settings set zone {ZONE}")
            record.settings_at = writelog.count(record.log)
            shared.claim(port, PERSON)
            record.account_at = writelog.count(record.log)
        else:
            record.settings_at = record.account_at = 0
        shared.wait_for_value(machine, machine.seconds() + 300)
        end = machine.seconds() + RUN_SECONDS[record.name]
        while machine.seconds() < end:
            record.note(machine)
    roots = [position for position, _, _ in writelog.entries(record.log)
             if any(first <= position < first + size for number, (first, size) in board.table(record.base).items()
                    if number in ROOTS)]
    bench.check.demand(not roots, f"the root was written {len(roots)} times in the {record.name} start")
    first, size = board.table(record.base)[1]
    boot = sum(first <= position < first + size for position, _, _ in writelog.entries(record.log))
    bench.figure(f"writes to the boot partition in the {record.name} start", boot)


def look(bench, image, record, place):
    """Repairs the card as the memory disk does, and opens what it has; returns what was found."""
    demand, parts = bench.check.demand, board.table(image)
    what = f"{record.name} start, cut after write {place}"
    demand(set(parts) == {1, 2, 3, 4, 5, 6}, f"{what}: partitions {sorted(parts)}")
    found = board.read_boot(image, "slot.txt").split()
    demand(found[:1] == [b"slot=2"], f"{what}: slot.txt has {found[:3]}")
    status = repair(image)
    if not demand(status < 4, f"{what}: e2fsck cannot repair the data partition"):
        return "not repaired"
    folder = bench.check.path("cut-store")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    board.debugfs(image, 6, f"rdump /roost {folder}", f"rdump /roost-web {folder}")
    store = os.path.join(folder, "roost")
    if not os.path.isdir(store):
        demand(record.settings_at is None or place < record.settings_at, f"{what}: the store's folder is gone")
        return "before the first store"
    blocks = take_ring(image, parts[5], store)
    opens(bench, store, blocks, what)
    has, must = lab_card.values_in(bench.check.program("roost"), store), record.owed_values(place)
    demand(has >= must, f"{what}: {has} values of {must} that were owed")
    if record.settings_at is not None and place >= record.settings_at:
        path = os.path.join(store, "settings.json")
        text = open(path, encoding="utf-8").read() if os.path.exists(path) else ""
        demand(ZONE in text, f"{what}: the zone that was set is gone: {text[:200]!r}")
    if record.account_at is not None and place >= record.account_at:
        demand(has_account(os.path.join(folder, "roost-web")), f"{what}: the owner's account is gone")
    return f"{has} values, owed {must}, e2fsck {status}"


def repair(image):
    """The commands of the memory disk; their exit status, below 4 when the file system is good."""
    start, size = board.table(image)[6]
    # e2fsck forgets an offset in a file when it opens it again after the journal.
    loop = subprocess.check_output(["losetup", "--find", "--show", "--offset", str(start), "--sizelimit", str(size), image],
                                   text=True).strip()
    try:
        for option in (["-p"], ["-f", "-y"]):
            status = subprocess.run(["e2fsck", *option, loop], capture_output=True, check=False, timeout=300).returncode
            if status < 4:
                break
        return status
    finally:
        subprocess.run(["losetup", "--detach", loop], check=True)


def take_ring(image, part, store):
    """Puts the ring of the journal's partition where a station of this machine finds it; its blocks."""
    with open(image, "rb") as file:
        file.seek(part[0])
        head = file.read(4096)
        if not head.startswith(b"ROOST-JOURNAL-01"):
            raise LabFailed("the mark of the journal's partition is gone")
        count = int.from_bytes(head[20:24], "little")
        ring = file.read(count * 4096)
    note = os.path.join(store, "journal.partition")
    if os.path.lexists(note):
        os.unlink(note)
    with open(os.path.join(store, "journal.ring"), "wb") as file:
        file.write(ring)
    return count


def opens(bench, store, blocks, what):
    """Starts and stops a station on the store; it must open it, without a fault."""
    path, socket = bench.check.path("after.json"), bench.check.path("after.sock")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"name": "after", "socket": socket, "devices": [],
                   "store": {"folder": store, "megabytes": shared.STATION["store"]["megabytes"],
                             "journalBlocks": blocks, "lossWindowSeconds": shared.WINDOW}}, file)
    with open(bench.check.path("after.log"), "ab") as log:
        daemon = subprocess.Popen([bench.check.program("roostd"), "--config", path], stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + 60
        while True:
            said = bench.check.roost("status", "--json", "--socket", socket)
            if said.returncode in (0, 2):  # 2: there is a fault.
                faults = [fault["id"] for fault in json.loads(said.stdout).get("faults", [])]
                # The /run of this machine may be on a disk; the guest's is not.
                bench.check.demand(not set(faults) - {"mirror-missing"}, f"{what}: faults {faults}")
                break
            if daemon.poll() is not None or time.monotonic() > deadline:
                raise LabFailed(f"{what}: no station starts on that store: see after.log")
            time.sleep(0.1)
        daemon.send_signal(signal.SIGTERM)
        bench.check.same(daemon.wait(30), 0, f"{what}: the station's exit status")
    finally:
        daemon.kill()
        daemon.wait()


def has_account(folder):
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            with open(path, "rb") as file:
                if PERSON["email"].encode() in file.read():
                    return True
    return False


def start(bench, image, record, place):
    """Starts the card in QEMU; returns the seconds to its page."""
    card = bench.check.path("started.card")
    writelog.copy(image, card)
    for number in ROOTS:
        board.copy_partition(bench.image, card, number)
    port, must = shared.free_port(), record.owed_values(place)
    with bench.board("cuts-started", card, web=port, wait=0) as machine:
        seconds = shared.wait_for_page(machine, port, 900)
        machine.wait_for_boot(900)
        status = machine.run("cat /run/roost-data-on").strip()
        bench.check.same(status, "card", f"{record.name} start, cut after write {place}: the data are on")
        failed = machine.run("systemctl --failed --no-legend --plain").strip()
        bench.check.demand(not failed, f"{record.name} start, cut after write {place}: failed units {failed}")
        has = shared.values(machine)
        bench.check.demand(has >= must, f"{record.name} start, cut after write {place}, started: {has} of {must}")
        if record.settings_at is not None and place >= record.settings_at:
            bench.check.demand(ZONE in machine.run("roost settings --json"), "the zone that was set is gone")
    bench.close(card)
    return f"page after {seconds:.0f} s, {has} values"
