"""Devices that are no sensor, on pseudo-terminals, and a roostd whose adapters are a file."""

import fcntl
import glob
import json
import os
import random
import selectors
import termios
import threading
import tty

from ..check import ROOT
from ..station import Station

STRANGERS = ("silent", "gps", "arduino", "printer", "babble")
TALKERS = ("gps", "arduino", "babble")


def shipped():
    """Profiles of sensors on serial lines that name adapters, by id."""
    found = {}
    for path in glob.glob(os.path.join(ROOT, "hardware-profiles", "*.json")):
        with open(path) as file:
            profile = json.load(file)
        if profile.get("kind") == "usb-serial" and profile.get("match"):
            found[profile["id"]] = profile
    return found


class Strangers:
    """What may be behind an adapter and is no sensor: all of them in one thread."""

    def __init__(self):
        self.lines, self.selector, self.over = [], selectors.DefaultSelector(), False
        self.thread = threading.Thread(target=self.run, daemon=True)

    def add(self, kind):
        master, slave = os.openpty()
        tty.setraw(slave)
        flags = fcntl.fcntl(master, fcntl.F_GETFL)
        fcntl.fcntl(master, fcntl.F_SETFL, flags | os.O_NONBLOCK)
        line = {"kind": kind, "master": master, "slave": slave, "heard": b"", "count": 0,
                "chance": random.Random(len(self.lines)), "node": os.ttyname(slave)}
        self.lines.append(line)
        self.selector.register(master, selectors.EVENT_READ, line)
        return line

    def say(self, line):
        line["count"] += 1
        digit = line["count"] % 10
        if line["kind"] == "gps":
            return b"$GPGGA,12351%d,4807.038,N,01131.000,E,1,08,0.9*47\r\n" % digit
        if line["kind"] == "arduino":
            return b"temp=21.%d hum=48\r\n" % digit
        return bytes(line["chance"].randrange(256) for _ in range(96))

    def run(self):
        beat = 0
        while not self.over:
            for key, _ in self.selector.select(0.1):
                line = key.data
                try:
                    line["heard"] += os.read(line["master"], 4096)
                except BlockingIOError:
                    continue
                if line["kind"] == "printer":
                    os.write(line["master"], b"ok\n")
            beat += 1
            for line in self.lines:
                if line["kind"] not in TALKERS or (line["kind"] != "babble" and beat % 10):
                    continue
                try:
                    os.write(line["master"], self.say(line))
                except BlockingIOError:
                    # Nobody reads: what does not fit is lost, as in a UART.
                    termios.tcflush(line["slave"], termios.TCIFLUSH)

    def close(self):
        self.over = True
        if self.thread.is_alive():
            self.thread.join()


class PluggedStation(Station):
    """A roostd whose adapters are a file that a check rewrites, in the form of udev."""

    def __init__(self, check, name, **config):
        self.plugged, self.stamps, self.adapters = {}, 0, check.path(name, "adapters")
        super().__init__(check, name, ("--adapters", self.adapters, "--verbose"), **config)
        self.write()

    def write(self):
        blocks = [
            "\n".join(f"E: {key}={value}" for key, value in properties.items())
            for properties in self.plugged.values()
        ]
        with open(self.adapters + ".new", "w") as file:
            file.write("\n\n".join(blocks) + "\n")
        os.rename(self.adapters + ".new", self.adapters)

    def plug(self, socket, node, usb, serial=None):
        self.stamps += 1
        path = f"/devices/platform/usb1/1-1/1-1.{socket}/1-1.{socket}:1.0"
        self.plugged[socket] = {
            "DEVPATH": f"{path}/ttyUSB{socket}/tty/ttyUSB{socket}", "DEVNAME": node,
            "SUBSYSTEM": "tty", "ID_BUS": "usb", "ID_VENDOR_ID": usb[0], "ID_MODEL_ID": usb[1],
            "ID_USB_INTERFACE_NUM": "00", "ID_PATH": f"platform-usb-0:1.{socket}:1.0",
            "USEC_INITIALIZED": str(self.stamps), **({"ID_SERIAL_SHORT": serial} if serial else {}),
        }
        self.write()

    def unplug(self, socket):
        del self.plugged[socket]
        self.write()

    def found(self):
        """What detection made of each adapter, by node; what is away, by identity."""
        found = self.report("devices").get("found", [])
        return {entry.get("node") or entry["identity"]: entry for entry in found}

    def events(self):
        """What happened, as `roost events` prints it: an object a line."""
        return self.ask("events")

    def close(self):
        super().close()
        if self.daemon is not None:
            status = self.daemon.returncode
            self.check.demand(status == 0, f"roostd of {self.name} ended with {status}")
