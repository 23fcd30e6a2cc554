"""Parts and strangers on pseudo-terminals, and a real roostd whose sockets are a file.

For scripts/detection.
"""

import fcntl
import glob
import json
import os
import random
import selectors
import signal
import subprocess
import termios
import threading
import time
import tty

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
WAIT = 45  # seconds for anything that is waited for: a probe, and a loaded machine
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

    def end(self):
        self.over = True
        if self.thread.is_alive():
            self.thread.join()


class Part:
    """A simulated sensor on a pseudo-terminal, and what it heard."""

    def __init__(self, binaries, folder, profile, label, seed=1):
        self.profile, self.trace = profile, os.path.join(folder, label + ".trace")
        words = ["part", profile["id"], "--trace", self.trace, "--seed", str(seed),
                 "--baud", str(profile["probe"]["bauds"][0])]
        self.child = subprocess.Popen(
            [os.path.join(binaries, "roost"), "simulator", *words],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    @property
    def node(self):
        if not hasattr(self, "path"):
            line = self.child.stdout.readline().split()
            if line[:1] != ["ready"]:
                raise RuntimeError(f"no simulator of {self.profile['id']}")
            self.path = line[1]
        return self.path

    def heard(self):
        """Each transfer to the part."""
        if not os.path.exists(self.trace):
            return []
        with open(self.trace) as file:
            return [bytes.fromhex(line.split(" > ", 1)[1]) for line in file if " > " in line]

    def end(self):
        end(self.child)


def end(child):
    if child.poll() is None:
        child.send_signal(signal.SIGTERM)
        try:
            child.wait(timeout=15)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
    return child.returncode


class Station:
    """A real roostd whose sockets are a file."""

    def __init__(self, binaries, folder, name, **config):
        self.binaries, self.folder = binaries, os.path.join(folder, name)
        os.makedirs(self.folder)
        self.socket = os.path.join(self.folder, "socket")
        self.adapters, self.log = (os.path.join(self.folder, n) for n in ("adapters", "log"))
        self.config = {"name": name, "socket": self.socket, **config}
        self.plugged, self.stamps = {}, 0
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

    def start(self):
        path = os.path.join(self.folder, "roost.json")
        with open(path, "w") as file:
            json.dump(self.config, file)
        self.daemon = subprocess.Popen(
            [os.path.join(self.binaries, "roostd"), "--config", path, "--adapters", self.adapters,
             "--verbose"], stderr=open(self.log, "a"))

    def roost(self, *words):
        return subprocess.run(
            [os.path.join(self.binaries, "roost"), *words, "--socket", self.socket],
            capture_output=True, text=True)

    def ask(self, *words):
        answer = self.roost(*words, "--json")
        # 2: there is a fault, as where /run is not in memory.
        if answer.returncode not in (0, 2):
            return None
        return json.loads(answer.stdout)

    def found(self):
        """What detection made of each adapter, by node; what is away, by identity."""
        report = self.ask("devices") or {"found": []}
        return {entry.get("node") or entry["identity"]: entry for entry in report["found"]}

    def events(self):
        """What happened, as `roost events` prints it: an object a line."""
        answer = self.roost("events", "--json")
        return [json.loads(line) for line in answer.stdout.splitlines() if line]

    def values(self):
        """The latest value of each channel."""
        report = self.ask("status") or {"channels": []}
        return {c["channel"]: c["latest"] for c in report["channels"]
                if (c.get("latest") or {}).get("value") is not None}

    def stop(self):
        return end(self.daemon)


def until(question, limit=WAIT):
    """The first answer that counts, else the last one."""
    deadline = time.monotonic() + limit
    while True:
        answer = question()
        if answer or time.monotonic() > deadline:
            return answer
        time.sleep(0.2)


class Case:
    def __init__(self, binaries, folder):
        self.binaries, self.folder, self.problems = binaries, folder, []
        self.parts, self.stations, self.strangers = [], [], Strangers()

    def part(self, profile, label, seed=1):
        self.parts.append(Part(self.binaries, self.folder, profile, label, seed))
        return self.parts[-1]

    def station(self, name, **config):
        self.stations.append(Station(self.binaries, self.folder, name, **config))
        return self.stations[-1]

    def demand(self, is_so, words):
        if not is_so:
            self.problems.append(words)
        return is_so

    def end(self):
        for station in self.stations:
            if not hasattr(station, "daemon"):
                continue
            status = station.stop()
            self.demand(status == 0, f"roostd of {station.config['name']} ended with {status}")
        for part in self.parts:
            part.end()
        self.strangers.end()
