"""A station with its dashboard: the simulator, roostd, roost-web."""

import os
import socket
import subprocess

from ..check import Failed, objects, until
from ..station import Part, Station, end
from .files import WWW

START_SECONDS = 20
OWNER = {"name": "Anna Beispiel", "email": "anna@example.org", "password": "a red bicycle in the rain"}


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Dashboard:
    """roost-web before a station."""

    def __init__(self, check, station, *words):
        self.check, self.station, self.words = check, station, words
        self.port, self.process = free_port(), None
        self.address = f"http://127.0.0.1:{self.port}"
        self.claim_socket = check.path(f"claim-{self.port}")
        self.folder = check.path(f"web-{self.port}")
        os.makedirs(self.folder, exist_ok=True)
        check.ends(self)

    @staticmethod
    def offers(check, option):
        answer = subprocess.run([check.program("roost-web"), "--help"], capture_output=True, text=True, check=False)
        return option in answer.stdout

    def start(self):
        command = [self.check.program("roost-web"), "--listen", f"127.0.0.1:{self.port}",
                   "--socket", self.station.socket, "--state", self.folder, "--idle", "0", *self.words]
        if "--www" not in self.words:
            command += ["--www", WWW]
        if "--open" not in self.words and self.offers(self.check, "--claim-socket"):
            command += ["--claim-socket", self.claim_socket]
        with open(self.check.path("web.log"), "ab") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        line = self.process.stdout.readline()
        if "listening" not in line:
            raise Failed(f"roost-web does not start: {line}")

    def stop(self):
        return end(self.process)

    def claim_code(self):
        answer = self.check.roost("claim", "--json", "--socket", self.claim_socket)
        report = next(iter(objects(answer.stdout)), {})
        if not report.get("code"):
            raise Failed(f"roost claim gives no code: {answer.stdout[-200:]}{answer.stderr[-200:]}")
        return report["code"]

    def close(self):
        if self.process is not None:
            end(self.process)
            self.process.stdout.close()


class Balcony:
    """A station with a simulated SDS011 that can be unplugged."""

    def __init__(self, check, name="browser"):
        self.check, self.link = check, check.path("sds011")
        self.plug()
        self.station = Station(
            check, name, devices=[{"name": "dust", "type": "sds011", "port": self.link}],
            store={"folder": check.path(name + "-store")}, reach=["loopback"])
        self.station.start()
        if not until(self.station.status, START_SECONDS):
            raise Failed(f"roostd does not answer: {self.station.log()[-300:]}")
        self.live()

    def live(self):
        """A sample a second."""
        self.station.roost("mode", "live", "--for", "2h", status=0)

    def plug(self):
        self.part = Part(self.check, "sds011", link=self.link)
        return self.part.place

    def unplug(self):
        self.part.unplug()

    def http_place(self):
        """A new simulated HTTP device on the loopback; its address without http://."""
        return Part(self.check, "http").place.removeprefix("http://").rstrip("/")

    def http_device(self, name):
        """What the station says of an HTTP device; none while it has none of this name."""
        reports = self.station.ask("devices")
        devices = reports[0]["devices"] if reports else []
        return next((one for one in devices if one["name"] == name), None)

    def wait_for_value(self):
        if not until(self.station.values, 60):
            raise Failed("the station has no value after 60 s")
