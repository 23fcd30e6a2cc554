"""I²C buses without hardware below a roostd: the script of `Tests/Support/i2c-standin.c`, and what was transferred."""

import os

from . import standin
from .check import Failed, until

START_SECONDS = 60


class Buses:
    """What is on each bus: by bus and address what each command answers, faults included. Nothing before `put`."""

    def __init__(self, check):
        self.path, self.trace = check.path("i2c-script"), check.path("i2c-trace")

    def put(self, parts):
        """Has these parts on the buses and no others: {(1, "76"): {"d0": "60"}, (1, "*"): {"!low": ""}}."""
        with open(self.path + ".new", "w", encoding="ascii") as file:
            for (bus, address), answers in parts.items():
                file.writelines(f"{bus} {address} {command} {answer}\n" for command, answer in answers.items())
        os.replace(self.path + ".new", self.path)

    def start(self, station):
        """Starts a station over the buses; it answers when this returns."""
        station.start(env={**os.environ, "LD_PRELOAD": standin.preload("i2c"),
                           "ROOST_I2C_SCRIPT": self.path, "ROOST_I2C_TRACE": self.trace})
        if not until(station.status, START_SECONDS):
            raise Failed(f"no station: {station.log()[-400:]}")

    def transfers(self, place):
        """What a part was written or was read of, as the words of each line: ["w", "0104"]."""
        with open(self.trace, encoding="ascii") as file:
            return [line.split()[2:] for line in file if line.split()[:2] == [str(place[0]), place[1]]]
