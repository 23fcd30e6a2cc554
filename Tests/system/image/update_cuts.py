"""Power cuts at random writes of an update.

The update of a station that measures is recorded write by write in QEMU's block layer, as in cuts.py. Of each cut
the card is made as a loss of power leaves it, judged here, and of some started in QEMU. A third of the places lies
around the writes to the boot partition, which decide what is started; the others are anywhere.
"""

import hashlib
import json
import os
import time

import writelog
from . import bench as shared
from . import cuts as card_cuts
from .bench import LabFailed, board

BOOT_SECONDS = 900
BEFORE, AFTERWARDS = 90, 20  # Seconds of measuring before the recorded start, and after the update is written.
AROUND = 3  # Places before and after a write to the boot partition.
BOOT, OLD, NEW = 1, 2, 3


class UpdateRecord(card_cuts.Record):
    """The record of an update's writes, with what it owes; kept in a folder so that it can be judged again."""

    NAME = "update"

    def __init__(self, folder):
        super().__init__(self.NAME, os.path.join(folder, "base.card"), os.path.join(folder, "writes.log"), 0)
        self.notes, self.root = os.path.join(folder, "notes.json"), None

    def save(self):
        with open(self.notes, "w", encoding="ascii") as file:
            json.dump({"told": self.told, "root": self.root, "floor": self.floor}, file)

    def load(self):
        with open(self.notes, encoding="ascii") as file:
            kept = json.load(file)
        self.told, self.root, self.floor = kept["told"], kept["root"], kept["floor"]
        return self


def cuts(station, _):
    bench = station.bench
    folder = bench.options.record
    if folder:
        return judge(bench, UpdateRecord(os.path.realpath(folder)).load())
    # On a card of its own: the update stays to be tried.
    one = station.another("cuts")
    try:
        record = make(one)
    finally:
        one.stop()
    bench.close(one.card)
    return judge(bench, record)


def make(station):
    """Records an update of a station whose card has been in use."""
    bench, check = station.bench, station.bench.check
    machine = station.start()
    time.sleep(BEFORE)
    told = shared.values(machine)
    station.stop()
    folder = check.path("record")
    os.makedirs(folder)
    record = UpdateRecord(folder)
    record.root = station.stick.roots["good"]
    card_cuts.without_roots(station.card, record.base)
    machine = station.start(log=record.log)
    # Read from the card before a sensor was plugged in: each cut must leave them.
    record.floor = station.values_at_start
    check.demand(record.floor >= told - shared.WINDOW - shared.SLACK, f"{record.floor} values of {told} are there before the update")
    bench.figure("values on the card before the recorded start", record.floor)
    bench.figure("writes before the update", writelog.count(record.log))
    # As a unit: the agent runs one command at a time, and is asked for the values meanwhile.
    machine.run("systemd-run --unit=lab-update roost update install /run/stick/good.update")
    end = machine.seconds() + 1800
    while machine.run("systemctl is-active lab-update", check=False)[1].strip() in ("active", "activating"):
        record.note(machine)
        if machine.seconds() > end:
            raise LabFailed("the update is not written within 30 min")
        time.sleep(1)
    check.same(station.last().get("state"), "waiting", "the update that is recorded")
    end = machine.seconds() + AFTERWARDS
    while machine.seconds() < end:
        record.note(machine)
    station.stop()
    record.save()
    writes = {number: 0 for number in (BOOT, OLD, NEW)}
    parts = board.table(record.base)
    for position, _, _ in writelog.entries(record.log):
        for number in writes:
            first, size = parts[number]
            writes[number] += first <= position < first + size
    check.same(writes[OLD], 0, "writes to the root that runs")
    bench.figure("writes of a start with an update", f"{writelog.count(record.log)}, of them {writes[NEW]} to the other root, "
                 f"{writes[BOOT]} to the boot partition")
    return record


def choose(bench, record):
    """The places of the cuts, the same for the same seed and record."""
    if bench.options.place:
        return sorted(bench.options.place)
    first, size = board.table(record.base)[BOOT]
    total, near = writelog.count(record.log), set()
    for number, (position, _, _) in enumerate(writelog.entries(record.log), 1):
        if first <= position < first + size:
            near.update(range(max(1, number - AROUND), min(total, number + AROUND + 1)))
    chosen = set(bench.chance.sample(sorted(near), min(len(near), bench.options.cuts // 3)))
    rest = [place for place in range(1, total) if place not in chosen]
    chosen.update(bench.chance.sample(rest, min(len(rest), bench.options.cuts - len(chosen))))
    return sorted(chosen)


def judge(bench, record):
    check, places = bench.check, choose(bench, record)
    boots = set(bench.chance.sample(places, min(bench.options.boots, len(places))))
    image, lines, started, tried = check.path("cut.card"), [], [], 0
    for place in writelog.cuts_of_cache(record.log, record.base, image, places, bench.options.seed, is_torn=True):
        before = len(check.problems)
        trial = looks_at_slots(bench, image, record, place)
        tried += trial
        text = f"write {place}, {'the new root is tried' if trial else 'the old root'}"
        if place in boots:
            started.append(start(bench, image, record, place, trial))
            text += f", started: {started[-1]}"
        try:
            text += f": {card_cuts.look(bench, image, record, place)}"
        except LabFailed as failure:
            check.problems.append(str(failure))
        if len(check.problems) > before:
            folder = f" --record {os.path.dirname(record.log)}"
            text += f": a finding; again: --only cuts --seed {bench.options.seed} --place {place}{folder}"
        lines.append(text)
        check.say(f"  {text}")
        with open(check.path("update-cuts.txt"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    for path in (image, f"{image}.durable"):
        os.remove(path)
    bench.figure("power cuts while an update is written", f"{len(lines)} with seed {bench.options.seed}, {tried} of them when the "
                 f"new root was complete; {len(started)} were started in QEMU, see update-cuts.txt")


def looks_at_slots(bench, image, record, place):
    """Whether the new root is to be tried; then it must be there to its last byte."""
    demand, what = bench.check.demand, f"update, cut after write {place}"
    text = board.read_boot(image, "slot.txt")
    words = dict(line.split(b"=", 1) for line in text.split() if b"=" in line)
    demand(len(text) == 512 and set(text[-100:]) == set(b"\n"), f"{what}: slot.txt is no whole sector: {text[:80]}")
    demand(words.get(b"slot") == b"2", f"{what}: the good root is {words.get(b'slot')}")
    if b"trial" not in words:
        return False
    demand(words[b"trial"] == b"3" and words.get(b"number", b"").isdigit(), f"{what}: slot.txt has {words}")
    start, _ = board.table(image)[NEW]
    digest, left = hashlib.sha256(), record.root["size"]
    with open(image, "rb") as file:
        file.seek(start)
        while left > 0:
            piece = file.read(min(left, board.MIB))
            digest.update(piece)
            left -= len(piece)
    demand(digest.hexdigest() == record.root["sha256"], f"{what}: the root that is to be tried has other bytes")
    return True


def start(bench, image, record, place, is_tried):
    """Starts the card in QEMU: the right root, an answer, and what was acknowledged."""
    what, check = f"update, cut after write {place}, started", bench.check
    card = check.path("started.card")
    writelog.copy(image, card)
    board.copy_partition(bench.image, card, OLD)
    with bench.board("update-cuts", card, wait=0) as machine:
        seconds = machine.wait_for_boot(BOOT_SECONDS)
        check.same(machine.run("cat /run/roost-slot").strip(), str(NEW if is_tried else OLD), f"{what}: the root")
        machine.wait("roost status --json >/dev/null 2>&1 || [ $? = 2 ]", 120, f"{what}: roost status does not answer")
        check.same(machine.run("cat /run/roost-data-on").strip(), "card", f"{what}: the data are on")
        # No sensor is plugged in: what is there was there before the cut.
        must = record.owed_values(place)
        shared.wait_for_value(machine, machine.seconds() + 120)
        has = shared.values(machine)
        check.demand(has >= must, f"{what}: {has} values of {must} that were owed")
        failed = machine.run("systemctl --failed --no-legend --plain").strip()
        check.demand(not failed, f"{what}: failed units {failed}")
    os.remove(card)
    return f"up after {seconds:.0f} s, {has} values"
