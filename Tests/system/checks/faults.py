"""The card breaks under a running station: what must go on goes on, and what must come back comes back.

The real roostd with the SDS011 simulator at 1 Hz on a pseudo-terminal and its store on a loop-mounted
ext4.

  kill      SIGKILL under load, and start it again
  full      the file system is full, when the store is opened and while it runs
  eio       the card answers writes of the journal with EIO
  blocks    the card takes nothing and answers nothing (fsfreeze), 60 s or with --long 10 min
  readonly  the file system goes read-only after an error; repaired and mounted again

Asserted in each: samples come as the simulator sends them, within 50 ms; the watchdog is petted; the
lamp is right; the store is back without a restart; and afterwards every sample that a client saw
live is in the history or in a gap that `roost ledger` explains. The column `idle` is how late the
machine woke this script meanwhile, which only sleeps; on a busy one that comes on top of the 50 ms.
`nice -n -20 scripts/check faults` shows the station's own delays there.
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import threading
import time

from ..card import Card
from ..card import run as system
from ..check import Failed, now, objects
from ..station import kill as kill_process
from ..systemd import Pets
from ..watch import WatchedStation

PRODUCTS = ("roost", "roostd")
BUILD = "release"
NEEDS = "root and loop devices"
JITTER_SECONDS = 0.050
WATCHDOG_SECONDS = 15.0
RECOVERY_SECONDS = 330.0  # The store tries again at most five minutes apart.
PRIVATE = "ROOST_FAULTS_PRIVATE"
MIRROR = "/run/roost"  # The tail mirror; kept only where this is in memory.
TOOLS = ("unshare", "mkfs.ext4", "losetup", "fsfreeze", "filefrag", "e2fsck", "fallocate")


class Live:
    """A client of the live stream: what the station says that it measured, and its events."""

    def __init__(self, command):
        self.command, self.samples, self.events = command, {}, []
        self.process = None

    def start(self):
        self.process = subprocess.Popen(
            self.command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        threading.Thread(target=self.read, args=(self.process,), daemon=True).start()

    def read(self, process):
        for line in process.stdout:
            try:
                item = json.loads(line)
            except json.JSONDecodeError:
                continue
            item = item.get("body", item)
            reading, event = item.get("reading"), item.get("event")
            if reading and reading.get("value") is not None:
                values = self.samples.setdefault(reading["instantSeconds"], {})
                values[reading["channel"].split("/")[1]] = float(reading["value"])
            if event:
                self.events.append((now(), event))

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()


class FaultyStation(WatchedStation):
    """The watched station with its store on the card, a watchdog and a client of the live stream."""

    def __init__(self, check, card):
        self.card, self.store = card, os.path.join(card.mount, "store")
        super().__init__(check, "faults", detect=False, store={
            "folder": self.store, "megabytes": 4, "journalBlocks": 64, "lossWindowSeconds": 10})
        self.pets = Pets(check.path("notify"))
        self.live = check.ends(Live([check.program("roost"), "live", "--json",
                                     "--socket", self.socket]))
        self.late = []  # How late this process, which only sleeps, was woken, and when.

    def start(self):
        super().start(env=dict(os.environ, NOTIFY_SOCKET=self.pets.path,
                               WATCHDOG_USEC=str(int(WATCHDOG_SECONDS * 1e6))))
        end = now() + 30
        while not self.report("status"):
            if now() > end:
                raise Failed("roostd does not answer")
            self.look()
        self.live.start()

    def has_trouble(self):
        faults = self.report("status").get("faults", [])
        return any(fault["id"].startswith(("store", "history")) for fault in faults)

    def kill(self):
        super().kill()
        self.live.close()

    def stop(self):
        self.watch.went_down()
        self.daemon.terminate()
        if self.daemon.wait(60) != 0:
            raise Failed(f"an orderly stop ended with status {self.daemon.returncode}")
        self.live.close()

    def pause(self, seconds):
        end = now() + seconds
        while now() < end:
            self.look()
            begun = now()
            time.sleep(0.02)
            self.late.append((begun, now() - begun - 0.02))

    def sent(self):
        """When the simulator sent its measurement frames."""
        moments = []
        with open(self.trace.path, encoding="ascii") as file:
            for line in file:
                match = re.match(r"\s*([0-9.]+)\s*>\s*AA ?C0", line, re.I) or re.match(
                    r"\s*([0-9.]+)\s*<\s*AA ?C0", line, re.I)
                if match:
                    moments.append(float(match.group(1)))
        return moments

    def close(self):
        # On a card that is broken an orderly end could wait for the card.
        if self.daemon is not None:
            kill_process(self.daemon)
        super().close()


class Fault:
    """One row of the table."""

    def __init__(self, name, station):
        self.name, self.station, self.misses = name, station, []
        self.start, self.recovered = now(), 0.0
        self.pid, self.letters = station.daemon.pid, station.watch.counts["letters"]
        self.may_restart = False

    def await_recovery(self):
        began = now()
        while self.station.has_trouble():
            if now() > began + RECOVERY_SECONDS:
                self.misses.append("the store did not come back")
                return
            self.station.pause(0.5)
        self.recovered = now() - began

    def end(self):
        station = self.station
        self.finish = now()
        self.letters = station.watch.counts["letters"] - self.letters
        self.pet_gap = station.pets.longest(self.start, self.finish)
        if not self.may_restart:
            if station.daemon.pid != self.pid:
                self.misses.append("another process")
            if self.pet_gap > WATCHDOG_SECONDS:
                self.misses.append(f"no pet for {self.pet_gap:.1f} s")
        if self.letters == 0:
            self.misses.append("the lamp stood still")

    def measure(self, lags):
        """Deviation of the time between samples from that between the simulator's frames."""
        mine = [(at, lag) for at, lag in lags if self.start <= at <= self.finish]
        steps = sorted(abs(b[1] - a[1]) for a, b in zip(mine, mine[1:]) if b[0] - a[0] < 1.5)
        self.samples = len(mine)
        self.p50 = steps[len(steps) // 2] if steps else 0.0
        self.worst = steps[-1] if steps else 0.0
        gaps = [b[0] - a[0] for a, b in zip(mine, mine[1:])]
        self.longest = max(gaps, default=0.0)
        if not steps:
            self.misses.append("no samples")
        self.machine = max((late for at, late in self.station.late
                            if self.start <= at <= self.finish), default=0.0)
        if self.worst > JITTER_SECONDS + self.machine:
            self.misses.append(f"jitter {self.worst * 1000:.0f} ms")
        if not self.may_restart and self.longest > 1.5:
            self.misses.append(f"no sample for {self.longest:.1f} s")


def kill(station, fault, options):
    fault.may_restart = True
    generator = random.Random(options.seed)
    for _ in range(options.kills):
        station.pause(generator.uniform(4.0, 14.0))
        station.kill()
        station.start()
    station.pause(5)


def full(station, fault, options):
    station.pause(2)
    give_back = station.card.fill(os.path.join(station.card.mount, "filler"))
    try:
        station.pause(options.seconds / 2)
        # The history needs room when it is opened and closed.
        station.kill()
        station.start()
        fault.pid, fault.start = station.daemon.pid, now() + 3
        station.pause(options.seconds)
    finally:
        give_back()


def eio(station, fault, options):
    give_back = station.card.break_journal(os.path.join(station.store, "journal.ring"), 40)
    try:
        station.pause(max(options.seconds, 25))
        if not station.has_trouble():
            fault.misses.append("the fault did not show")
    finally:
        give_back()


def blocks(station, fault, options):
    system("fsfreeze", "-f", station.card.mount)
    try:
        station.pause(options.block_seconds)
    finally:
        system("fsfreeze", "-u", station.card.mount)


def readonly(station, fault, options):
    station.card.fail()
    station.pause(max(options.seconds, 25))
    if not station.has_trouble():
        fault.misses.append("the fault did not show")
    end = now() + RECOVERY_SECONDS
    while not station.card.repair():
        if now() > end:
            fault.misses.append("the card is held, it cannot be unmounted")
            return
        station.pause(0.1)


FAULTS = {"kill": kill, "full": full, "eio": eio, "blocks": blocks, "readonly": readonly}


def lags(station):
    """Samples as a client saw them: when, and how long after the simulator had sent them."""
    sent, found, index = station.sent(), [], 0
    for at in sorted(station.live.samples):
        while index + 1 < len(sent) and sent[index + 1] <= at + 0.002:
            index += 1
        if sent:
            found.append((at, at - sent[index]))
    return found


def account(station):
    """What the history has of the samples seen live, and what the ledger says of the rest."""
    text = station.check.roost("export", "--format", "ndjson", "--store", station.store, status=0).stdout
    stored = {}
    for sample in objects(text):
        values = {n: c.get("value") for n, c in sample["channels"].items()}
        stored.setdefault(round(float(sample["tick"]) * 10), []).append(values)
    missing = []
    for at, values in sorted(station.live.samples.items()):
        around = [s for t in (-1, 0, 1) for s in stored.get(int(at * 10) + t, [])]
        if not any(all(s.get(n) == v for n, v in values.items()) for s in around):
            missing.append(at)
    doubles = sum(len(s) - 1 for s in stored.values())
    answer = station.check.roost("ledger", "--json", "--store", station.store, status=0)
    line = json.loads(answer.stdout)["items"][0]
    gaps = {gap["cause"]: gap["seconds"] for gap in line["gaps"]}
    return {"seen": len(station.live.samples), "stored": sum(map(len, stored.values())),
            "missing": len(missing), "doubles": doubles, "lost": line["lostCount"],
            "gaps": gaps}


def table(faults, result):
    print(f"{'fault':10} {'seconds':>8} {'samples':>8} {'p50 ms':>7} {'max ms':>7} {'idle':>7} "
          f"{'pet gap s':>9} {'letters':>8} {'back after s':>12}  result")
    for fault in faults:
        words = "; ".join(fault.misses) or "ok"
        print(f"{fault.name:10} {fault.finish - fault.start:8.0f} {fault.samples:8} "
              f"{fault.p50 * 1000:7.1f} {fault.worst * 1000:7.1f} "
              f"{fault.machine * 1000:7.1f} {fault.pet_gap:9.1f} "
              f"{fault.letters:8} {fault.recovered:12.1f}  {words}")
    gaps = ", ".join(f"{cause} {seconds:.1f} s" for cause, seconds in result["gaps"].items())
    print(f"samples: {result['seen']} seen live, {result['stored']} in the history, "
          f"{result['missing']} of the seen missing, {result['doubles']} twice, "
          f"{result['lost']} given up and marked\nledger: {gaps or 'no gaps'}\n"
          f"load: {' '.join(f'{load:.1f}' for load in os.getloadavg())}, {os.cpu_count()} processors")


def judge(result):
    misses = []
    if result["missing"] > result["lost"]:
        misses.append(f"{result['missing'] - result['lost']} acknowledged samples are lost")
    if result["doubles"]:
        misses.append(f"{result['doubles']} samples are stored twice")
    if result["gaps"].get("unexplained", 0) > 0:
        misses.append(f"{result['gaps']['unexplained']:.1f} s are unexplained")
    return misses


def arguments(parser):
    parser.add_argument("faults", nargs="*", choices=[*FAULTS, []], default=[], metavar="FAULT",
                        help=f"{', '.join(FAULTS)} (all)")
    parser.add_argument("--long", action="store_true", help="the card blocks for 10 min")
    parser.add_argument("--seconds", type=float, default=30, help="of a fault (30)")
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")


def obstacle(options):
    if os.geteuid() != 0:
        return "it mounts file systems and needs root"
    absent = [tool for tool in TOOLS if shutil.which(tool) is None]
    if absent:
        return f"{', '.join(absent)} missing"
    if system("losetup", "-f", check=False).returncode != 0:
        return "there is no loop device"
    if PRIVATE not in os.environ:
        # In a mount namespace of its own nothing stays mounted, whatever ends this.
        os.environ[PRIVATE] = "1"
        os.execvp("unshare", ["unshare", "-m", "--propagation", "private", sys.executable, *sys.argv])
    return None


def play(station, options):
    station.plug()
    station.start()
    station.pause(15)
    faults = []
    for name in options.faults or FAULTS:
        fault = Fault(name, station)
        faults.append(fault)
        print(f"faults: {name}", file=sys.stderr, flush=True)
        FAULTS[name](station, fault, options)
        fault.await_recovery()
        station.pause(12)
        fault.end()
    station.stop()
    known = lags(station)
    for fault in faults:
        fault.measure(known)
    return faults, account(station)


def run(check, options):
    options.block_seconds = 600.0 if options.long else 60.0
    os.makedirs(MIRROR, exist_ok=True)
    system("mount", "-t", "tmpfs", "none", MIRROR)
    card = Card(check.folder)
    check.ends(card)
    faults, result = play(FaultyStation(check, card), options)
    misses = judge(result) + [f"{f.name}: {m}" for f in faults for m in f.misses]
    if options.json:
        rows = [{k: v for k, v in vars(f).items() if k != "station"} for f in faults]
        print(json.dumps({"faults": rows, **result, "misses": misses}, indent=1))
    else:
        table(faults, result)
    for miss in misses:
        check.demand(False, miss)
