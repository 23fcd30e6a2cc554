"""A running station is killed at random moments, its sensor frozen and unplugged.

Starts the SDS011 simulator on a pseudo-terminal and roostd on it, then, round after round, one of:

  kill     SIGKILL to roostd, and start it again
  freeze   SIGSTOP to the simulator for some seconds, then SIGCONT
  unplug   SIGKILL to the simulator; it comes back under the same link
  stop     SIGTERM to roostd, and start it again

and asserts after each that readings resume, that no lamp shows a wrong level for longer than one
sample, and that every orderly stop ends in time, with all lamps off and the sensor asleep, which the
simulator's own trace must show. Same seed, same rounds; what happens in between is the machine's.
"""

import json
import random
import signal
import subprocess
import time

from ..check import Failed, now
from ..watch import COLOURS, SAMPLE_SECONDS, WatchedStation

PRODUCTS = ("roost", "roostd")
STOP_SECONDS = 10.0  # An orderly stop takes at most this.
RESUME_SECONDS = 60.0  # From the end of a fault to the next value.
WAVE_SECONDS = 24.0


class Station(WatchedStation):
    """The watched station, with its orderly stops held against what they promise."""

    def __init__(self, check):
        super().__init__(check, "torture", detect=False)
        self.said_before = 0
        self.slowest = {"resume": 0.0, "stop": 0.0}

    def plug(self):
        self.said_before = 0
        return super().plug()

    def start(self):
        with open(self.log_path, "ab") as log:
            log.write(f"--- start at {now():.3f}\n".encode())  # Tells the lives apart.
        super().start()
        self.said_before = len(self.trace.exchange)

    def kill(self):
        super().kill()
        self.pause(0.02)  # Its last letters are not the next one's.

    def stop(self):
        """SIGTERM, then everything an orderly stop promises."""
        # Before it handles signals, no stop is orderly.
        while not self.ask("status"):
            self.look()
        began = now()
        self.watch.went_down()  # Its last letters belong to the stop.
        self.daemon.terminate()
        try:
            status = self.daemon.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            raise Failed(f"no orderly stop within {STOP_SECONDS:.0f} s") from None
        self.slowest["stop"] = max(self.slowest["stop"], now() - began)
        if status != 0:
            raise Failed(f"an orderly stop ended with status {status}")
        time.sleep(0.2)  # The trace and the FIFO are read by others.
        self.look()
        # One that never reached its port owes the sensor nothing.
        has_spoken = len(self.trace.exchange) > self.said_before
        if has_spoken and not self.trace.asleep():
            raise Failed(f"sensor not asleep after an orderly stop; last: {self.trace.last()}")
        if self.watch.letter not in (None, "-"):
            raise Failed(f"lamp {self.watch.letter} after an orderly stop")

    def await_reading(self, after):
        """Waits until the station has a value that is newer than `after`."""
        while now() < after + RESUME_SECONDS:
            newest = max((reading["instantSeconds"] for reading in self.ask("readings")
                          if reading.get("value") is not None), default=0)
            if newest > after:
                self.slowest["resume"] = max(self.slowest["resume"], newest - after)
                return
            self.pause(0.25)
        status = json.dumps(self.ask("status"))
        raise Failed(f"no reading within {RESUME_SECONDS:.0f} s; status: {status}")


def schedule(kills, generator):
    """All kills, and every other fault at least once, in random order."""
    others = ["freeze", "unplug", "stop"] * max(1, kills // 6)
    actions = ["kill"] * kills + others
    generator.shuffle(actions)
    return actions


def play(station, action, generator):
    """Does one action; returns its description, and whether readings are awaited after it."""
    if action == "kill":
        # Some die in their first moments, some while they measure.
        station.pause(generator.uniform(0.0, 2.0))
        station.kill()
        station.start()
        if generator.random() < 0.4:
            station.pause(generator.uniform(0.0, 0.3))
            return "kill, the next one soon", False
        return "kill", True
    if action == "freeze":
        seconds = generator.uniform(1.0, 6.0)
        station.part.process.send_signal(signal.SIGSTOP)
        station.pause(seconds)
        station.part.process.send_signal(signal.SIGCONT)
        return f"freeze {seconds:.1f} s", True
    if action == "unplug":
        seconds = generator.uniform(0.2, 4.0)
        station.part.unplug()
        station.pause(seconds)
        station.plug()
        return f"unplug {seconds:.1f} s", True
    station.stop()
    station.pause(generator.uniform(0.0, 1.0))
    station.start()
    return "stop", True


def torture(station, kills, seed):
    station.plug()
    station.start()
    station.await_reading(now())
    station.check.say("the station measures")
    generator = random.Random(seed)
    for number, action in enumerate(schedule(kills, generator), 1):
        text, is_awaited = play(station, action, generator)
        if is_awaited:
            station.await_reading(now())
        print(f"  {number:4} {text}", flush=True)
    end = now() + WAVE_SECONDS + RESUME_SECONDS
    while now() < end and not set(COLOURS) <= station.watch.colours:
        station.pause(SAMPLE_SECONDS)
    station.stop()
    if not set(COLOURS) <= station.watch.colours:
        raise Failed(f"the lamp showed only {sorted(station.watch.colours)} in all that air")


def arguments(parser):
    parser.add_argument("--kills", type=int, default=3, help="3 is short, 100 is long (3)")
    parser.add_argument("--seed", type=int, help="of the rounds (taken from the time)")


def run(check, options):
    seed = options.seed if options.seed is not None else int(time.time()) % 1_000_000
    check.say(f"seed {seed}, {options.kills} kills")
    station = Station(check)
    try:
        torture(station, options.kills, seed)
    except (Failed, OSError) as problem:
        place = f"--binaries {options.binaries}" if options.binaries else f"--build {options.build}"
        raise Failed(f"{problem}\n  replay: scripts/check torture --kills {options.kills} "
                     f"--seed {seed} {place}") from None
    slow, counts = station.slowest, station.watch.counts
    return (f"{options.kills} kills, {station.plug_count - 1} unplugs, {counts['samples']} samples, "
            f"{counts['letters']} lamp letters; slowest resume {slow['resume']:.1f} s, "
            f"slowest stop {slow['stop']:.2f} s")
