"""The life of Roost's packages in a clean Debian root: each step by its name, and whether it went as promised."""

import contextlib
import json
import os
import re
import shutil
import subprocess

from ..check import Failed, until
from .debian_root import DebianRoot
from ..station import end

NAMES = ("roost", "roost-web", "roost-courier", "roost-eyes")
PROGRAMS = ("roostd", *NAMES)
UNITS = ("multi-user.target.wants/roostd.service", "multi-user.target.wants/roost-power-off.path",
         "multi-user.target.wants/roost-bus.path", "multi-user.target.wants/roost-bus.service",
         "sockets.target.wants/roost-web.socket",
         "multi-user.target.wants/roost-courier.path", "multi-user.target.wants/roost-courier.service",
         "multi-user.target.wants/roost-eyes.path", "multi-user.target.wants/roost-eyes.service")
CONFIGURATION = "/etc/roost/roost.json"
OWNERS = ["/var/lib/roost roost:roost 750", "/etc/roost root:root 755", "/etc/roost/secrets roost-courier:roost-courier 700"]
STEPS = ("installed", "upgraded with an open store", "changed configuration kept", "disabled stays so", "downgraded",
         "removed configuration stays away", "user made anew", "removed", "installed again", "purged")


def bumped(check, path, mark="1"):
    """The same package with a higher version and another default configuration."""
    folder = check.path("bumped")
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(["dpkg-deb", "--raw-extract", path, folder], check=True)
    control = os.path.join(folder, "DEBIAN", "control")
    with open(control, encoding="utf-8") as file:
        text = file.read()
    # Packages of one version need each other.
    text = re.sub(r"^Version: (.*)$", rf"Version: \1.{mark}", text, flags=re.MULTILINE)
    text = re.sub(r"(roost(?:-swift)?) \(= (.*?)\)", rf"\1 (= \2.{mark})", text)
    with open(control, "w", encoding="utf-8") as file:
        file.write(text)
    default = folder + CONFIGURATION
    if os.path.exists(default):
        with open(default, "a", encoding="utf-8") as file:
            file.write("\n")
    version = re.search(r"^Version: (.*)$", text, re.MULTILINE)[1]
    name, _, rest = os.path.basename(path).split("_")
    target = check.path(f"{name}_{version}_{rest}")
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", folder, target], check=True,
                   stdout=subprocess.DEVNULL)
    return target


def needed(files):
    """The packages of Debian that packages need."""
    depends = [subprocess.check_output(["dpkg-deb", "--field", file, "Depends"], text=True) for file in files]
    return sorted({name for text in depends for name in re.findall(r"(?:^|, )(?!roost)([a-z0-9.+-]+)", text)})


class Life:
    """One life of the packages of a suite and an architecture; `steps` has what became of each step."""

    def __init__(self, check, key, packages, archive):
        self.check, self.where, self.steps = check, " ".join(key), {}
        self.root = DebianRoot(check, *key, archive)
        self.names = [name for name in (*NAMES, "roost-swift") if name in packages]
        self.files = [packages[name] for name in self.names]
        self.next = [bumped(check, file) for file in self.files]

    def live(self):
        root = self.root
        root.run("apt-get", "update", "-qq", "-o", "Acquire::Check-Valid-Until=false")
        # What the packages need is there before, so that a purge can be compared.
        root.run("apt-get", "install", "--yes", "--quiet", "--no-install-recommends", "passwd", *needed(self.files))
        before = root.files()
        self.install()
        self.upgrade()
        self.downgrade()
        self.lose_configuration()
        self.lose_user()
        self.remove()
        self.purge(before)
        root.close()
        return self.steps

    @contextlib.contextmanager
    def step(self, name):
        """Notes whether what is demanded within was so."""
        count = len(self.check.problems)
        yield f"{self.where}, {name}"
        self.steps[name] = len(self.check.problems) == count
        self.check.say(f"{self.where}: {name}" + ("" if self.steps[name] else ": NOT as promised"))

    def demand_installed(self, where):
        """What stands after an installation."""
        check, root = self.check, self.root
        for program in PROGRAMS:
            said = root.run(f"/usr/bin/{program}", "--version")
            check.demand(re.search(r"\d+\.\d+\.\d+", said), f"{where}: {program} --version says {said}")
        for unit in UNITS:
            check.demand(root.has(f"/etc/systemd/system/{unit}"), f"{where}: {unit} is not enabled")
        for user in NAMES:
            check.demand(re.search(rf"^{user}:", root.read("/etc/passwd"), re.MULTILINE), f"{where}: no user {user}")
        owners = root.run("stat", "-c", "%n %U:%G %a", "/var/lib/roost", "/etc/roost", "/etc/roost/secrets").split("\n")
        check.same(owners[:3], OWNERS, f"{where}: owners")
        self.demand_configuration(where)

    def demand_configuration(self, where):
        said = self.root.run("/usr/bin/roostd", "--check")
        self.check.demand("right" in said, f"{where}: roostd --check says {said}")

    def install(self):
        with self.step("installed") as where:
            self.root.install(*self.files)
            self.demand_installed(where)
            said = self.root.run("bash", "-c", ". /usr/share/bash-completion/completions/roost; complete -p roost")
            self.check.demand("roost" in said, f"{where}: no completion: {said}")

    def start_station(self):
        """A station as its unit starts it, with a simulated HTTP board that measures each second."""
        self.root.run("install", "-d", "-o", "roost", "-g", "roost", "-m", "750", "/run/roost")
        station = self.root.spawn("roost", "/usr/bin/roostd")
        answers = until(lambda: self.root.ask("roost", "roost", "status", "--json"), 60)
        if not answers:
            raise Failed(f"{self.where}: the station does not answer: {self.root.spawned()[-800:]}")
        return station

    def rows(self):
        """The samples in the station's history, without asking a station."""
        text = self.root.run("/usr/bin/roost", "export", "--format", "csv", "--store", "/var/lib/roost")
        return text.count("temperature")

    def upgrade(self):
        check, root = self.check, self.root
        board = root.spawn("roost", "/usr/bin/roost", "simulator", "http")
        found = until(lambda: re.search(r"^ready (\S+)", root.spawned(), re.MULTILINE), 60)
        if not found:
            raise Failed(f"{self.where}: no simulated board: {root.spawned()[-800:]}")
        device = {"name": "court", "type": "milano-board", "address": found[1], "intervalSeconds": 1}
        owners = self.owners = json.dumps({"name": "mine", "reach": ["loopback"], "devices": [device],
                                           "store": {"megabytes": 4, "lossWindowSeconds": 10}}, indent=2)
        with self.step("upgraded with an open store") as where:
            root.write(CONFIGURATION, owners)
            self.demand_configuration(where)
            station = self.start_station()
            measured = until(lambda: "court/temperature" in root.ask("roost", "roost", "status"), 60)
            check.demand(measured, f"{where}: no value before: {root.spawned()[-400:]}")
            root.run("systemctl", "disable", "--quiet", "roost-web.socket")
            root.install(*self.next)
            check.demand(station.poll() is None, f"{where}: the running station ended with {station.returncode}")
            check.demand(root.ask("roost", "roost", "status", "--json"), f"{where}: the new roost cannot ask the station that runs on")
            check.same(end(station), 0, f"{where}: the exit status of the old station")
            before = self.rows()
            check.demand(before > 0, f"{where}: nothing was recorded")
            station = self.start_station()
            check.same(end(station), 0, f"{where}: the exit status of the new station")
            check.demand(self.rows() >= before, f"{where}: {self.rows()} samples, before it {before}")
        with self.step("changed configuration kept") as where:
            check.same(root.read(CONFIGURATION), owners, where)
        with self.step("disabled stays so") as where:
            check.demand(not root.has(f"/etc/systemd/system/{UNITS[1]}"), f"{where}: the dashboard is enabled by an upgrade")
            for unit in (UNITS[0], *UNITS[2:]):
                check.demand(root.has(f"/etc/systemd/system/{unit}"), f"{where}: {unit} is not enabled after an upgrade")
        end(board)

    def downgrade(self):
        with self.step("downgraded") as where:
            self.root.install(*self.files)
            self.check.same(self.root.read(CONFIGURATION), self.owners, f"{where}: configuration")
            self.check.demand(self.rows() > 0, f"{where}: no history")
            # One package alone leaves the others with a library that is not theirs.
            if "roost-swift" in self.names:
                for files, status in ((self.next, 100), (self.files, 0)):
                    place = "/packages/" + os.path.basename(files[self.names.index("roost-swift")])
                    self.root.run("dpkg", "--install", place)
                    self.root.run("apt-get", "check", status=status)

    def lose_configuration(self):
        with self.step("removed configuration stays away") as where:
            os.remove(self.root.path(CONFIGURATION))
            # Where the shipped file changed, too, dpkg asks a person; without one it needs an answer, as here.
            self.root.install(*self.next)
            self.check.demand(not self.root.has(CONFIGURATION), f"{where}: an upgrade made it again")
            self.demand_configuration(where)
            self.root.install(*self.files, options=("Dpkg::Options::=--force-confmiss",))
            self.check.demand(self.root.has(CONFIGURATION), f"{where}: --force-confmiss does not make it again")
            self.root.write(CONFIGURATION, self.owners)

    def lose_user(self):
        """A user who was removed by hand; their number is another user's before they come back."""
        root = self.root
        with self.step("user made anew") as where:
            number = root.run("id", "--user", "roost").strip()
            root.write("/etc/roost/secrets/influx", "secret", 0o600)
            root.run("chown", "roost-courier:roost-courier", "/etc/roost/secrets/influx")
            # As its unit makes it.
            root.run("install", "-d", "-o", "roost-eyes", "-g", "roost", "-m", "750", "/var/lib/roost-eyes")
            root.write("/var/lib/roost-eyes/pictures", "a picture", 0o640)
            root.run("chown", "roost-eyes:roost", "/var/lib/roost-eyes/pictures")
            for user in reversed(NAMES):
                root.run("userdel", user)
            root.run("useradd", "--system", "--uid", number, "--no-create-home", "stranger")
            root.install(*self.next)
            self.demand_installed_users(where)
            found = root.run("find", "/var/lib/roost", "/var/lib/roost-eyes", "/etc/roost/secrets", "(", "-nouser", "-o",
                             "-nogroup", "-o", "-user", "stranger", ")")
            self.check.same(found, "", f"{where}: files of no user, or of another")
            self.check.same(root.run("stat", "-c", "%U", "/etc/roost/secrets/influx").strip(), "roost-courier", where)
            self.check.same(root.run("stat", "-c", "%U:%G", "/var/lib/roost-eyes/pictures").strip(), "roost-eyes:roost", where)
            root.run("userdel", "stranger")

    def demand_installed_users(self, where):
        owners = self.root.run("stat", "-c", "%n %U:%G %a", "/var/lib/roost", "/etc/roost", "/etc/roost/secrets")
        self.check.same(owners.split("\n")[:3], OWNERS, f"{where}: owners")

    def remove(self):
        check, root = self.check, self.root
        with self.step("removed") as where:
            rows = self.rows()
            root.run("apt-get", "remove", "--yes", "--quiet", *self.names)
            for program in PROGRAMS:
                check.demand(not root.has(f"/usr/bin/{program}"), f"{where}: {program} is there")
            check.same(root.read(CONFIGURATION), self.owners, f"{where}: configuration")
        with self.step("installed again") as where:
            root.install(*self.files)
            check.same(self.rows(), rows, f"{where}: samples in the history")
            check.demand(root.has(f"/etc/systemd/system/{UNITS[0]}"), f"{where}: roostd is not enabled")
            check.demand(not root.has(f"/etc/systemd/system/{UNITS[1]}"), f"{where}: what was disabled is enabled")

    def purge(self, before):
        check, root = self.check, self.root
        with self.step("purged") as where:
            root.write("/etc/roost/courier.json", "{}")
            root.write("/etc/roost/eyes.json", "{}")
            said = root.run("apt-get", "purge", "--yes", "--quiet", *self.names)
            check.demand("the history stays in /var/lib/roost" in f"{said}", f"{where}: it says {said}")
            check.demand(os.path.exists(f"{root.folder}/var/lib/roost/history.db"), f"{where}: the history is gone")
            shutil.rmtree(f"{root.folder}/var/lib/roost")
            check.same(sorted(root.files() - before), [], f"{where}: left")
            left = subprocess.check_output(
                ["find", root.folder, "-xdev", "-name", "*roost*", "-not", "-path", f"{root.folder}/packages*"], text=True)
            check.same(left, "", f"{where}: left by name")
