"""Updates in the guest: refused files, a loss of power, a good update, and others that have to be taken back.

Each part begins with the root that is good by then, so a part can be run alone: --only crashing.
"""

import base64
import json
import time

from . import bench as shared
from .bench import LabFailed, board
from .update_cuts import cuts
from .update_files import LABEL, REFUSED, Stick
from .update_page import page

PARTS = ("refused", "cut", "cuts", "good", "crashing", "dead", "storeless", "deaf", "page")
FILES = {"refused": ("good",), "cut": ("good",), "cuts": ("good",), "page": ("good",)}
BOOT_SECONDS = 900
# docs/guide/updates.md promises these ways back, from the restart until the version before answers.
WAY_BACK_SECONDS = {"crashing": 12 * 60, "dead": 5 * 60, "storeless": 12 * 60, "deaf": 12 * 60}
CONFIRM_SECONDS = 13 * 60
CUT_AT = 150e6  # In the middle of the payload.
# Words by which `roost update status` says why an update was taken back.
REASONS = {"crashing": "not well after", "dead": "did not say that it is good", "storeless": "not well after",
           "deaf": "not well after"}


def update(bench):
    """The parts that were asked for, on one card."""
    if not bench.options.key:
        raise LabFailed("the case needs --key=FILE, the key that the image was made with")
    parts = [name for name in PARTS if bench.wants(name)]
    wanted = dict.fromkeys(name for part in parts for name in FILES.get(part, (part,)))
    if parts == ["cuts"] and bench.options.record:
        wanted = {}  # Only judged again.
    station = Updated(bench, Stick(bench, wanted))
    try:
        for part in parts:
            bench.check.say(f"  part {part}")
            try:
                {"refused": refused, "cut": cut, "cuts": cuts, "good": good, "page": page}.get(part, taken_back)(station, part)
            except LabFailed as failure:
                bench.check.problems.append(f"{part}: {failure}")
                station.stop()
    finally:
        station.stop()
    bench.close(station.card, station.stick.path)


class Updated:
    """A station with a card, a sensor and the stick, switched on when it is asked for something."""

    def __init__(self, bench, stick, name="update"):
        self.bench, self.stick, self.name, self.machine = bench, stick, name, None
        self.values_at_start = 0  # Values that the card had when it was switched on.
        self.card, self.sensor = bench.card(name, shared.STATION), bench.sensor()

    def another(self, name):
        """A station with a new card and the same stick; this one is switched off."""
        self.stop()
        return Updated(self.bench, self.stick, name)

    def start(self, log=None, web=None):
        """Switches it on where it is off, waits until it measures, and mounts the stick as a person does."""
        if self.machine is None:
            self.machine = self.bench.board(self.name, self.card, stick=self.stick.path, log=log, web=web, wait=BOOT_SECONDS)
            self.machine.__enter__()
            # The store may still be opening; a new card has no value.
            self.machine.wait("roost status --json | grep -q '\"store\":{[^}]*\"state\":\"ok\"'", 300, "the store does not open")
            self.values_at_start = shared.values(self.machine)
            self.bench.plug(self.machine, self.sensor)
            self.wait_for_more(self.values_at_start)
        self.machine.run("mkdir -p /run/stick; mountpoint -q /run/stick || mount -o ro "
                         f"\"$(lsblk -rnpo NAME,LABEL | awk '$2 == \"{LABEL}\" {{ print $1 }}')\" /run/stick", 120)
        return self.machine

    def wait_for_more(self, before):
        end = self.machine.seconds() + 300
        while shared.values(self.machine) <= before:
            if self.machine.seconds() > end:
                raise LabFailed("the sensor gives no value within 300 s")
            time.sleep(2)

    def stop(self):
        """Takes its power."""
        if self.machine is not None:
            self.machine.__exit__()
            self.machine = None

    def slot(self):
        """The root that runs."""
        return self.machine.run("cat /run/roost-slot").strip()

    def good_slot(self):
        """The good root, as slot.txt on the card has it."""
        return board.read_boot(self.card, "slot.txt").decode().split("slot=")[1][:1]

    def install(self, name):
        return self.machine.run(f"roost update install --allow-downgrade /run/stick/{name}.update 2>&1", 1800, check=False)

    def last(self):
        """What `roost update status` says of the last update."""
        return self.machine.ask_roost("update status").get("last", {})

    def restart(self):
        self.send("systemctl reboot")
        self.machine.wait_for_boot(BOOT_SECONDS)

    def send(self, command):
        # Without an answer: the agent may end before it has given one.
        self.machine.say(f"$ {command}")
        self.machine.agent.send(f"sent {base64.b64encode(command.encode()).decode()}")


def history(machine):
    """All values of one channel in their order: what an update must not change."""
    said = machine.run("roost readings --limit 10000 --json 2>/dev/null | grep '/pm25\"' | grep '\"value\"'", 300, check=False)[1]
    return [(one.get("time"), one["value"]) for one in map(json.loads, said.split("\n")[:-1])]


def refused(station, _):
    """Whole files that are refused for what they say; the last for what it lacks."""
    check, machine = station.bench.check, station.start()
    before = station.good_slot()
    for name, words in REFUSED.items():
        written = machine.written()[0]
        status, text = station.install(name)
        written = machine.written()[0] - written
        said = text.strip().splitlines()[-1] if text.strip() else ""
        check.demand(status == 1 and words in said, f"{name}: status {status}, {text[-300:]}")
        station.bench.figure(f"{name}, {written / 1e6:.1f} MB written", said[:200])
        if name != "truncated":
            check.demand(written < 1e6, f"{name}: {written / 1e6:.1f} MB were written before it was refused")
    check.same(station.good_slot(), before, "slot.txt after files that were refused")


def cut(station, _):
    """The power goes in the middle of the payload."""
    bench, machine = station.bench, station.start()
    before, root = history(machine), station.slot()
    written = machine.written()[0]
    station.send("roost update install /run/stick/good.update")
    end = machine.seconds() + 1800
    while machine.written()[0] - written < CUT_AT:
        if machine.seconds() > end:
            raise LabFailed(f"nothing to cut: {(machine.written()[0] - written) / 1e6:.0f} MB were written in 30 min")
        time.sleep(1)
    bench.figure("power cut while the update was written, after", f"{(machine.written()[0] - written) / 1e6:.0f} MB")
    station.stop()
    machine = station.start()
    bench.check.same(station.slot(), root, "the root after the cut")
    keeps(station, before, "after the cut")


def good(station, _):
    bench, machine = station.bench, station.start()
    check, before, root = bench.check, history(machine), station.slot()
    began = machine.seconds()
    status, text = station.install("good")
    bench.figure("a good update written and compared in", f"{machine.seconds() - began:.0f} s")
    if not check.same(status, 0, f"a good update: {text[-400:]}"):
        return
    station.restart()
    began = machine.seconds()
    check.demand(station.slot() != root, f"the new root is not tried: root {root} runs")
    while station.good_slot() == root and machine.seconds() - began < CONFIRM_SECONDS:
        time.sleep(5)
    bench.figure("the good update became the good root after", f"{machine.seconds() - began:.0f} s")
    check.demand(station.good_slot() != root, f"the good update is not confirmed: {station.last()}")
    keeps(station, before, "after the good update")


def taken_back(station, name):
    """An update that is not as good as what ran before: it is tried once, and the version before comes back by itself."""
    bench, machine = station.bench, station.start()
    check, before, root = bench.check, history(machine), station.slot()
    status, text = station.install(name)
    if not check.same(status, 0, f"{name}: {text[-400:]}"):
        return
    began = machine.seconds()
    station.restart()
    if name != "dead":
        check.demand(station.slot() != root, f"{name}: it is not tried: root {root} runs")
        bench.figure(f"{name}: tried, and up after", f"{machine.seconds() - began:.0f} s")
        machine.wait_for_boot(2 * WAY_BACK_SECONDS[name])  # By itself.
        # A guest that gets too little processor does not pet its watchdog: then the restart is not the update's.
        bitten = machine.event("WATCHDOG", 1)
        check.demand(bitten is None, f"{name}: the watchdog restarted the guest: is this machine too busy?")
    seconds = machine.seconds() - began
    bench.figure(f"{name}: the version before is back, after the restart", f"{seconds:.0f} s")
    check.demand(seconds <= WAY_BACK_SECONDS[name], f"{name}: the way back took {seconds:.0f} s")
    check.same(station.slot(), root, f"{name}: the root that is back")
    wait_for_units(machine)
    last = station.last()
    check.same(last.get("state"), "fellBack", f"{name}: what roost update status says")
    check.demand(REASONS[name] in last.get("why", ""), f"{name}: the reason is {last.get('why')!r}")
    bench.figure(f"{name}: roost update status", last.get("why"))
    keeps(station, before, f"{name}: after the way back")
    station.wait_for_more(shared.values(machine))


def wait_for_units(machine):
    """Until roost-good.service has looked at what started."""
    machine.wait("systemctl is-active --quiet roost-good.service", 300, "roost-good.service does not end")


def keeps(station, before, when):
    """Demands each value that was acknowledged; the loss window's may be lost with the power."""
    # The store may still be opening.
    shared.wait_for_value(station.machine, station.machine.seconds() + 300)
    after = history(station.machine)
    owed = before[:max(0, len(before) - shared.WINDOW - shared.SLACK)]
    missing = [one for one in owed if one not in set(after)]
    station.bench.check.demand(not missing, f"{when} {len(missing)} of {len(owed)} values are gone: {missing[:3]}")
    station.bench.check.demand(len(after) >= len(owed), f"{when} {len(after)} values are there, {len(owed)} are owed")
