"""`roost bus` of a real roostd over a folder in the place of sysfs and /dev, with a stand-in for the questions to a bus.

No bus, no module, no rights, a busy address, a bus that answers everywhere, one that hangs: each with its next step. Then a
part is found, used and forgotten: the command of the service of root runs beside it, and this module plays the kernel.
"""

import contextlib
import os
import shutil
import subprocess
import threading

from . import i2c
from .check import until
from .checks import bus
from .station import Station

ANSWER_SECONDS = 60
BUS = "sys/bus/i2c/devices/i2c-1"
# Registers of one byte and of two, two parts without any, one that a driver has.
WELL = {(1, "76"): {"d0": "60"}, (1, "40"): {"ff": "1050"}, (1, "23"): {"-": "00"}, (1, "5c"): {"-": "00"},
        (1, "48"): {"!busy": ""}}
LOW, HANGS, DENIED = ({(1, "*"): {fault: ""}} for fault in ("!low", "!timeout", "!denied"))


class Bench:
    """A machine's folder with one bus, and a station over it that answers."""

    def __init__(self, check):
        self.check, self.root, self.deleted = check, check.path("machine"), None
        for folder in ("run/roost", "var/lib/roost"):
            os.makedirs(os.path.join(self.root, folder))
        self.station = Station(check, "bus", ("--buses", self.root), store={"folder": check.path("bus-store")})
        self.buses = i2c.Buses(check)
        self.buses.start(self.station)

    def path(self, *names):
        return os.path.join(self.root, *names)

    def put(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="ascii") as file:
            file.write(text)

    def part(self, place, name, driver=None):
        """What the kernel shows of a part that it knows."""
        self.put(f"sys/bus/i2c/devices/{place}/name", name + "\n")
        if driver:
            os.symlink(f"../../drivers/{driver}", self.path("sys/bus/i2c/devices", place, "driver"))

    def say(self, *words):
        """`roost bus …`; its status, and what it says."""
        done = self.station.roost("bus", *words, timeout=90)
        return done.returncode, done.stdout + done.stderr

    def demand(self, what, status, *texts, words=()):
        found, said = self.say(*words)
        self.check.demand(found == status and all(text in said for text in texts), f"{what}: status {found}\n{said}")

    def machine(self):
        """A bus of a header, whose device file is not there yet, and one of a PC."""
        self.put(f"{BUS}/name", "bcm2835 (i2c@7e804000)\n")
        self.put("sys/bus/i2c/devices/i2c-2/name", "SMBus I801 adapter at efa0\n")
        for name in ("new_device", "delete_device"):
            self.put(f"{BUS}/{name}", "")

    def written(self, name):
        """What root would have written to a file of the bus."""
        with open(self.path(BUS, name), encoding="ascii") as file:
            return file.read()

    def hold(self):
        """Has each writer to `delete_device` wait, as the kernel does until the part is gone."""
        os.remove(self.path(BUS, "delete_device"))
        os.mkfifo(self.path(BUS, "delete_device"))

    def let_go(self, place):
        """Once root is about to take a part back: removes it, and lets root go on."""
        until(lambda: " kept" in self.result(), ANSWER_SECONDS)
        shutil.rmtree(self.path("sys/bus/i2c/devices", place))
        pipe = os.open(self.path(BUS, "delete_device"), os.O_RDONLY | os.O_NONBLOCK)
        with os.fdopen(pipe, "rb", buffering=0) as file:
            self.deleted = (until(file.read, ANSWER_SECONDS, 0.02) or b"").decode()

    def result(self):
        """What root wrote last of what it did or is about to do."""
        with contextlib.suppress(OSError), open(self.path("run/roost-bus/result"), encoding="ascii") as file:
            return file.read()
        return ""

    def bind(self, then=lambda: None):
        """Plays systemd and the kernel, once the station has woken them: runs the command of the service of root."""
        def run():
            wanted = self.path("run/roost/bus-wanted")
            if until(lambda: os.path.exists(wanted), ANSWER_SECONDS):
                os.remove(wanted)
                command = subprocess.Popen([self.check.program("roost"), "bus", "bind", "--root", self.root],
                                           stdout=subprocess.PIPE, text=True)
                then()
                self.said = command.communicate(timeout=ANSWER_SECONDS)[0]
        root = threading.Thread(target=run)
        root.start()
        return root


def run(check):
    bench = Bench(check)
    bench.demand("no bus", 1, "no I²C bus", "dtparam=i2c_arm=on")
    bench.machine()
    bench.demand("no device file", 1, "i2c-dev is not loaded", "sudo modprobe i2c-dev", "i2c-2 is left alone")
    bench.put("dev/i2c-1", "")  # Whose file it is, is said.
    bench.buses.put(DENIED)
    bench.demand("no rights", 1, "may not be opened", "next: ")
    bench.buses.put(LOW)
    bench.demand("a line held low", 1, "answers at every address", "SDA")
    bench.buses.put(HANGS)
    bench.demand("a bus that hangs", 1, "i2c-1 hangs", "one by one")
    bench.buses.put(WELL)
    bench.part("1-0048", "lm75", "lm75")
    bench.demand("parts", 0, "0x76  this looks like Bosch BME280", "roost bus use 0x76`", "0x48  lm75, which the kernel's driver lm75 has",
                 "0x23  something answers; parts with this address: ROHM BH1750", "0x5c  something answers",
                 "0x40  this looks like Texas Instruments HDC1000", "dtoverlay=w1-gpio")
    check.say("no bus, no module, no rights, SDA low, a bus that hangs: each is said with its next step; parts are named")

    bench.demand("a part in use", 1, "in use already", words=("use", "0x48"))
    bench.demand("a wrong name", 1, "no profile has a part bme28", "did you mean bme280?", words=("use", "0x76", "--as", "bme28"))
    bench.demand("nothing there", 1, "nothing known answers", words=("use", "0x62"))
    root = bench.bind(lambda: until(lambda: bench.written("new_device"), ANSWER_SECONDS)
                      and bench.part("1-0076", "bme280", "bmp280"))
    bench.demand("a part that is used", 0, "has the kernel's driver bmp280", words=("use", "0x76"))
    root.join()
    check.same(bench.written("new_device"), "bme280 0x76\n", "what root wrote")
    bench.demand("a part on the list", 0, "0x76  bme280, which the kernel's driver bmp280 has", "at each start")
    bench.hold()
    root = bench.bind(lambda: bench.let_go("1-0076"))
    bench.demand("a part that is forgotten", 0, "not used any more", words=("forget", "0x76"))
    root.join()
    check.same(bench.deleted, "0x76\n", "what root took back")
    kinds = {event.get("kind") for event in bench.station.ask("events")}
    check.demand({"bus part use asked for", "bus part bound", "bus part forget asked for"} <= kinds, f"events: {sorted(kinds)}")

    bench.put("var/lib/roost/bus/parts", "1 0x76 bme280; reboot\n1 0x76 evil\n9 0x76 bme280\n../1 0x76 bme280\n1 0x48 tmp102\n")
    said = subprocess.run([check.program("roost"), "bus", "bind", "--root", bench.root], capture_output=True, text=True, check=False)
    for text in ("refused, as it is no part: 1 0x76 bme280; reboot", "1 0x76 evil: unknown", "9 0x76 bme280: no-bus", "1 0x48 tmp102: taken lm75"):
        check.demand(text in said.stdout, f"a list that root must not believe, without '{text}': {said.stdout}{said.stderr}")
    check.same(bench.written("new_device"), "bme280 0x76\n", "what root wrote for a list that it must not believe")
    check.say("a part is used and forgotten by the list that root reads; what is wrong in it is refused by name")

    bench.buses.put({(1, "62"): bus.PARTS["scd41"][3]})
    bench.demand("a part without a driver", 0, "read without a driver", words=("use", "0x62", "--as", "sensirion-scd4x-direct"))
    bench.demand("a part that is read without a driver", 0, "0x62  read without a driver as scd4x")
    bench.demand("its end", 0, "not read any more", words=("forget", "0x62"))
    check.same(bench.station.stop(), 0, "the station's end")
