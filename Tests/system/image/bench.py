"""What the cases of an image share: cards, boards, the sensor, and questions to the station."""

import glob
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

from ..check import ROOT, Failed

sys.path.append(os.path.join(ROOT, "Tests", "Lab"))

import board  # noqa: E402
from adapter import Sensor  # noqa: E402
from ch340 import CH340  # noqa: E402
from machine import Failed as LabFailed  # noqa: E402

PORT = "/dev/roost/port-platform-4010000000.pcie-pci-0000:00:10.0-usb-0:1:1.0"
WINDOW = 10  # Seconds that a power cut may cost in these cases, the smallest of the configuration.
SLACK = 25  # An emulated board under load writes that late.
# Live, with a short window, so that a cut has something to lose.
STATION = {"name": "board", "mode": "live", "claim": {"window": True},
           "store": {"journal": "auto", "megabytes": 16, "lossWindowSeconds": WINDOW},
           "devices": [{"name": "dust", "type": "sds011", "warmUpSeconds": 1, "windowSeconds": 1,
                        "port": PORT}]}


class Bench:
    """One run of the check: its folder, the image, and what was found."""

    def __init__(self, check, image, options):
        self.check, self.image, self.options = check, image, options
        self.chance = random.Random(options.seed)
        self.figures, self.sensor_number = {}, 0
        self.boot = check.path("u-boot.bin")
        parts = sorted(glob.glob(os.path.join(ROOT, ".build-image/cache/parts-*/u-boot-qemu_*.deb")))
        if not parts:
            raise Failed("no U-Boot for QEMU in .build-image/cache: run scripts/image first")
        with open(self.boot, "wb") as file:
            subprocess.run(f"dpkg-deb --fsys-tarfile '{parts[-1]}' | "
                           "tar -xO ./usr/lib/u-boot/qemu_arm64/u-boot.bin",
                           shell=True, check=True, stdout=file)

    def wants(self, part):
        """Whether a part of a case is asked for."""
        return not self.options.only or part in self.options.only

    def evidence(self, name):
        folder = self.check.path(name)
        os.makedirs(folder, exist_ok=True)
        return folder

    def card(self, name, configuration=None, size=4096, image=None):
        """A card of `size` MiB with the image or another one, its kernel's words on the serial port, and the agent."""
        path = board.fresh(image or self.image, self.check.path(f"{name}.card"), size << 20)
        board.set_words(path)
        if configuration:
            board.write_data(path, "system/etc/roost/roost.json", json.dumps(configuration))
        return path

    def board(self, name, card, usb=(CH340.device,), **options):
        return board.Board(self.boot, card, self.evidence(name), usb=usb, **options)

    def sensor(self):
        """An SDS011 behind a CH340, not plugged in yet."""
        self.sensor_number += 1
        folder = self.check.path(f"sensor{self.sensor_number}")
        os.makedirs(folder)
        return self.check.ends(Sensor(self.check.program("roost"), folder))

    def plug(self, machine, sensor):
        adapter = CH340(sensor, machine.adapter_path(0))
        adapter.plug()
        return adapter

    def figure(self, name, value):
        self.figures[name] = value
        self.check.say(f"  {name}: {value}")

    def close(self, *cards):
        for card in cards:
            if not self.options.keep:
                os.remove(card)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def page(port, path="/"):
    """(status, text) of the dashboard, or None while nothing answers."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=20) as answer:
            return answer.status, answer.read().decode(errors="replace")
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(errors="replace")
    except (OSError, ValueError):
        return None


def ask(port, path):
    """What the dashboard's API answers to anyone."""
    answer = page(port, f"/api/v1/{path}")
    if not answer or answer[0] != 200:
        raise LabFailed(f"GET /api/v1/{path}: {answer}")
    return json.loads(answer[1])


def claim(port, person):
    """Makes the first account, in the window after a new station was switched on."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/v1/claim", json.dumps(person).encode(), method="POST",
        headers={"Content-Type": "application/json", "Origin": f"http://127.0.0.1:{port}"})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        raise LabFailed(f"the claim: {error.code} {error.read().decode(errors='replace')}") from None


def wait_for_page(machine, port, limit):
    """Seconds from power on until the dashboard answers."""
    while machine.seconds() < limit:
        answer = page(port)
        if answer and answer[0] == 200:
            return machine.seconds()
        if machine.process.poll() is not None:
            break
        time.sleep(1)
    raise LabFailed(f"no page within {limit} s")


ASKED = ("roost readings --limit 10000 --json 2>/dev/null | grep '/pm25\"' | grep -c '\"value\"'")


def values(machine):
    status, said = machine.run(ASKED, 120, check=False)
    words = said.split()
    return int(words[-1]) if status in (0, 1) and words and words[-1].isdigit() else 0


def wait_for_value(machine, limit):
    """Seconds from power on until a value is there."""
    while machine.seconds() < limit:
        if values(machine) > 0:
            return machine.seconds()
        time.sleep(2)
    raise LabFailed(f"no value within {limit} s")


def remove(path):
    shutil.rmtree(path, ignore_errors=True)
