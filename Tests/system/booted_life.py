"""Roost's packages under a real systemd, the first process of a container with a network of its own."""

import contextlib
import json
import os
import re
import shutil
import subprocess

from .check import Failed, until
from .packaging.debian_root import ENVIRONMENT, DebianRoot
from .packaging.package_life import CONFIGURATION, NAMES, bumped, needed

START_SECONDS = 60
STEPS = ("started by the installation", "restarted by an upgrade, with the history", "stopped and disabled stays so",
         "ended by a removal", "started by a new installation", "nothing left by a purge",
         "a wrong configuration ends the courier once, a right one starts it")
COURIER = {"targets": [{"id": "influx", "type": "influx2", "url": "http://127.0.0.1:9", "org": "home", "bucket": "air",
                        "token": {"secret": "influx"}, "local": True}]}
EYES = {"camera": {}, "megabytes": 1, "pictures": 4}  # Of a camera that is not there.
PROGRAMS = ("roostd", "roost-web", "roost-courier", "roost-eyes")


class Container:
    """systemd of a root as first process; ends with the check."""

    def __init__(self, check, root):
        self.check, self.root = check, root
        with open(check.path("container.log"), "ab") as log:
            self.process = subprocess.Popen(
                ["systemd-nspawn", "--quiet", f"--directory={root.folder}", "--machine=roost-check", "--register=no",
                 "--keep-unit", "--private-network", "--boot"], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        check.ends(self)
        self.leader = until(self.find_leader, START_SECONDS)
        if not self.leader or not until(lambda: self.ask("systemctl", "is-system-running").strip() in ("running", "degraded"),
                                        START_SECONDS):
            raise Failed("systemd does not start in a container; container.log says more")

    def find_leader(self):
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="ascii") as file:
            return file.read().split()[:1]

    def command(self, words):
        place = f"/proc/{self.leader[0]}/root"
        return ["nsenter", f"--target={self.leader[0]}", "--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup",
                f"--root={place}", f"--wd={place}", *words]

    def ask(self, *words):
        """What a command says that may fail."""
        return subprocess.run(self.command(words), capture_output=True, text=True, check=False, env=ENVIRONMENT,
                              stdin=subprocess.DEVNULL).stdout

    def run(self, *words):
        done = subprocess.run(self.command(words), capture_output=True, text=True, check=False, env=ENVIRONMENT,
                              stdin=subprocess.DEVNULL)
        self.check.demand(done.returncode == 0, f"{' '.join(words)[:120]}: status {done.returncode}: "
                          f"{done.stdout[-300:]}{done.stderr[-500:]}")
        return done.stdout

    def state(self, unit, what="ActiveState"):
        return self.ask("systemctl", "show", "--property", what, "--value", unit).strip()

    def visit(self):
        """The status of the dashboard's answer to a visitor of the container's own; 0 without one."""
        done = subprocess.run(["nsenter", f"--target={self.leader[0]}", "--net", "curl", "--silent", "--max-time", "20",
                               "--output", "/dev/null", "--write-out", "%{http_code}", "http://127.0.0.1/"],
                              capture_output=True, text=True, check=False)
        return int(done.stdout or 0)

    def memory(self, unit):
        """Resident and proportional memory of a unit's process, in MiB."""
        place = f"/proc/{self.state(unit, 'MainPID')}/smaps_rollup"
        text = self.ask("cat", place)
        return tuple(int(re.search(rf"^{name}:\s+(\d+)", text, re.MULTILINE)[1]) / 1024 for name in ("Rss", "Pss"))

    def close(self):
        if self.process.poll() is None and self.leader:
            # SIGRTMIN+4: systemd powers off.
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(self.leader[0]), 34 + 4)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(START_SECONDS)
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


class BootedLife:
    """One life of the packages under systemd; `steps` has what became of each step, `memory` what the programs need."""

    def __init__(self, check, key, packages, archive):
        self.check, self.where, self.steps, self.memory = check, f"{' '.join(key)}, booted", {}, {}
        self.names = [name for name in (*NAMES, "roost-swift") if name in packages]
        files = [packages[name] for name in self.names]
        self.root = DebianRoot(check, *key, archive)
        self.root.run("apt-get", "update", "-qq", "-o", "Acquire::Check-Valid-Until=false")
        self.root.run("apt-get", "install", "--yes", "--quiet", "--no-install-recommends", *needed(files))
        self.root.unmount()
        # The units are started here.
        os.remove(self.root.path("/usr/sbin/policy-rc.d"))
        self.files = [self.bring(file) for file in files]
        self.next = [self.bring(bumped(check, file)) for file in files]
        self.inside = Container(check, self.root)

    def bring(self, file):
        os.makedirs(self.root.path("/packages"), exist_ok=True)
        return "/packages/" + os.path.basename(shutil.copy(file, self.root.path("/packages")))

    @contextlib.contextmanager
    def step(self, name):
        count = len(self.check.problems)
        yield f"{self.where}, {name}"
        self.steps[name] = len(self.check.problems) == count
        self.check.say(f"{self.where}: {name}" + ("" if self.steps[name] else ": NOT as promised"))

    def demand_running(self, where):
        for unit in ("roostd.service", "roost-power-off.path", "roost-bus.path", "roost-web.socket", "roost-courier.path", "roost-eyes.path"):
            self.check.same(self.inside.state(unit), "active", f"{where}: {unit}")
        answer = until(lambda: self.inside.ask("roost", "status", "--json"), START_SECONDS)
        self.check.demand(answer, f"{where}: the station does not answer: {self.journal()}")

    def journal(self, unit="roostd.service"):
        return self.inside.ask("journalctl", "--no-pager", "--lines=15", f"--unit={unit}")[-900:]

    def rows(self):
        return self.inside.run("roost", "export", "--format", "csv").count("temperature")

    def live(self):
        self.start()
        self.upgrade()
        self.disable()
        self.remove()
        self.inside.close()
        self.root.close()
        return self.steps, self.memory

    def start(self):
        check, inside = self.check, self.inside
        with self.step(STEPS[0]) as where:
            inside.run("dpkg", "--install", *self.files)
            self.demand_running(where)
            check.same(inside.visit() // 100 in (2, 3), True, f"{where}: the dashboard answers with {inside.visit()}")
            courier = until(lambda: inside.state("roost-courier.service") == "active", START_SECONDS)
            check.demand(courier, f"{where}: the courier does not run: {self.journal('roost-courier.service')}")
            eyes = until(lambda: inside.state("roost-eyes.service") == "active", START_SECONDS)
            check.demand(eyes, f"{where}: roost-eyes does not run without a configuration: {self.journal('roost-eyes.service')}")

    def upgrade(self):
        check, inside, root = self.check, self.inside, self.root
        with open(check.path("board.log"), "wb") as log:
            board = subprocess.Popen(inside.command(["/usr/bin/roost", "simulator", "http"]), stdout=log, stderr=log,
                                     env=ENVIRONMENT, stdin=subprocess.DEVNULL)
        found = until(lambda: re.search(r"^ready (\S+)", open(check.path("board.log"), encoding="utf-8").read(), re.M), 30)
        root.write(CONFIGURATION, json.dumps({
            "name": "mine", "reach": ["loopback"], "store": {"lossWindowSeconds": 10},
            "devices": [{"name": "court", "type": "milano-board", "address": found[1], "intervalSeconds": 1}]}))
        inside.run("systemctl", "restart", "roostd.service")
        root.write("/etc/roost/secrets/influx", "token", 0o600)
        inside.run("chown", "roost-courier:", "/etc/roost/secrets/influx")
        self.correct_courier()
        root.write("/etc/roost/eyes.json", json.dumps(EYES))
        inside.run("systemctl", "restart", "roost-eyes.service")
        with self.step(STEPS[1]) as where:
            check.demand(until(lambda: inside.state("roost-eyes.service") == "active", START_SECONDS),
                         f"{where}: roost-eyes does not run with a configuration: {self.journal('roost-eyes.service')}")
            measured = until(lambda: "temperature" in inside.ask("roost", "status"), START_SECONDS)
            check.demand(measured, f"{where}: no value: {self.journal()}")
            inside.visit()
            self.memory = {unit: inside.memory(unit + ".service") for unit in PROGRAMS}
            before = {unit: inside.state(unit, "MainPID")
                      for unit in ("roostd.service", "roost-courier.service", "roost-eyes.service")}
            inside.run("dpkg", "--force-confold", "--install", *self.next)
            self.demand_running(where)
            for unit, number in before.items():
                check.demand(inside.state(unit, "MainPID") != number, f"{where}: {unit} runs its old program")
                check.same(inside.state(unit, "Result"), "success", f"{where}: {unit}")
            check.demand(inside.visit() // 100 in (2, 3), f"{where}: no dashboard")
            check.demand(self.rows() > 0, f"{where}: no history")
            log = inside.ask("journalctl", "--no-pager", "--unit=roostd.service")
            check.demand("Main process exited" not in log, f"{where}: {log[-900:]}")
        board.terminate()
        board.wait()

    def courier_starts(self):
        return self.inside.ask("journalctl", "--no-pager", "--unit=roost-courier.service").count("Starting ")

    def correct_courier(self):
        """A person's mistake in the courier's configuration, and its correction."""
        inside, root = self.inside, self.root
        with self.step(STEPS[6]) as where:
            count = self.courier_starts()
            root.write("/etc/roost/courier.json", '{ "targets": 1 }')
            inside.ask("systemctl", "restart", "roost-courier.service")
            failed = until(lambda: inside.state("roost-courier.service") == "failed", START_SECONDS)
            self.check.demand(failed, f"{where}: {inside.state('roost-courier.service')}")
            inside.ask("sleep", "5")
            # The restart, and the file that is made and then closed: two changes.
            count = self.courier_starts() - count
            self.check.demand(count <= 3, f"{where}: started {count} times: {self.journal('roost-courier.service')}")
            root.write("/etc/roost/courier.json", json.dumps(COURIER))
            courier = until(lambda: inside.state("roost-courier.service") == "active", START_SECONDS)
            self.check.demand(courier, f"{where}: the courier is not started by its configuration: "
                              f"{inside.state('roost-courier.service')}: {self.journal('roost-courier.service')}")

    def disable(self):
        inside = self.inside
        with self.step(STEPS[2]) as where:
            inside.run("systemctl", "disable", "--now", "roost-web.socket", "roost-courier.path", "roost-courier.service")
            inside.run("dpkg", "--force-confold", "--install", *self.files)
            self.check.same(inside.state("roostd.service"), "active", f"{where}: roostd.service")
            for unit in ("roost-web.socket", "roost-web.service", "roost-courier.path", "roost-courier.service"):
                self.check.same(inside.state(unit), "inactive", f"{where}: {unit}")

    def remove(self):
        check, inside = self.check, self.inside
        with self.step(STEPS[3]) as where:
            inside.run("dpkg", "--remove", *self.names)
            for unit in ("roostd.service", "roost-web.service", "roost-courier.service", "roost-eyes.service"):
                check.demand(inside.state(unit) != "active", f"{where}: {unit} is active")
            check.same(inside.ask("pgrep", "--count", "roost").strip() or "0", "0", f"{where}: processes")
        with self.step(STEPS[4]) as where:
            inside.run("dpkg", "--install", *self.files)
            check.same(inside.state("roostd.service"), "active", f"{where}: roostd.service")
            check.demand(self.rows() > 0, f"{where}: no history")
        with self.step(STEPS[5]) as where:
            inside.run("dpkg", "--purge", *self.names)
            # The history stays until a person removes it.
            inside.run("rm", "-r", "/var/lib/roost/history.db")
            inside.run("rm", "-r", "/var/lib/roost")
            left = inside.run("find", "/etc", "/usr", "/var", "/run", "-xdev", "-name", "*roost*")
            check.same([one for one in left.split() if not one.startswith("/run/systemd/")], [], f"{where}: left")
            check.same(inside.ask("systemctl", "list-unit-files", "--no-legend", "roost*").strip(), "", f"{where}: units")
