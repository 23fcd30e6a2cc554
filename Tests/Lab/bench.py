"""What the lab's cases share: the registry, the workbench, and questions to a station."""

import os
import shutil
import tempfile

from adapter import Sensor
from machine import Failed, Machine

CASES = {}
PORT = "/dev/roost/port-pci-0000:00:10.0-usb-0:1:1.0"
PORT_2 = "/dev/roost/port-pci-0000:00:10.0-usb-0:2:1.0"

# The lines of the simulated chip, and where the kernel has them.
LINES = {17: "GPIO17", 9: "GPIO9", 10: "GPIO10", 11: "GPIO11"}
SIMULATED = "/sys/devices/platform/gpio-sim.0/gpiochip*/sim_gpio"


class Skipped(Exception):
    """Why a case cannot run here."""


def case(function):
    CASES[function.__name__] = function
    return function


class Lab:
    """What a case works with, and what it found."""

    def __init__(self, root, guest, share, evidence, binaries):
        self.root, self.guest, self.share, self.evidence = root, guest, share, evidence
        self.roost = os.path.join(binaries, "roost")
        self.folder = tempfile.mkdtemp(prefix="roost-lab-case-")
        self.figures, self.sensors = {}, []

    def machine(self, **devices):
        return Machine(self.guest, self.share, self.evidence, **devices)

    def sensor(self, *options):
        folder = tempfile.mkdtemp(dir=self.folder)
        self.sensors.append(Sensor(self.roost, folder, *options))
        return self.sensors[-1]

    def figure(self, name, value):
        self.figures[name] = value

    def keep(self, name, text):
        with open(os.path.join(self.evidence, name), "w", encoding="utf-8") as file:
            file.write(text)

    def close(self):
        for sensor in self.sensors:
            shutil.copy(sensor.trace, os.path.join(self.evidence, "sensor-trace.txt"))
            sensor.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def demand(condition, words):
    if not condition:
        raise Failed(words)


def configuration(*devices, more=""):
    return ('{ "name": "lab", "mode": "live", "store": { "megabytes": 16 }, "devices": ['
            + ", ".join(devices) + "]" + more + " }\n")


def dust(port=PORT, name="dust"):
    return (f'{{ "name": "{name}", "type": "sds011", "port": "{port}",'
            ' "warmUpSeconds": 1, "windowSeconds": 1 }')


def install(machine, text, binaries="/lab/bin"):
    """Installs and starts the station with this configuration, as an owner does."""
    machine.write("/etc/roost/roost.json", text)
    return machine.run(f"/lab/scripts/install --prefix=/usr --binaries={binaries}", 400)


def show(machine, properties):
    """Properties of the service, as systemd says them."""
    lines = machine.run(f"systemctl show roostd -p {properties}").splitlines()
    return dict(line.split("=", 1) for line in lines)


def has_value(channel="dust/pm25"):
    """Shell words that are true when the channel has a value younger than 5 s."""
    return f"roost status | grep -E '{channel} .* µg/m³ +[0-4]\\.[0-9] s ago'"


def reading_count(machine):
    return int(machine.run("roost readings --json --limit 10000 2>/dev/null | wc -l"))


def journal(lab, machine, name="journal.txt"):
    text = machine.run("journalctl -o short-monotonic --no-pager -u roostd")
    lab.keep(name, text)
    return text


def add_chip(machine):
    """A chip as a Pi 4 has it: its label, its 28 lines, the names that we use."""
    if machine.run("modprobe gpio-sim", check=False)[0] != 0:
        raise Skipped("no module gpio-sim: see build/modules.log in .build-lab/guest")
    lines = "; ".join(f"mkdir pi/bank0/line{number}; echo {name} >pi/bank0/line{number}/name"
                      for number, name in LINES.items())
    machine.run("cd /sys/kernel/config/gpio-sim && mkdir -p pi/bank0 && "
                "echo 28 >pi/bank0/num_lines && echo pinctrl-bcm2711 >pi/bank0/label && "
                f"{lines}; echo 1 >pi/live; udevadm settle; cat /proc/devices | grep gpio")
