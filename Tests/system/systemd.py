"""A stand-in for systemd, with its watchdog, and threads of a process that are made to stand still."""

import ctypes
import os
import signal
import socket
import subprocess
import threading
import time

from .check import Failed, Skipped, now

WATCHDOG_SECONDS = 4.0
ABORT_SECONDS = 1.0  # From SIGABRT to SIGKILL; systemd's TimeoutAbortSec.
RESTART_SECONDS = 0.5  # systemd's RestartSec.
START_SECONDS = 20.0  # Until READY=1.
PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_CONT, PTRACE_DETACH = 0x4206, 0x4207, 7, 17
WALL = 0x40000000  # __WALL: threads too.


class Held:
    """A thread that stands still while the others of its process run."""

    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    libc.ptrace.restype = ctypes.c_long

    def __init__(self, thread):
        self.thread = thread
        self.call(PTRACE_SEIZE)
        self.call(PTRACE_INTERRUPT)
        os.waitpid(thread, WALL)

    def call(self, request):
        if self.libc.ptrace(request, self.thread, None, None) != 0:
            raise Skipped(f"ptrace: {os.strerror(ctypes.get_errno())}")

    def release(self):
        self.call(PTRACE_DETACH)

    def bury(self):
        """Takes note of the end of a thread whose process ended; else that would wait for us."""
        try:
            while os.waitpid(self.thread, WALL | os.WNOHANG) != (0, 0):
                pass
        except ChildProcessError:
            pass


class Supervisor:
    """Plays systemd for one service; time passes in `look`."""

    def __init__(self, folder, command):
        self.command, self.log = command, open(os.path.join(folder, "log"), "ab")
        self.path = os.path.join(folder, "notify")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        self.socket.bind(self.path)
        self.process, self.restarts, self.endings, self.causes = None, 0, [], []
        self.longest_pet, self.held = 0.0, []
        self.start_at, self.abort_at = now(), None

    def start(self):
        environment = dict(os.environ, NOTIFY_SOCKET=self.path,
                           WATCHDOG_USEC=str(int(WATCHDOG_SECONDS * 1e6)))
        # WATCHDOG_PID is the number of the process that pets.
        shell = 'WATCHDOG_PID=$$; export WATCHDOG_PID; exec "$@"'
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", shell, "sh", *self.command],
            stdout=self.log, stderr=self.log, env=environment)
        self.started_at, self.petted_at, self.is_ready = now(), now(), False
        self.start_at = self.abort_at = None

    def look(self):
        if self.process is None:
            if now() >= self.start_at:
                self.start()
            return
        self.hear()
        for held in self.held:
            if held.thread != self.process.pid:
                held.bury()
        status = self.poll()
        if status is not None:
            self.endings.append(status)
            self.restarts += 1
            self.process, self.held, self.start_at = None, [], now() + RESTART_SECONDS
        elif self.abort_at is not None:
            if now() >= self.abort_at + ABORT_SECONDS:
                self.process.kill()
        elif self.is_ready and now() > self.petted_at + WATCHDOG_SECONDS:
            self.causes.append("watchdog")
            self.process.send_signal(signal.SIGABRT)
            self.abort_at = now()
        elif not self.is_ready and now() > self.started_at + START_SECONDS:
            raise Failed(f"roostd is not ready after {START_SECONDS:.0f} s")

    def poll(self):
        """Status of the process if it ended; that a held thread stands still is not its end."""
        while self.process.returncode is None:
            pid, status = os.waitpid(self.process.pid, os.WNOHANG)
            if pid == 0:
                return None
            if not os.WIFSTOPPED(status):
                self.process.returncode = os.waitstatus_to_exitcode(status)
        return self.process.returncode

    def hear(self):
        while True:
            try:
                text = self.socket.recv(4096).decode()
            except BlockingIOError:
                return
            if "READY=1" in text:
                self.is_ready, self.petted_at = True, now()
            if "WATCHDOG=1" in text:
                self.longest_pet = max(self.longest_pet, now() - self.petted_at)
                self.petted_at = now()

    def pause(self, seconds):
        end = now() + seconds
        while now() < end:
            self.look()
            time.sleep(0.02)

    def until(self, condition, seconds, words):
        """Waits for something; returns how long that took."""
        began = now()
        while not condition():
            if now() > began + seconds:
                raise Failed(f"{words}: not within {seconds:.0f} s")
            self.pause(0.05)
        return now() - began

    def thread(self, name):
        folder = f"/proc/{self.process.pid}/task"
        for number in os.listdir(folder):
            with open(f"{folder}/{number}/comm", encoding="ascii") as file:
                if file.read().strip() == name:
                    return int(number)
        raise Failed(f"no thread {name}")

    def hold(self, thread):
        held = Held(thread)
        self.held.append(held)
        return held

    def close(self):
        if self.process is not None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
            while self.poll() is None:
                for held in self.held:
                    held.bury()
                time.sleep(0.02)


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
