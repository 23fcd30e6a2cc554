"""A simulated part, a running roostd, and a connection to its control socket."""

import json
import os
import signal
import socket
import subprocess

from .check import Failed, objects, until

END_SECONDS = 30  # From SIGTERM to the end of a process.
PROTOCOL = 3  # Version of the control protocol.


def end(process, limit=END_SECONDS):
    """Ends a process with SIGTERM, after `limit` seconds with SIGKILL; returns its exit status."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            pass
    return kill(process)


def kill(process):
    """Ends a process at once, also a stopped one; returns its exit status."""
    if process.poll() is None:
        process.kill()
        process.send_signal(signal.SIGCONT)
    return process.wait()


class Part:
    """A simulated part: `roost simulator KIND …` on a pseudo-terminal or a loopback port."""

    def __init__(self, check, kind, *words, link=None, trace=None):
        self.kind, self.trace, self.known_place = kind, trace, None
        words += ("--link", link) if link else ()
        words += ("--trace", trace) if trace else ()
        with open(check.path("simulator.log"), "ab") as log:
            self.process = subprocess.Popen(
                [check.program("roost"), "simulator", kind, *words],
                stdout=subprocess.PIPE, stderr=log, text=True)
        check.ends(self)

    @property
    def place(self):
        """The device or address, from the moment on that the part answers there."""
        if self.known_place is None:
            line = self.process.stdout.readline().split()
            if line[:1] != ["ready"]:
                raise Failed(f"the simulator of {self.kind} does not get ready: {line}")
            self.known_place = line[1]
        return self.known_place

    def transfers(self, way):
        """The bytes of each transfer in the trace: `>` to the part, `<` from it."""
        if not os.path.exists(self.trace):
            return []
        with open(self.trace, encoding="ascii") as file:
            lines = [line.rstrip("\n").split(f" {way} ", 1) for line in file if line.endswith("\n")]
        return [bytes.fromhex(line[1]) for line in lines if len(line) == 2]

    def unplug(self):
        kill(self.process)

    def close(self):
        end(self.process)
        self.process.stdout.close()


class Connection:
    """One connection to the control socket: a JSON object a line, each way."""

    def __init__(self, path, timeout=5):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.rest = b""
        try:
            self.socket.settimeout(timeout)
            self.socket.connect(path)
        except OSError:
            self.socket.close()
            raise

    def send(self, **request):
        self.socket.sendall(json.dumps({"version": PROTOCOL, **request}).encode() + b"\n")

    def line(self):
        while b"\n" not in self.rest:
            piece = self.socket.recv(65536)
            if not piece:
                raise ConnectionError("closed")
            self.rest += piece
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)

    def ask(self, **request):
        self.send(**request)
        return self.line()

    def close(self):
        self.socket.close()


def value_age(status):
    """Seconds since the last value of a status; a year without one."""
    ages = [channel.get("valueAgeSeconds") for channel in status.get("channels", [])]
    return min((age for age in ages if age is not None), default=3e7)


class Station:
    """A roostd in a folder of its own: configuration, control socket, log."""

    def __init__(self, check, name, arguments=(), **config):
        self.check, self.folder, self.daemon = check, check.path(name), None
        os.makedirs(self.folder)
        self.socket, self.config_path, self.log_path = (
            os.path.join(self.folder, n) for n in ("socket", "roost.json", "log"))
        # Nothing that another station on this machine could have: see the mirror in /run/roost.
        self.name = f"{name}-{os.getpid()}"
        self.command = [check.program("roostd"), "--config", self.config_path, *arguments]
        self.configure(**config)
        check.ends(self)

    def configure(self, **config):
        """Writes the configuration; `roostd` reads it at its start and on SIGHUP."""
        self.config = {**config, "name": self.name, "socket": self.socket}
        with open(self.config_path + ".new", "w", encoding="utf-8") as file:
            json.dump(self.config, file)
        os.replace(self.config_path + ".new", self.config_path)

    def start(self, **options):
        with open(self.log_path, "ab") as log:
            self.daemon = subprocess.Popen(self.command, stdout=log, stderr=log, **options)

    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def roost(self, *words, **demands):
        return self.check.roost(*words, "--socket", self.socket, **demands)

    def trust_clock(self):
        """Has the station trust this machine's clock, once its store is open to remember it."""
        done = until(lambda: self.roost("clock", "trust").returncode == 0, 30)
        self.check.demand(done, f"the clock is not trusted within 30 s: {self.log()[-400:]}")
        return done

    def ask(self, *words):
        """What `roost … --json` prints, an object a line; none while the station cannot answer."""
        try:
            answer = self.roost(*words, "--json", timeout=10)
        except subprocess.TimeoutExpired:
            return []
        # 2: there is a fault, as where /run is not in memory.
        return objects(answer.stdout) if answer.returncode in (0, 2) else []

    def report(self, *words):
        """The one object that `roost … --json` prints, else an empty one."""
        return next(iter(self.ask(*words)), {})

    def values(self):
        """The latest reading with a value, by channel."""
        channels = self.report("status").get("channels", [])
        return {c["channel"]: c["latest"] for c in channels
                if (c.get("latest") or {}).get("value") is not None}

    def status(self):
        """What the station answers on its socket; none when it does not within a second."""
        return self.asked("status")

    def cursors(self):
        """Names of the followers whose position the station has."""
        return {cursor["name"] for cursor in (self.asked("cursor") or {}).get("cursors", [])}

    def asked(self, command):
        try:
            connection = Connection(self.socket, timeout=1)
        except OSError:
            return None
        try:
            return connection.ask(command=command).get("body")
        except (OSError, ValueError):
            return None
        finally:
            connection.close()

    def value_age(self):
        return value_age(self.status() or {})

    def stop(self):
        """An orderly end; returns the exit status."""
        return end(self.daemon)

    def kill(self):
        return kill(self.daemon)

    def close(self):
        if self.daemon is not None:
            end(self.daemon)
        mirror = f"/run/roost/{self.name}.tail"
        if os.path.exists(mirror):
            os.remove(mirror)
