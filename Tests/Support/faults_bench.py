"""What scripts/faults runs and watches: a station with its store on a card that can be broken."""

import json
import os
import re
import socket
import subprocess
import threading
import time

from torture_watch import Broken, Lamp, Trace, Watch, now

BLOCK = 4096
CARD_BYTES = 64 << 20
ROOM_BYTES = 96 << 20  # Where the card's image lies: all of it fits, and it can be filled up.
WATCHDOG_SECONDS = 15.0


def run(*command, check=True):
    return subprocess.run(command, check=check, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


class Card:
    """An ext4 on a loop device, whose image lies on a small tmpfs."""

    def __init__(self, folder):
        self.room, self.mount = os.path.join(folder, "room"), os.path.join(folder, "card")
        self.image, self.device = os.path.join(self.room, "image"), None
        os.mkdir(self.room)
        os.mkdir(self.mount)
        run("mount", "-t", "tmpfs", "-o", f"size={ROOM_BYTES}", "none", self.room)
        # Written, not a hole: beneath what is broken later only that has no room.
        with open(self.image, "wb") as file:
            for _ in range(CARD_BYTES >> 20):
                file.write(bytes(1 << 20))
        run("mkfs.ext4", "-q", "-F", "-m", "0", "-b", str(BLOCK), "-E", "nodiscard", self.image)
        self.device = run("losetup", "-f", "--show", self.image).stdout.decode().strip()
        self.mount_again()

    def mount_again(self):
        run("mount", "-o", "errors=remount-ro", self.device, self.mount)

    def fill(self, path):
        """Takes all room there is; returns how to give it back."""
        with open(path, "wb", buffering=0) as file:
            for size in (1 << 20, BLOCK, 512):
                try:
                    while True:
                        file.write(b"\xa5" * size)
                except OSError:
                    continue
        return lambda: os.remove(path)

    def break_journal(self, ring, count):
        """Makes the next blocks of the ring fail with EIO: no room beneath them any more."""
        with open(ring, "rb") as file:
            data = file.read()
        newest, slots = 0, len(data) // BLOCK
        for slot in range(slots):
            block = data[slot * BLOCK:(slot + 1) * BLOCK]
            if block[:4] == b"RJB1":
                newest = max(newest, int.from_bytes(block[8:16], "little"))
        words = run("filefrag", "-v", f"-b{BLOCK}", ring).stdout.decode()
        places = {}
        for match in re.finditer(r"^\s*\d+:\s*(\d+)\.\.\s*(\d+):\s*(\d+)\.\.", words, re.M):
            first, last, physical = (int(text) for text in match.groups())
            places.update({n: physical + n - first for n in range(first, last + 1)})
        os.sync()
        # What was zeroed through the loop device is a hole by now; nothing else shall fail.
        run("fallocate", "-l", str(CARD_BYTES), self.image)
        for number in range(newest + 1, newest + 1 + count):
            offset = places[number % slots] * BLOCK
            run("fallocate", "-p", "-o", str(offset), "-l", str(BLOCK), self.image)
        return self.fill(os.path.join(self.room, "filler"))

    def fail(self):
        """What ext4 does at an error of its own: read-only, until it is unmounted."""
        name = os.path.basename(self.device)
        with open(f"/sys/fs/ext4/{name}/trigger_fs_error", "w", encoding="ascii") as file:
            file.write("1")

    def repair(self):
        """Unmounts as soon as nobody holds it, checks, and mounts again."""
        if run("umount", self.mount, check=False).returncode != 0:
            return False
        run("e2fsck", "-fy", self.device, check=False)
        self.mount_again()
        return True

    def remove(self):
        run("fsfreeze", "-u", self.mount, check=False)
        for _ in range(50):
            if run("umount", self.mount, check=False).returncode == 0:
                break
            if not os.path.ismount(self.mount):
                break
            time.sleep(0.1)
        else:
            run("umount", "-l", self.mount, check=False)
        if self.device:
            run("losetup", "-d", self.device, check=False)
        run("umount", "-l", self.room, check=False)


class Pets:
    """Stands in for systemd: the moments of WATCHDOG=1."""

    def __init__(self, path):
        self.path, self.moments = path, []
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(path)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        while True:
            if b"WATCHDOG=1" in self.socket.recv(4096):
                self.moments.append(now())

    def longest(self, start, end):
        inside = [start] + [at for at in self.moments if start <= at <= end] + [end]
        return max(b - a for a, b in zip(inside, inside[1:]))


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

    def stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()


class Station:
    """The simulator, roostd on the card, and everything that watches them."""

    def __init__(self, folder, card, binaries):
        self.folder, self.card, self.binaries = folder, card, binaries
        names = ("sds011", "roost.sock", "roost.json", "lamp", "notify", "trace")
        self.link, self.socket, self.config, lamp, notify, trace = (
            os.path.join(folder, n) for n in names)
        self.store = os.path.join(card.mount, "store")
        self.log = open(os.path.join(folder, "roostd.log"), "ab")
        self.watch, self.pets, self.trace = Watch(Lamp(lamp)), Pets(notify), Trace(trace)
        roost = os.path.join(binaries, "roost")
        self.live = Live([roost, "live", "--json", "--socket", self.socket])
        self.simulator = self.daemon = None
        self.late = []  # How late this process, which only sleeps, was woken, and when.
        name = f"faults-{os.getpid()}"
        with open(self.config, "w", encoding="utf-8") as file:
            json.dump({
                "name": name, "mode": "live", "socket": self.socket,
                "devices": [{"name": "dust", "type": "sds011", "port": self.link}],
                "lights": {"output": lamp},
                "store": {"folder": self.store, "megabytes": 4, "journalBlocks": 64,
                          "lossWindowSeconds": 10},
            }, file)
        self.mirror = f"/run/roost/{name}.tail"

    def plug(self):
        command = [os.path.join(self.binaries, "roost"), "simulator", "sds011",
                   "--link", self.link, "--trace", self.trace.path, "--air", "waves"]
        self.simulator = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=self.log, text=True)
        if not self.simulator.stdout.readline().startswith("ready "):
            raise Broken("the simulator does not get ready")

    def start(self):
        environment = dict(os.environ, NOTIFY_SOCKET=self.pets.path,
                           WATCHDOG_USEC=str(int(WATCHDOG_SECONDS * 1e6)))
        command = [os.path.join(self.binaries, "roostd"), "--config", self.config]
        self.daemon = subprocess.Popen(
            command, stdout=self.log, stderr=self.log, env=environment)
        self.watch.went_up()
        end = now() + 30
        while self.status() is None:
            if now() > end:
                raise Broken("roostd does not answer")
            self.look()
        self.live.start()

    def status(self):
        command = [os.path.join(self.binaries, "roost"), "status", "--json",
                   "--socket", self.socket]
        try:
            said = subprocess.run(
                command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=10, check=False)
            # 2: there is a fault, which is what these checks make.
            if said.returncode not in (0, 2):
                return None
            answer = json.loads(said.stdout)
        except (subprocess.SubprocessError, json.JSONDecodeError):
            return None
        return answer.get("body", answer)

    def has_trouble(self):
        status = self.status() or {}
        return any(fault["id"].startswith(("store", "history")) for fault in status.get("faults", []))

    def kill(self):
        self.watch.went_down()
        self.daemon.kill()
        self.daemon.wait()
        self.live.stop()

    def stop(self):
        self.watch.went_down()
        self.daemon.terminate()
        if self.daemon.wait(60) != 0:
            raise Broken(f"an orderly stop ended with status {self.daemon.returncode}")
        self.live.stop()

    def look(self):
        self.watch.look(self.trace.frames())
        if self.watch.is_up and self.daemon.poll() is not None:
            raise Broken(f"roostd ended by itself, status {self.daemon.returncode}")

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

    def finish(self):
        self.live.stop()
        for process in (self.daemon, self.simulator):
            if process is not None and process.poll() is None:
                process.kill()
        for process in (self.daemon, self.simulator):
            if process is not None:
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    pass
        if os.path.exists(self.mirror):
            os.remove(self.mirror)
