"""Home Assistant from PyPI in a Debian root of its own, and a mosquitto with passwords and an access list."""

import json
import os
import shutil
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

from ..browser.dashboard import free_port
from ..check import ROOT, Failed, Skipped, until
from ..packaging.debian_root import mirror, need
from ..station import end, kill

VERSION = "2026.2.3"  # Needs Python 3.13.2, which Debian 13 has.
FOLDER = os.path.join(ROOT, ".build-home-assistant")
PYTHON, HASS = "/srv/ha/bin/python3", "/srv/ha/bin/hass"
# The integrations whose packages Home Assistant would fetch itself at its first start.
INTEGRATIONS = ("mqtt", "frontend", "recorder")
START_SECONDS = 120
CONFIGURATION = """homeassistant:
  name: house
  unit_system: metric
  time_zone: UTC
  latitude: 45.5
  longitude: 9.2
  elevation: 100
  country: IT
  currency: EUR
api:
config:
history:
recorder:
  commit_interval: 1
http:
  server_host: 127.0.0.1
  server_port: {port}
logger:
  default: warning
"""
# Prints the packages that the integrations need.
NEEDED = """import json, pathlib, homeassistant
base = pathlib.Path(homeassistant.__file__).parent / "components"
for name in sys.argv[1:]:
    print(*json.loads((base / name / "manifest.json").read_text()).get("requirements", []), sep="\\n")
"""
# Home Assistant's own list of versions that go together; its dependencies' dependencies are not in its metadata.
CONSTRAINTS = """import glob, zipfile
with zipfile.ZipFile(glob.glob("/srv/wheel/homeassistant-*.whl")[0]) as wheel:
    open("/srv/constraints.txt", "wb").write(wheel.read("homeassistant/package_constraints.txt"))
"""


class HomeAssistantRoot:
    """The root with Python and Home Assistant, in the project's folder; made once."""

    def __init__(self, check):
        self.check, self.folder = check, os.path.join(FOLDER, "root")

    def path(self, place):
        return os.path.join(self.folder, place.lstrip("/"))

    def command(self, *words):
        """A command line in the root, as low as a background job."""
        return ["nice", "-n", "10", "chroot", self.folder, "env", "HOME=/srv", "LC_ALL=C.UTF-8",
                "PATH=/srv/ha/bin:/usr/bin:/bin", *words]

    def run(self, *words):
        done = subprocess.run(self.command(*words), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Skipped(f"{' '.join(words)[:80]}: {done.stderr[-400:]}")
        return done.stdout

    def demand(self):
        """Makes it, or says why the check cannot run."""
        need("mmdebstrap", "chroot")
        ready = os.path.join(FOLDER, "ready")
        if os.path.exists(ready):
            with open(ready, encoding="ascii") as file:
                if file.read().strip() == VERSION:
                    return
        self.check.say(f"a root of Debian 13 with Home Assistant {VERSION}, once")
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(FOLDER, exist_ok=True)
        done = subprocess.run(
            ["mmdebstrap", "--quiet", "--variant=apt", '--aptopt=Acquire::Check-Valid-Until "false"',
             "--include=python3,python3-venv,python3-dev,gcc,g++,libc6-dev,libffi-dev,zlib1g-dev,ca-certificates,tzdata",
             "trixie", self.folder, f"deb {mirror()} trixie main"], stdout=sys.stderr, check=False)
        if done.returncode != 0:
            raise Skipped("mmdebstrap cannot make a root of Debian 13")
        for place in ("/etc/resolv.conf", "/etc/ssl/certs/ca-certificates.crt"):
            if os.path.exists(place):
                shutil.copy(place, self.path(place))
        self.run("/usr/bin/python3", "-m", "venv", "/srv/ha")
        pip = (PYTHON, "-m", "pip", "--quiet", "--disable-pip-version-check", "--retries", "2")
        self.run(*pip, "download", "--no-deps", "--dest", "/srv/wheel", f"homeassistant=={VERSION}")
        self.run(PYTHON, "-c", CONSTRAINTS)
        self.run(*pip, "install", "--constraint", "/srv/constraints.txt", "--find-links", "/srv/wheel",
                 f"homeassistant=={VERSION}")
        needed = self.run(PYTHON, "-c", "import sys\n" + NEEDED, *INTEGRATIONS).split()
        self.run(*pip, "install", "--constraint", "/srv/constraints.txt", *needed)
        with open(ready, "w", encoding="ascii") as file:
            file.write(VERSION + "\n")


class HomeAssistant:
    """A running Home Assistant with one owner and its MQTT integration."""

    def __init__(self, check, root):
        self.check, self.root, self.process = check, root, None
        self.port, self.token, self.refresh = free_port(), None, None
        self.inside = "/srv/" + os.path.basename(check.folder)
        self.log_path = check.path("home-assistant.log")
        os.makedirs(root.path(self.inside))
        with open(root.path(self.inside + "/configuration.yaml"), "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(port=self.port))
        check.ends(self)

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}/"

    def start(self):
        """Starts it and logs in; the first time its owner is made."""
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                self.root.command(HASS, "-c", self.inside, "--skip-pip", "--log-no-color"), stdout=log, stderr=log)
        if not until(self.is_there, START_SECONDS):
            raise Failed(f"Home Assistant does not start: {self.log()[-600:]}")
        if self.refresh is None:
            owner = {"client_id": self.address, "name": "Anna", "username": "anna", "password": "a red bicycle",
                     "language": "en"}
            code = self.ask("POST", "/api/onboarding/users", owner)["auth_code"]
            answer = self.log_in(grant_type="authorization_code", code=code)
            self.refresh = answer["refresh_token"]
        else:
            answer = self.log_in(grant_type="refresh_token", refresh_token=self.refresh)
        self.token = answer["access_token"]

    def is_there(self):
        try:
            return self.ask("GET", "/api/onboarding") is not None
        except OSError:
            return False

    def log_in(self, **form):
        return self.send("POST", "/auth/token", urllib.parse.urlencode({"client_id": self.address, **form}).encode(),
                         "application/x-www-form-urlencoded")

    def ask(self, method, path, body=None):
        return self.send(method, path, None if body is None else json.dumps(body).encode(), "application/json")

    def send(self, method, path, data, kind):
        headers = {"Content-Type": kind, **({"Authorization": f"Bearer {self.token}"} if self.token else {})}
        request = urllib.request.Request(self.address.rstrip("/") + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read() or b"null")

    def add_broker(self, port, user, password):
        """*Settings → Devices & services → Add integration → MQTT*."""
        flow = self.ask("POST", "/api/config/config_entries/flow", {"handler": "mqtt"})
        done = self.ask("POST", f"/api/config/config_entries/flow/{flow['flow_id']}",
                        {"broker": "127.0.0.1", "port": port, "username": user, "password": password})
        if done.get("type") != "create_entry":
            raise Failed(f"the integration MQTT is not added: {done}")

    def entities(self, device):
        """What it shows of a device, by the entity's name without the device's: (id, state, attributes)."""
        try:
            states = self.ask("GET", "/api/states")
        except (OSError, ValueError):
            return {}
        found = {}
        for one in states:
            name = one["attributes"].get("friendly_name", "")
            if name.startswith(device + " "):
                found[name[len(device) + 1:]] = (one["entity_id"], one["state"], one["attributes"])
        return found

    def state(self, device, name):
        return self.entities(device).get(name, (None, None, {}))[1]

    def past(self, entity):
        """The recorded states of an entity, oldest first."""
        query = urllib.parse.urlencode({"filter_entity_id": entity, "minimal_response": "", "no_attributes": ""})
        lists = self.ask("GET", f"/api/history/period?{query}")
        return [one["state"] for one in lists[0]] if lists else []

    def registry(self):
        """The unique id of each entity of MQTT, as written some seconds after a change."""
        with open(self.root.path(self.inside + "/.storage/core.entity_registry"), encoding="utf-8") as file:
            entries = json.load(file)["data"]["entities"]
        return {one["entity_id"]: one["unique_id"] for one in entries if one["platform"] == "mqtt"}

    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def complaints(self):
        """Its warnings and errors about MQTT, but for those of a connection that was lost or refused."""
        lines = [line for line in self.log().splitlines() if " WARNING " in line or " ERROR " in line]
        return [line for line in lines if "mqtt" in line.lower() and ".mqtt.client]" not in line]

    def stop(self):
        return end(self.process, 60)

    def close(self):
        if self.process is not None:
            kill(self.process)
        shutil.rmtree(self.root.path(self.inside), ignore_errors=True)


class Ended:
    """A process that is ended with the check."""

    def __init__(self, process):
        self.process = process

    def close(self):
        end(self.process)


class Broker:
    """A mosquitto without a file of its own; `users` are passwords by name, `access` lines of its access list."""

    def __init__(self, check, users, access):
        self.check, self.port, self.process = check, free_port(), None
        passwords = check.path("mosquitto.passwords")
        open(passwords, "w", encoding="ascii").close()
        for name, password in users.items():
            subprocess.run(["mosquitto_passwd", "-b", passwords, name, password], check=True, stderr=subprocess.DEVNULL)
        with open(check.path("mosquitto.access"), "w", encoding="ascii") as file:
            file.write("\n".join(access) + "\n")
        with open(check.path("mosquitto.conf"), "w", encoding="ascii") as file:
            file.write(f"listener {self.port} 127.0.0.1\nallow_anonymous false\npassword_file {passwords}\n"
                       f"acl_file {check.path('mosquitto.access')}\npersistence false\nuser root\n")
        check.ends(self)

    def start(self):
        program = shutil.which("mosquitto", path="/usr/sbin:/usr/bin")
        with open(self.check.path("mosquitto.log"), "ab") as log:
            self.process = subprocess.Popen([program, "-c", self.check.path("mosquitto.conf")], stdout=log, stderr=log)

    def listen(self, user, password):
        """Writes every message into a log of the check, for a person who looks for a reason."""
        with open(self.check.path("topics.log"), "ab") as log:
            self.check.ends(Ended(subprocess.Popen(
                ["mosquitto_sub", "-h", "127.0.0.1", "-p", str(self.port), "-u", user, "-P", password, "-t", "#", "-F",
                 "%I %r %t %p"], stdout=log, stderr=log)))

    def retained(self, topic, user, password):
        """The retained messages of a filter, by topic."""
        done = subprocess.run(["mosquitto_sub", "-h", "127.0.0.1", "-p", str(self.port), "-u", user, "-P", password, "-t",
                               topic, "-v", "-W", "2", "--retained-only"], capture_output=True, text=True, check=False)
        return dict(line.split(" ", 1) for line in done.stdout.splitlines() if " " in line)

    def kill(self):
        return kill(self.process)

    def close(self):
        if self.process is not None:
            end(self.process)
