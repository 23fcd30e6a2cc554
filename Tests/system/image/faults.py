"""Faults of the card, of its partitions and of the clock: the station comes up, measures, and says what is wrong."""

import os

from . import bench as shared
from ..check import until
from .bench import board
from .neighbours import one_name
from .update import history

MIB = 1 << 20
BOOT_SECONDS = 900
FILL = "/data/home/fill"
RECOVERY_SECONDS = 180
PAGE_INSIDE = ("bash -c 'exec 3<>/dev/tcp/127.0.0.1/80; printf \"GET / HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n\" >&3; "
               "head -n 1 <&3 | grep -q \" 200\"' 2>/dev/null")


def faults(bench):
    """Each fault on a card of its own."""
    for fault in FAULTS:
        if not bench.wants(fault.__name__):
            continue
        bench.check.say(f"  fault {fault.__name__}")
        try:
            fault(bench)
        except shared.LabFailed as failure:
            bench.check.problems.append(f"{fault.__name__}: {failure}")


class Up:
    """A station that came up with a fault: its machine, its port, and what its start said."""

    def __init__(self, bench, name, card, **options):
        self.bench, self.name, self.port = bench, name, shared.free_port()
        # A comma would end a value among QEMU's arguments.
        folder = f"faults-{name}".replace(", ", "-").replace(" ", "-")
        self.machine = bench.board(folder, card, web=self.port, wait=0, **options)

    def __enter__(self):
        self.machine.__enter__()
        try:
            seconds = shared.wait_for_page(self.machine, self.port, BOOT_SECONDS)
            self.machine.wait_for_boot(BOOT_SECONDS)
            self.bench.figure(f"{self.name}: page after", f"{seconds:.0f} s")
            self.said = self.machine.run("cat /run/roost-start.said 2>/dev/null || true")
            self.data_on = self.machine.run("cat /run/roost-data-on").strip()
            self.owner_said = self.machine.run("cat /boot/firmware/roost-said.txt 2>/dev/null || true")
        except BaseException:
            self.machine.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.machine.__exit__()

    def demand(self, is_so, text):
        return self.bench.check.demand(is_so, f"{self.name}: {text}")

    def measures(self):
        """Plugs a sensor in; demands a value."""
        self.bench.plug(self.machine, self.bench.sensor())
        began = self.machine.seconds()
        shared.wait_for_value(self.machine, began + 300)

    def says(self, words, is_owners=True):
        self.demand(words in self.said, f"the start does not say '{words}': {self.said!r}")
        if is_owners:
            self.demand(words in self.owner_said, f"roost-said.txt does not say '{words}': {self.owner_said!r}")
        for command in ("doctor", "status"):
            text = self.machine.run(f"roost {command} 2>&1", 120, check=False)[1]
            self.demand(words.split(":")[0].rstrip(".") in text, f"roost {command} does not say '{words}': {text}")


def full(bench):
    card = bench.card("full", shared.STATION)
    with Up(bench, "full", card) as up:
        up.measures()
        # More than what a power cut may cost.
        up.machine.run(f"sleep {2 * (shared.WINDOW + shared.SLACK)}", 180)
        up.machine.run(f"fallocate -l $(df -B1 --output=avail /data | tail -n 1) {FILL}; "
                       f"dd if=/dev/zero of={FILL}2 bs=1M 2>/dev/null; sync; df /data", 300, check=False)
        before = shared.values(up.machine)
        up.machine.run("sleep 30")
        up.demand(shared.values(up.machine) > before, "no new values")
        status, text = up.machine.run("roost settings set zone Europe/Rome", check=False)
        up.demand(status == 0 or "space" in text or "full" in text, f"a setting that cannot be kept: {status} {text}")
        owed = history(up.machine)[:-shared.WINDOW - shared.SLACK]
        up.demand(len(owed) > shared.WINDOW, f"{len(owed)} values are too few to be missed")
    with Up(bench, "full, next start", card) as up:
        up.demand(up.data_on == "card", f"the data are on {up.data_on}")
        up.measures()
        text = up.machine.run("roost status", check=False)[1]
        up.demand("no space" in text or "full" in text, f"roost status does not say that the card is full: {text}")
        failed = up.machine.run("systemctl --failed --no-legend --plain").strip()
        up.demand(not failed, f"failed units: {failed}")
        up.machine.run(f"rm {FILL}* && roost settings set zone Europe/Rome")
        # By itself, without a restart.
        began = up.machine.seconds()
        missing = lambda: len(set(owed) - set(history(up.machine)))  # noqa: E731
        until(lambda: missing() == 0, RECOVERY_SECONDS, 5)
        bench.figure("full, next start: with room the values of the first are there after", f"{up.machine.seconds() - began:.0f} s")
        up.demand(missing() == 0, f"{missing()} of {len(owed)} values of the first start are not there with room again")
    bench.close(card)


def destroyed(bench):
    card = bench.card("destroyed", shared.STATION)
    start, _ = board.table(card)[6]
    with open(card, "r+b") as file:
        file.seek(start)
        file.write(os.urandom(180 * MIB))
    for start in (1, 2):
        with Up(bench, f"destroyed, start {start}", card) as up:
            up.demand(up.data_on == "memory", f"the data are on {up.data_on}")
            up.says(f"The data partition could not be repaired, at start {start} of 3")
    with Up(bench, "destroyed", card) as up:
        up.demand(up.data_on == "card", f"the data are on {up.data_on}")
        up.says("The data partition could not be repaired and is made anew")
        up.demand(shared.ask(up.port, "claim").get("isOpen") is False, "a stranger can claim the station without a code")
        up.measures()
    bench.close(card)


def protected(bench):
    """A card whose switch is at LOCK, or that has ended in read-only mode as worn cards do."""
    card = bench.card("protected")
    with Up(bench, "protected", card, is_protected=True) as up:
        up.demand(up.data_on == "memory", f"the data are on {up.data_on}")
        up.says("The card cannot be written", is_owners=False)
        up.measures()
    bench.close(card)


def smaller(bench):
    """A card that ends within the data partition."""
    card = bench.card("smaller")
    start, size = board.table(card)[6]
    with open(card, "r+b") as file:
        file.truncate(start + size // 2)
    with Up(bench, "smaller", card) as up:
        up.demand(up.data_on == "card", f"the data are on {up.data_on}")
        up.says("The card is smaller than the image")
        up.measures()
    bench.close(card)


def much_smaller(bench):
    """A card that ends within the second root: no journal, no data partition."""
    card = bench.card("much-smaller")
    start, _ = board.table(card)[3]
    with open(card, "r+b") as file:
        file.truncate(start + 64 * MIB)
    with Up(bench, "much smaller", card) as up:
        up.demand(up.data_on == "memory", f"the data are on {up.data_on}")
        up.says("The card is smaller than the image")
        up.measures()
    bench.close(card)


def year_1970(bench):
    card = bench.card("year-1970", shared.STATION)
    with Up(bench, "1970", card, rtc=False) as up:
        year = int(up.machine.run("date +%Y"))
        up.demand(year >= 2025, f"the clock says {year}")
        up.measures()
        text = up.machine.run("roost status", check=False)[1]
        up.demand("?" in text.split("time", 1)[-1].splitlines()[0], f"a time that nothing vouches for is trusted: {text}")
        before = int(up.machine.run("date +%s"))
        up.machine.run("sleep 2; systemctl stop roostd; sync")
    with Up(bench, "1970, next start", card, rtc=False) as up:
        after = int(up.machine.run("date +%s"))
        up.demand(after >= before, f"the clock went back from {before} to {after}")
    bench.close(card)


def no_network(bench):
    """Neither cable nor Wi-Fi nor a clock, for a whole first start; then somebody plugs the cable in."""
    card, port = bench.card("no-network", shared.STATION), shared.free_port()
    with bench.board("faults-no-network", card, web=port, wait=0, rtc=False) as machine:
        machine.ask("set_link", name="net", up=False)
        machine.wait_for_boot(BOOT_SECONDS)
        bench.figure("no network: up after", f"{machine.seconds():.0f} s")
        machine.wait(PAGE_INSIDE, 300, "no network: no page inside the station")
        bench.figure("no network: page, asked on the station itself, after", f"{machine.seconds():.0f} s")
        bench.plug(machine, bench.sensor())
        began = machine.seconds()
        seconds = shared.wait_for_value(machine, began + 300) - began
        bench.figure("no network: sensor plugged in to its value", f"{seconds:.0f} s")
        before = shared.values(machine)
        machine.run("sleep 120", 180)
        bench.check.demand(shared.values(machine) > before + 60, f"no network: {shared.values(machine) - before} values in 120 s")
        bench.check.demand("scope global" not in machine.run("ip address"), "no network: there is one")
        failed = machine.run("systemctl --failed --no-legend --plain").strip()
        bench.check.demand(not failed, f"no network: failed units: {failed}")
        bench.figure("no network: roost status", machine.run("roost status", check=False)[1].strip().replace("\n", "; ")[:300])
        machine.ask("set_link", name="net", up=True)
        began = machine.seconds()
        shared.wait_for_page(machine, port, began + 120)
        bench.figure("no network: the cable plugged in, page after", f"{machine.seconds() - began:.0f} s")
    bench.close(card)


FAULTS = (full, destroyed, protected, smaller, much_smaller, year_1970, no_network, one_name)
