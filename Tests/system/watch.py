"""A station whose light and sensor are watched while it runs: whether they agree, and whether it lives."""

import os
import re
import threading
import time

from .check import Failed, now
from .station import Part, Station

SAMPLE_SECONDS = 1.0  # The SDS011 reports once a second (datasheet V1.3).
MACHINE_SECONDS = 0.5  # What a busy test machine may add to a sample.
STALE_SECONDS = 15.0  # An old value never looks live: no colour without a frame for longer.
COLOURS = "GYR"

# sample-levels: (red, yellow) from here up, in µg/m³. On the way down a level holds until the value
# is this much below it, so both letters are right in between.
LEVELS = {"pm25": (5.0, 3.0), "pm10": (15.0, 10.0)}
HYSTERESIS = {"pm25": 0.5, "pm10": 1.5}


def level(pm25, pm10):
    """0 green, 1 yellow, 2 red."""
    pairs = ((pm25, LEVELS["pm25"]), (pm10, LEVELS["pm10"]))
    return max(2 if value >= red else 1 if value >= yellow else 0 for value, (red, yellow) in pairs)


def right_letters(pm25, pm10):
    """The letters that are right for a sample, whatever came before it."""
    low = level(pm25, pm10)
    high = level(pm25 + HYSTERESIS["pm25"], pm10 + HYSTERESIS["pm10"])
    return COLOURS[low : high + 1]


class Trace:
    """Follows the simulator's trace: `seconds > hex` from the host, `seconds < hex` to it."""

    def __init__(self, path):
        self.path = path
        self.offset = 0
        self.rest = ""
        self.bytes = {">": bytearray(), "<": bytearray()}
        self.exchange = []  # ("command" or "reply", cmd, d2, d3), in the order of the trace.

    def frames(self):
        """New measurement frames since the last call, as (pm25, pm10)."""
        found = []
        try:
            with open(self.path, encoding="ascii") as file:
                file.seek(self.offset)
                text = file.read()
                self.offset = file.tell()
        except FileNotFoundError:
            return found
        lines = (self.rest + text).split("\n")
        self.rest = lines.pop()
        for line in lines:
            parts = re.match(r"\s*([0-9.]+)\s*([<>])\s*([0-9A-Fa-f ]*)$", line)
            if parts is None:
                continue
            way = parts.group(2)
            self.bytes[way] += bytes.fromhex(parts.group(3))
            found += self.parse(way)
        return found

    def parse(self, way):
        size = 19 if way == ">" else 10
        found, buffer = [], self.bytes[way]
        while len(buffer) >= size:
            frame = bytes(buffer[:size])
            is_framed = frame[0] == 0xAA and frame[-1] == 0xAB
            if not is_framed or sum(frame[2:-2]) & 0xFF != frame[-2]:
                del buffer[0]
                continue
            del buffer[:size]
            if way == ">":
                self.exchange.append(("command", frame[2], frame[3], frame[4]))
            elif frame[1] == 0xC5:
                self.exchange.append(("reply", frame[2], frame[3], frame[4]))
            elif frame[1] == 0xC0:
                found.append(((frame[2] | frame[3] << 8) / 10, (frame[4] | frame[5] << 8) / 10))
        return found

    def asleep(self):
        """True when the last command put the sensor to sleep and the sensor said yes."""
        last = max((i for i, e in enumerate(self.exchange) if e[0] == "command"), default=None)
        if last is None or self.exchange[last] != ("command", 6, 1, 0):
            return False
        return ("reply", 6, 1, 0) in self.exchange[last:]

    def last(self):
        words = [" ".join([e[0]] + [f"{b:02X}" for b in e[1:]]) for e in self.exchange[-6:]]
        return ", ".join(words) or "nothing"


class Lamp:
    """Reads the letters of `lights.output` from a FIFO, with the moment of each."""

    def __init__(self, path):
        os.mkfifo(path)
        # For reading and writing: no end of file while roostd is down.
        self.descriptor = os.open(path, os.O_RDWR)
        self.letters = []
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        while True:
            for byte in os.read(self.descriptor, 4096):
                if chr(byte) in "GYRUF-":
                    self.letters.append((now(), chr(byte)))


class Watch:
    """Compares lamp and samples while the station runs; remembers what was wrong."""

    def __init__(self, lamp):
        self.lamp = lamp
        self.seen = 0
        self.letter = None  # None: this roostd has not said anything yet.
        self.sample = None
        self.sample_at = None
        self.wrong_since = None
        self.is_up = False
        self.counts = {"samples": 0, "letters": 0}
        self.colours = set()

    def went_up(self):
        self.is_up, self.letter, self.sample, self.wrong_since = True, None, None, None

    def went_down(self):
        self.is_up, self.wrong_since = False, None

    def look(self, frames):
        at = now()
        for frame in frames:
            if frame != (0.0, 0.0):  # All zero: warming up, by agreement of its users.
                self.sample, self.sample_at = frame, at
                self.counts["samples"] += 1
        for _, letter in self.lamp.letters[self.seen :]:
            self.letter = letter
            self.colours.add(letter)
            self.counts["letters"] += 1
        self.seen = len(self.lamp.letters)
        if not self.is_up or self.letter is None or self.letter not in COLOURS:
            self.wrong_since = None
            return
        if self.sample is None or self.letter in right_letters(*self.sample):
            self.wrong_since = None
        elif self.wrong_since is None:
            self.wrong_since = at
        elif at - self.wrong_since > SAMPLE_SECONDS + MACHINE_SECONDS:
            wanted = right_letters(*self.sample)
            raise Failed(f"lamp {self.letter} where {self.sample} wants {wanted}, "
                         f"for {at - self.wrong_since:.1f} s")
        if self.sample_at is not None and at - self.sample_at > STALE_SECONDS:
            raise Failed(f"lamp {self.letter} with no sample for {at - self.sample_at:.0f} s")


class WatchedStation(Station):
    """A station in live mode with one SDS011 in waves of air, watched in every `look`."""

    def __init__(self, check, name, **config):
        self.link, self.light = check.path("sds011"), check.path("light")
        self.watch, self.trace, self.part, self.plug_count = Watch(Lamp(self.light)), None, None, 0
        super().__init__(
            check, name, mode="live", lights={"output": self.light},
            devices=[{"name": "balcony", "type": "sds011", "port": self.link}], **config)

    def plug(self):
        self.plug_count += 1
        self.trace = Trace(self.check.path(f"trace.{self.plug_count}"))
        # Up and down through all three levels.
        self.part = Part(self.check, "sds011", "--air", "waves", link=self.link, trace=self.trace.path)
        return self.part.place

    def start(self, **options):
        super().start(**options)
        self.watch.went_up()

    def kill(self):
        self.watch.went_down()
        return super().kill()

    def look(self):
        self.watch.look(self.trace.frames())
        # A station that ends by itself has not survived.
        if self.watch.is_up and self.daemon.poll() is not None:
            raise Failed(f"roostd ended by itself, status {self.daemon.returncode}")

    def pause(self, seconds):
        end = now() + seconds
        while now() < end:
            self.look()
            time.sleep(0.02)
