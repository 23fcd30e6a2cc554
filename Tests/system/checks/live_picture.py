"""The live picture: one program for all viewers, started by the first and stopped by the last, through roost-web.

A real roost-eyes and roost-web; a script writes JPEGs as a camera's program does. Without a viewer no program runs; three
viewers see the frames of one; a motion meanwhile gets its picture from it. A program that ends, hangs, is silent, or writes
garbage or too much is ended and named; masks and bounds refuse and end it; after kill -9 of roost-eyes, the guard, the
program or roost-web no process of it is left.
"""

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading

from .. import live_program
from ..browser.dashboard import Dashboard
from ..check import now, until
from ..station import end, kill
from .camera import Motions, children, newest, parent

PRODUCTS = ("roost", "roost-eyes", "roost-web")
RATE, SIZE = 20, 24_000
BOUNDARY = b"--roost-frame\r\n"


def marked(folder):
    """Processes whose environment has the mark of this ring: the program and all that it started."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{name}/environ", "rb") as file:
            if f"ROOST_CAPTURE={folder}".encode() in file.read():
                found.append(int(name))
    return found


class Eyes:
    def __init__(self, check, motions):
        self.check, self.motions = check, motions
        self.folder = check.path("live")
        os.makedirs(self.folder)
        self.ring, self.control, self.live, self.config = (
            os.path.join(self.folder, name) for name in ("pictures", "eyes.sock", "live.sock", "eyes.json"))
        self.process = None
        self.configure()
        check.ends(self)

    def configure(self, masks=(), covers=(), **live):
        program = [sys.executable, "-u", live_program.__file__, self.folder, str(live.pop("rate", RATE)), str(SIZE)]
        with open(self.config, "w", encoding="utf-8") as file:
            json.dump({"command": ["false"], "ring": self.ring, "megabytes": 4, "pictures": 40, "masks": list(masks), "covers": list(covers),
                       "live": {"command": program, "framesPerSecond": RATE, "limitSeconds": 3, **live}}, file)

    def start(self):
        followers = len(self.motions.followers)
        with open(self.check.path("eyes.log"), "ab") as log:
            self.process = subprocess.Popen(
                [self.check.program("roost-eyes"), "run", "--config", self.config, "--socket", self.motions.path,
                 "--control", self.control, "--live", self.live], stderr=log)
        until(lambda: len(self.motions.followers) > followers and os.path.exists(self.live), 10)

    def again(self, **settings):
        end(self.process)
        self.configure(**settings)
        self.start()

    def close(self):
        if self.process:
            kill(self.process)

    def starts(self):
        path = os.path.join(self.folder, "starts")
        if not os.path.exists(path):
            return 0
        with open(path, encoding="utf-8") as file:
            return len(file.readlines())

    def say(self, fault):
        with open(os.path.join(self.folder, "fault"), "w", encoding="utf-8") as file:
            file.write(fault)

    def report(self):
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(self.control)
            line.sendall(b'{"version": 3, "command": "status"}\n')
            return json.loads(line.makefile().readline())["body"]["live"]


class Follower:
    """A connection to the socket of the live picture, as roost-web has one."""

    def __init__(self, eyes):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(20)
        self.socket.connect(eyes.live)
        self.file = self.socket.makefile("rb")

    def next(self):
        """A frame's bytes, a state as a dictionary, None at the end."""
        head = self.file.read(5)
        if len(head) < 5:
            return None
        body = self.file.read(int.from_bytes(head[1:], "little"))
        return body if head[:1] == b"F" else json.loads(body)

    def last(self):
        found = None
        while (item := self.next()) is not None:
            found = item if isinstance(item, dict) else found
        return found

    def close(self):
        self.file.close()
        self.socket.close()


class Viewer:
    """Reads the dashboard's stream on a thread and keeps the numbers of its frames."""

    def __init__(self, dashboard):
        self.connection = http.client.HTTPConnection("127.0.0.1", dashboard.port, timeout=20)
        self.connection.request("GET", "/api/v1/camera/live")
        self.answer = self.connection.getresponse()
        self.numbers, self.wrong, self.is_over = [], [], False
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        with contextlib.suppress(OSError, ValueError, AttributeError, http.client.HTTPException):
            self.demand(self.answer.readline() == BOUNDARY)
            while line := self.answer.readline():
                self.demand(line == b"Content-Type: image/jpeg\r\n")
                size = int(self.answer.readline().split(b":")[1])
                self.answer.readline()
                frame = self.answer.read(size)
                number = live_program.number_of(frame)
                self.demand(number is not None and len(frame) == size)
                self.numbers.append(number)
                self.demand(self.answer.readline() == b"\r\n" and self.answer.readline() == BOUNDARY)
        self.is_over = True

    def demand(self, is_so):
        if not is_so:
            self.wrong.append(len(self.numbers))

    def close(self):
        with contextlib.suppress(OSError, AttributeError):
            self.connection.sock.shutdown(socket.SHUT_RDWR)
        self.connection.close()
        self.thread.join(10)


def gone(check, eyes, what):
    check.demand(until(lambda: not marked(eyes.ring), 5, 0.05), f"{what}: processes are left: {marked(eyes.ring)}")


def shared(check, eyes):
    """The first starts it, the last stops it."""
    check.same((eyes.starts(), eyes.report()["state"], marked(eyes.ring)), (0, "ready", []), "before the first viewer")
    first = Follower(eyes)
    frames = [first.next() for _ in range(5)]
    check.same([live_program.number_of(one) for one in frames], [1, 2, 3, 4, 5], "the first frames")
    check.same({len(one) for one in frames}, {SIZE}, "bytes of a frame")
    second = Follower(eyes)
    check.demand(live_program.number_of(second.next()) > 5, "the second viewer sees what is now")
    check.same((eyes.starts(), eyes.report()["state"]), (1, "running"), "with two")
    first.close()
    check.demand(all(second.next() for _ in range(RATE)), "the second sees on when the first leaves")
    # A motion meanwhile: the camera has one owner, so its picture is the next frame.
    for number in (1, 2, 3):
        eyes.motions.send(number)
        taken = until(lambda wanted=number: (second.next(), newest(eyes.ring))[1] == wanted, 10, 0)
        check.demand(taken, f"motion {number} during the live picture has no picture")
        picture = subprocess.run([check.program("roost"), "records", "get", str(number), "--output", "-", "--ring", eyes.ring],
                                 capture_output=True, check=True).stdout
        check.demand(live_program.number_of(picture), f"its picture is no frame: {picture[:20]}")
        second.close()
        gone(check, eyes, "after the last viewer")
        check.same(eyes.report()["state"], "ready", "after the last viewer")
        # The same again for who comes after a live picture that ended.
        second = Follower(eyes)
        check.demand(isinstance(second.next(), bytes), "no frame for who comes later")
    second.close()
    gone(check, eyes, "after the last viewer")
    # A viewer that reads nothing holds up no other, and none waits for the card.
    stuck, other = Follower(eyes), Follower(eyes)
    begun, seen = now(), 0
    while now() - begun < 3:
        seen += isinstance(other.next(), bytes)
    # On a busy machine frames of before wait in the connection, so there may be more.
    check.demand(seen >= RATE * 2, f"{seen} frames in 3 s beside a viewer that reads nothing")
    stuck.close()
    other.close()
    gone(check, eyes, "after a viewer that read nothing")


def faults(check, eyes):
    for fault, words in (("end", "exit code 3"), ("hang", "no picture"), ("silent", "no picture"), ("garbage", "no picture"),
                         ("huge", "more than 2 MiB")):
        for is_first in (True, False):
            eyes.say(fault if is_first else "")
            one = Follower(eyes)
            if not is_first:
                one.next()
                eyes.say(fault)
            state = one.last() or {}
            check.same(state.get("state"), "gone", f"{fault}, at the start {is_first}")
            check.demand(words in state.get("why", ""), f"{fault}: {state}")
            check.same(eyes.report()["state"], "gone", f"{fault}: the report")
            one.close()
            gone(check, eyes, fault)
    eyes.say("")
    one = Follower(eyes)
    check.demand(isinstance(one.next(), bytes), "no frame after the faults")
    check.same(eyes.report()["state"], "running", "after the faults")
    one.close()


def refusals(check, eyes):
    for settings, state in (({"masks": ["00:00-12:00", "12:00-00:00"]}, "masked"), ({"freeMegabytesMin": 65536}, "memory")):
        eyes.again(**settings)
        until(lambda wanted=state: eyes.report()["state"] == wanted, 5)
        starts, one = eyes.starts(), Follower(eyes)
        check.same((one.last() or {}).get("state"), state, "a refusal")
        check.same((eyes.report()["state"], eyes.starts()), (state, starts), "the report of a refusal")
        one.close()
    # What cannot be covered is not shown: these frames have the marks of a JPEG, and no picture.
    eyes.again(covers=["0 0 500 500"])
    one = Follower(eyes)
    first = one.next()
    check.demand(isinstance(first, dict) and first.get("state") == "gone" and "covered" in first.get("why", ""), f"uncovered: {first!r:.300}")
    check.same(eyes.report()["state"], "gone", "the report of what cannot be covered")
    one.close()
    gone(check, eyes, "after what cannot be covered")
    # More than the settings allow is left out.
    eyes.again(rate=60, framesPerSecond=5)
    one, begun, seen = Follower(eyes), now(), 0
    one.next()
    while now() - begun < 3:
        seen += isinstance(one.next(), bytes)
    check.demand(10 <= seen <= 17, f"{seen} frames in 3 s of a program with 60 a second, 5 are allowed")
    one.close()
    eyes.again()


def watched(check, eyes, dashboard):
    """Three viewers through the dashboard."""
    starts = eyes.starts()
    viewers = [Viewer(dashboard) for _ in range(3)]
    check.same([one.answer.status for one in viewers], [200] * 3, "three viewers")
    check.demand(until(lambda: all(len(one.numbers) > 2 * RATE for one in viewers), 20), "three viewers see no frames")
    check.same([one.wrong for one in viewers], [[]] * 3, "parts that are none")
    check.same(eyes.starts(), starts + 1, "programs for three viewers")
    check.demand(all(one.numbers == sorted(set(one.numbers)) for one in viewers), "frames out of order")
    eyes.say("end")
    check.demand(until(lambda: all(one.is_over for one in viewers), 10), "the stream does not end with its program")
    eyes.say("")
    for one in viewers:
        one.close()
    viewers = [Viewer(dashboard) for _ in range(3)]
    check.demand(until(lambda: all(one.numbers for one in viewers), 10), "no second stream")
    for one in viewers:
        check.demand(marked(eyes.ring), "the program ended before the last viewer")
        one.close()
    gone(check, eyes, "after the last viewer of the dashboard")


def kills(check, eyes, dashboard, count):
    for turn in range(count):
        viewer = Viewer(dashboard)
        check.demand(until(lambda one=viewer: one.numbers, 10, 0.05), f"no frame before kill {turn}")
        program = next((one for one in marked(eyes.ring) if one != eyes.process.pid), None)
        victim = turn % 4
        if victim == 0:
            kill(eyes.process)
        elif victim == 1:
            os.kill(program, signal.SIGKILL)
        elif victim == 2:
            os.kill(parent(program), signal.SIGKILL)
        else:
            kill(dashboard.process)
        check.demand(until(lambda one=viewer: one.is_over, 10, 0.05), f"the stream goes on after kill {turn}")
        gone(check, eyes, f"kill {turn}")
        viewer.close()
        if victim == 0:
            eyes.start()
        if victim == 3:
            dashboard.start()
    check.demand(until(lambda: not children(eyes.process.pid), 10), f"zombies: {children(eyes.process.pid)}")


def arguments(parser):
    parser.add_argument("--kills", type=int, default=12, help="kills of roost-eyes, program, guard and roost-web in turn (12)")


def run(check, options):
    motions = Motions(check)
    motions.socket = motions.path
    eyes = Eyes(check, motions)
    eyes.start()
    shared(check, eyes)
    faults(check, eyes)
    refusals(check, eyes)
    dashboard = Dashboard(check, motions, "--open", "--eyes", eyes.control, "--pictures", eyes.ring, "--live-socket", eyes.live)
    dashboard.start()
    watched(check, eyes, dashboard)
    kills(check, eyes, dashboard, options.kills)
    check.same(end(eyes.process), 0, "roost-eyes' exit")
    return f"three viewers of one program, {options.kills} kills without an orphan"
