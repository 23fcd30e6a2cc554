"""A real roost-eyes before a station that sees motions: pictures, quota, faults of the command, kills.

The station is a control socket with a script, the camera a shell script that writes a JPEG of its own for each call.
Each motion has one picture, the newest ones are kept, the file never changes its size; a command that hangs, fails,
writes garbage or too much costs its own picture alone; after kill -9 of roost-eyes, of the guard or of the command no
process of a capture is left, and after kill -9 of both the next start ends what is. Pictures are deleted by the socket
of roost-eyes while it runs, and by hand when it does not; the station hears of faults.
"""

import contextlib
import itertools
import json
import os
import signal
import socket
import subprocess
import threading

from ..check import Failed, until
from ..station import end, kill

PRODUCTS = ("roost", "roost-eyes")
KEPT = 40
START_SECONDS = 30
NAP = str(1_000_000 + os.getpid())  # Seconds that nothing else on the machine sleeps.
TAKE = r"""#!/bin/sh
# The check changes the fault as soon as it sees the count.
fault=$(cat {fault} 2>/dev/null)
n=$(cat {count} 2>/dev/null || echo 0); n=$((n + 1)); echo $n >{count}
case $fault in
    hang) sleep {nap} & sleep {nap} ;;
    fail) exit 3 ;;
    garbage) echo this is no picture; exit 0 ;;
    huge) cat /dev/zero ;;
esac
printf '\377\330\377\340picture %s.\377\331' $n
"""


class Motions:
    """A control socket that answers `live` with the motions that a check sends; a check may have several."""

    numbers = itertools.count(1)

    def __init__(self, check):
        self.path, self.followers, self.said = check.path(f"station-{next(self.numbers)}.sock"), [], []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(4)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection, _ = self.listener.accept()
            line = connection.makefile("rb").readline()
            if not line:  # The camera's process was ended before it asked.
                connection.close()
                continue
            request = json.loads(line)
            if request["command"] == "live":
                self.followers.append(connection)
                continue
            if request["command"] == "cameraEvent":
                self.said.append(request["kind"])
                body = {"isKept": True, "omittedCount": 0}
            else:
                body = {"time": "2026-11-25T08:00:00Z", "trust": "time server", "isSure": True}
            with contextlib.suppress(OSError):  # It may have been ended before its answer.
                connection.sendall(json.dumps({"version": 3, "body": body}).encode() + b"\n")
            connection.close()

    def send(self, number):
        event = {"instantSeconds": 100 + number, "ageSeconds": 0, "source": "door", "kind": "motion",
                 "severity": "info", "details": {}, "time": "2026-11-25T08:00:00Z", "isSure": True}
        self.followers[-1].sendall(json.dumps({"event": event}).encode() + b"\n")


def sleepers():
    """Processes of fake captures that hang."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{name}/cmdline", "rb") as file:
            if file.read() == b"sleep\0" + NAP.encode() + b"\0":
                found.append(int(name))
    return found


class Eyes:
    def __init__(self, check, motions):
        self.check, self.motions = check, motions
        self.ring, self.fault, self.socket = check.path("pictures"), check.path("fault"), check.path("eyes.sock")
        take = check.path("take")
        with open(take, "w", encoding="utf-8") as file:
            file.write(TAKE.format(count=check.path("count"), fault=self.fault, nap=NAP))
        os.chmod(take, 0o755)
        self.config = check.path("eyes.json")
        with open(self.config, "w", encoding="utf-8") as file:
            json.dump({"command": [take], "limitSeconds": 2, "ring": self.ring, "megabytes": 1, "pictures": KEPT}, file)
        self.process = None

    def start(self):
        followers = len(self.motions.followers)
        with open(self.check.path("eyes.log"), "ab") as log:
            self.process = subprocess.Popen(
                [self.check.program("roost-eyes"), "run", "--config", self.config, "--socket", self.motions.path,
                 "--control", self.socket],
                stderr=log)
        self.check.ends(self)
        self.check.demand(until(lambda: len(self.motions.followers) > followers, START_SECONDS),
                          "roost-eyes does not ask for motions after its start")

    def close(self):
        kill(self.process)

    def records(self):
        done = subprocess.run([self.check.program("roost"), "records", "list", "--json", "--ring", self.ring],
                              capture_output=True, text=True, check=False)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def picture(self, number):
        return subprocess.run([self.check.program("roost"), "records", "get", str(number), "--output", "-", "--ring", self.ring],
                              capture_output=True, check=True).stdout

    def delete(self, *words, code=0):
        done = subprocess.run([self.check.program("roost"), "records", "delete", *words, "--ring", self.ring, "--socket",
                               self.socket], capture_output=True, text=True, check=False)
        self.check.same(done.returncode, code, f"delete {words}: {done.stderr[-200:]}")

    def report(self):
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(self.socket)
            line.sendall(b'{"version": 3, "command": "status"}\n')
            return json.loads(line.makefile().readline())["body"]

    def say(self, fault):
        with open(self.fault, "w", encoding="utf-8") as file:
            file.write(fault)


def newest(ring):
    """The number of the newest picture, read from the file's headers; 0 before `roost-eyes` made the file."""
    best = 0
    if not os.path.exists(ring):
        return best
    with open(ring, "rb") as file:
        for block in iter(lambda: file.read(4096), b""):
            if block.startswith(b"ROOST-PICTURE-01"):
                best = max(best, int.from_bytes(block[16:24], "little"))
    return best


def one_each(check, eyes, count):
    size = None
    for number in range(1, count + 1):
        eyes.motions.send(number)
        check.demand(until(lambda: newest(eyes.ring) == number, 10, 0.01), f"motion {number} has no picture")
        size = size or os.stat(eyes.ring).st_size
        check.same(os.stat(eyes.ring).st_size, size, "size of the ring")
    records = eyes.records()
    check.same([each["number"] for each in records], list(range(count, max(0, count - KEPT), -1)), "the pictures kept")
    for each in records:
        check.same(eyes.picture(each["number"]), b"\xff\xd8\xff\xe0picture %d.\xff\xd9" % each["number"], "a picture")
    check.demand(size <= 1 << 20, f"the ring has {size} bytes")
    with open(f"/proc/{eyes.process.pid}/io", encoding="utf-8") as file:
        written = int(file.read().split("write_bytes: ")[1].split()[0])
    check.say(f"{written} bytes written for a ring of {size} and {count} pictures of one sector each")


def faults(check, eyes, count):
    with open(check.path("count"), encoding="utf-8") as file:
        calls = int(file.read())
    for number, fault in enumerate(("hang", "fail", "garbage", "huge"), 1):
        eyes.say(fault)
        eyes.motions.send(count + number)
        # The next motion waits until this one is over.
        until(lambda: open(check.path("count"), encoding="utf-8").read().strip() == str(calls + number), 10)
    until(lambda: not sleepers(), 10)
    eyes.say("")
    eyes.motions.send(count + 5)
    check.demand(until(lambda: newest(eyes.ring) == count + 1, 10), "no picture after the faults")
    check.same(sleepers(), [], "processes left by faults")
    report = eyes.report()
    check.same((report["takenCount"], report["leftOutCount"]), (count + 1, 4), "pictures taken and left out")
    check.same((report["pictureCount"], report["newest"]["number"]), (min(KEPT, count + 1), count + 1), "the ring's state")
    heard = until(lambda: eyes.motions.said == ["camera started", "camera fails", "camera works again"], 10)
    check.demand(heard, f"the station heard {eyes.motions.said}")


def deleting(check, eyes, count):
    """By the socket while roost-eyes runs, and one that is not there."""
    newest_one = str(count + 1)
    eyes.delete(newest_one)
    check.same([each["number"] for each in eyes.records()][:1], [count], "the newest after deleting one")
    eyes.delete(newest_one, code=1)
    check.same(eyes.report()["pictureCount"], min(KEPT, count + 1) - 1, "pictures after deleting one")


def parent(process):
    with open(f"/proc/{process}/stat", encoding="utf-8") as file:
        return int(file.read().rsplit(")", 1)[1].split()[1])


def children(process):
    """Children of all threads of a process, zombies too."""
    found = []
    for task in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{task}/children", encoding="utf-8") as file:
            found += file.read().split()
    return found


def kills(check, eyes, count):
    eyes.say("hang")
    for turn in range(count):
        eyes.motions.send(5000 + turn)
        check.demand(until(lambda: len(sleepers()) == 2, 10), "the command does not hang")
        victim = turn % 4
        if victim == 0:
            kill(eyes.process)
        elif victim == 3:
            # Both, and roost-eyes cannot act meanwhile: what the command started stays until the next start.
            guard = parent(parent(sleepers()[0]))
            eyes.process.send_signal(signal.SIGSTOP)
            os.kill(guard, signal.SIGKILL)
            kill(eyes.process)
            eyes.say("")
            eyes.start()
            eyes.say("hang")
        else:
            # The command, or the guard above it.
            shell = parent(sleepers()[0])
            guard = parent(shell)
            if parent(guard) != eyes.process.pid:
                raise Failed(f"{guard} is no guard of roost-eyes")
            os.kill(shell if victim == 1 else guard, signal.SIGKILL)
        check.demand(until(lambda: not sleepers(), 10), f"orphans after kill {turn}: {sleepers()}")
        if victim == 0:
            eyes.start()
        else:
            check.same(eyes.process.poll(), None, "roost-eyes")
    check.demand(until(lambda: not children(eyes.process.pid), 10), f"zombies: {children(eyes.process.pid)}")


def arguments(parser):
    parser.add_argument("--motions", type=int, default=60, help="motions with a picture each (60)")
    parser.add_argument("--kills", type=int, default=12, help="kills of daemon, command, guard and two at once in turn (12)")


def run(check, options):
    motions = Motions(check)
    eyes = Eyes(check, motions)
    eyes.start()
    count = options.motions
    one_each(check, eyes, count)
    faults(check, eyes, count)
    deleting(check, eyes, count)
    kills(check, eyes, options.kills)
    check.same(end(eyes.process), 0, "roost-eyes' exit")
    eyes.delete("--all")
    check.same(eyes.records(), [], "pictures after deleting all")
    with open(eyes.ring, "rb") as file:
        check.demand(b"picture" not in file.read(), "bytes of a picture are left after deleting all")
    return f"{count} motions with a picture each, {options.kills} kills without an orphan"
