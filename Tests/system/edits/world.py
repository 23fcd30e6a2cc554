"""A station with all its programs, edited from everywhere at once."""

import contextlib
import http.client
import json
import os
import random
import shutil
import signal
import subprocess
import threading
import time

from ..browser.dashboard import Dashboard
from ..check import Failed, until
from ..courier import Courier
from ..station import Connection, Part, Station
from .subjects import DONE, NO_ANSWER_EXIT, OPEN_REFUSALS, REFUSED, SECRET_COUNT, UNKNOWN, secret

ANSWER_SECONDS = 30  # Each request has an answer by then: roost-web waits up to 20 s for the courier.
START_SECONDS = 30
CARD_BYTES = 48 << 20
TRACE_SECONDS = 60
PROGRAMS = ("station", "web", "courier")


class World:
    """The programs, and each way to change what they hold."""

    def __init__(self, check, has_small_card):
        self.check, self.lock, self.secrets = check, threading.Lock(), [secret(number) for number in range(SECRET_COUNT)]
        self.card, self.looked, self.refusals, self.slowest = check.path("card"), 0, {}, (0.0, "")
        os.makedirs(self.card)
        if has_small_card:
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={CARD_BYTES}", "none", self.card], check=True)
        self.is_mounted = has_small_card
        check.ends(self)
        self.part, self.board = Part(check, "sds011", link=check.path("sensor")), Part(check, "http")
        self.address = self.board.place
        self.config = {"devices": [{"name": "dust", "type": "sds011", "port": self.part.place}], "mode": "live",
                       "store": {"folder": os.path.join(self.card, "store"), "megabytes": 8}, "reach": ["loopback"],
                       "detect": False}
        self.station = Station(check, "edits", **self.config, alerts={"use": ["station"], "rules": []})
        self.courier = Courier(check, self.station)
        self.courier.words = ("--state", os.path.join(self.card, "courier"))
        self.web = Dashboard(check, self.station, "--open", "--courier", self.courier.socket)
        for program in PROGRAMS:
            self.start(program)

    def close(self):
        if self.is_mounted:
            subprocess.run(["umount", "-l", self.card], check=False)

    # Programs.

    def process(self, program):
        return self.station.daemon if program == "station" else getattr(self, program).process

    def start(self, program):
        getattr(self, program).start()
        if program == "station" and not until(self.station.status, START_SECONDS, 0.05):
            self.trace("no answer after its start")
        if program == "courier" and not until(self.courier.report, START_SECONDS, 0.1):
            raise Failed(f"roost-courier does not answer after its start: {self.courier.log()[-600:]}")

    def kill(self, program):
        """`kill -9`, and what systemd would do after it."""
        process = self.process(program)
        process.kill()
        process.wait()
        if program == "web":
            process.stdout.close()

    def trace(self, what):
        """Ends the check with the stacks of the program that does not answer."""
        path, number = self.check.path("stacks"), self.station.daemon.pid
        if shutil.which("gdb"):
            done = subprocess.run(["gdb", "-p", str(number), "-batch", "-ex", "thread apply all bt"], capture_output=True,
                                  text=True, timeout=TRACE_SECONDS, check=False)
            with open(path, "w", encoding="utf-8") as file:
                file.write(done.stdout + done.stderr)
        raise Failed(f"roostd (exit status {self.station.daemon.poll()}): {what}; stacks: {path}; "
                     f"log: {self.station.log()[-900:]}")

    def demand_answers(self):
        """The station answers on its socket within a bound."""
        if self.station.daemon.poll() is not None:
            raise Failed(f"roostd ended with {self.station.daemon.returncode}: {self.station.log()[-900:]}")
        began = time.monotonic()
        try:
            connection = Connection(self.station.socket, timeout=ANSWER_SECONDS)
            try:
                connection.ask(command="status")
            finally:
                connection.close()
        except TimeoutError:
            self.trace(f"no answer in {ANSWER_SECONDS} s")
        except OSError as error:
            self.trace(f"no connection: {error}")
        self.took(began, "status")

    # Ways.

    def took(self, began, what):
        with self.lock:
            self.slowest = max(self.slowest, (time.monotonic() - began, what))

    def look(self, text, where):
        """Looks for each secret in an answer."""
        with self.lock:
            self.looked += 1
            found = [one for one in self.secrets if one in text]
            self.check.demand(not found, f"{where} has the secrets {found}")

    def refuse(self, reason):
        with self.lock:
            self.refusals[reason] = self.refusals.get(reason, 0) + 1

    def ask(self, method, path, body=None, headers=None):
        """Status and JSON of an answer of the page's server; a status of None without one."""
        began = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", self.web.port, timeout=ANSWER_SECONDS)
        headers = {"Origin": self.web.address, "Content-Type": "application/json", **(headers or {})}
        try:
            connection.request(method, "/api/v1" + path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            text = answer.read().decode(errors="replace")
        except TimeoutError:
            self.check.demand(False, f"{method} {path}: no answer in {ANSWER_SECONDS} s")
            return None, None
        except (OSError, http.client.HTTPException):
            return None, None
        finally:
            connection.close()
        self.took(began, f"{method} {path}")
        self.look(text, f"the answer to {method} {path}")
        try:
            return answer.status, json.loads(text) if text else None
        except ValueError:
            return answer.status, None

    def http(self, method, path, body=None, headers=None, missing=None):
        status, answer = self.ask(method, path, body, headers)
        if status is None:
            return UNKNOWN
        if status < 300 or status == missing:
            return DONE
        kind = (answer or {}).get("type", "")
        self.refuse(f"{method} {status} {kind.removeprefix('/problems/')}")
        return UNKNOWN if kind in OPEN_REFUSALS else REFUSED

    def shell(self, *words, **options):
        began = time.monotonic()
        environment = {**os.environ, "ROOST_SOCKET": self.station.socket, "ROOST_COURIER_SOCKET": self.courier.socket}
        try:
            answer = self.check.roost(*words, env=environment, timeout=ANSWER_SECONDS, **options)
        except subprocess.TimeoutExpired:
            self.check.demand(False, f"roost {' '.join(words)}: no end in {ANSWER_SECONDS} s")
            return UNKNOWN
        self.took(began, f"roost {' '.join(words[:3])}")
        self.look(answer.stdout + answer.stderr, f"roost {' '.join(words)}")
        if answer.returncode == 0:
            return DONE
        said = answer.stderr.strip()
        self.refuse(f"roost {words[0]} {words[1]} {answer.returncode}: {said[:60]}")
        # A connection that broke off ends in 1 with its own sentence.
        is_open = answer.returncode == NO_ANSWER_EXIT or "answer" in said or "connection" in said or "restart" in said
        return UNKNOWN if is_open else REFUSED

    # Files.

    def reloaded(self, subject, value, program):
        """Has a program read its file again, and waits until that is in use; one that was killed reads it when it starts."""
        process = self.process(program)
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGHUP)

        def there():
            if any(self.process(one).poll() is not None for one in PROGRAMS):
                return True  # The end of the round looks for it.
            reports = self.reports()
            return reports and subject.read(reports) == value
        if not until(there, ANSWER_SECONDS, 0.1):
            self.demand_answers()
            self.check.demand(False, f"{subject.name} of a file is not in use {ANSWER_SECONDS} s after a reload")
        return DONE

    def spoilt(self, path, program, wrong):
        """Files with a mistake change nothing; the one of before takes its place again."""
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for content in (*wrong(text), text):
            self.replace(path, content)
            with contextlib.suppress(ProcessLookupError):
                self.process(program).send_signal(signal.SIGHUP)
            time.sleep(0.1)
        return REFUSED

    @staticmethod
    def replace(path, text):
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(path + ".new", path)

    # Reports.

    def reports(self, entries=("page-target", "shell-receiver", "file-target")):
        """What the page would show; none while a program is away."""
        found = {}
        for name in ("settings", "rules", "devices"):
            status, found[name] = self.ask("GET", "/" + name)
            if status != 200 or found[name] is None:
                return None
        if found["rules"].get("alerts") is None:
            return None
        found["entries"] = {}
        for name in entries:
            status, answer = self.ask("GET", f"/outbox/{name}/entry")
            if status not in (200, 404):
                return None
            found["entries"][name] = answer if status == 200 else None
        return found

    def files(self):
        """Each file of settings can be read whole, and each entry has the secret that came with it."""
        for place in ("store", "courier"):
            path = os.path.join(self.card, place, "settings.json")
            if not os.path.exists(path):
                continue
            with open(path, encoding="utf-8") as file:
                text = file.read()
            try:
                content = json.loads(text)
            except ValueError:
                self.check.demand(False, f"{path} is no JSON: {text[:200]!r}")
                continue
            if place == "courier":
                self.secrets_fit(content)

    def secrets_fit(self, content):
        for section, number in (("targets", "timeoutSeconds"), ("receivers", "waitSeconds")):
            for name, entry in content.get(section, {}).items():
                kept = content.get("secrets", {}).get(name, {}).get("token")
                self.check.same(kept, secret(int(entry[number]) - 5), f"the secret of {name} with {number} {entry[number]}")

    def read_everything(self, chance: random.Random):
        """One thing that people read, so that it is asked among the changes."""
        what = chance.choice(("diagnostics", "health", "station", "outbox", "events", "export", "backup", "live", "doctor"))
        if what in ("diagnostics", "health", "station", "outbox"):
            self.ask("GET", "/" + what)
        elif what == "events":
            self.shell("events", "--last", "1h", "--json")
        elif what == "export":
            self.shell("export", "--format", "ndjson", "--last", "1h")
        elif what == "backup":
            self.backup(chance.randrange(1 << 30))
        elif what == "doctor":
            self.ask("POST", "/actions/doctor", {})
        else:
            with contextlib.suppress(OSError, ValueError):
                connection = Connection(self.station.socket, timeout=ANSWER_SECONDS)
                connection.send(command="live")
                connection.line()
                connection.close()

    def backup(self, number):
        path = self.check.path(f"{number}.backup")
        self.shell("backup", path, "--courier-socket", self.courier.socket, "--claim-socket", self.check.path("none.sock"))
        if os.path.exists(path):
            with open(path, "rb") as file:
                self.look(file.read().decode("latin-1"), "a backup without a passphrase")
            os.remove(path)

    def logs(self):
        for name, text in (("roostd", self.station.log()), ("roost-courier", self.courier.log())):
            self.look(text, f"the log of {name}")
        with open(self.check.path("web.log"), encoding="utf-8", errors="replace") as file:
            self.look(file.read(), "the log of roost-web")

    @contextlib.contextmanager
    def full(self):
        """No room on the card within."""
        path = os.path.join(self.card, "filler")
        with open(path, "wb", buffering=0) as file:
            with contextlib.suppress(OSError):
                while True:
                    file.write(bytes(1 << 20))
            with contextlib.suppress(OSError):
                while True:
                    file.write(bytes(512))
        try:
            yield
        finally:
            os.remove(path)
