"""Backups of every format restored on a fresh station, and damaged ones that change nothing.

The files lie in Tests/BackupTests/Fixtures, one plain and one with a passphrase for each format, as the first version wrote
them that had it. Each is cut at several places, changed by one byte, and given with a wrong passphrase: nothing changes.
Then each is restored on a roostd, roost-courier and roost-web that have nothing: settings, rules, titles, devices, targets
and receivers are those of the file, and with the passphrase their secrets and the people, too.
"""

import json
import os

from ..check import ROOT, Failed, until
from ..courier import Courier
from ..station import Part, Station
from .accounts import Site

PRODUCTS = ("roost", "roostd", "roost-web", "roost-courier")
FOLDER = os.path.join(ROOT, "Tests", "BackupTests", "Fixtures")
PASSPHRASE, PASSWORD, TOKEN = "correct horse", "seven-Kettles-hum", "zq-token-x7k2vw9m"
ANNA = "anna@example.org"
FORMAT = 1
START_SECONDS = 30
SETTINGS = {"title": "Klasse 3b – Süd", "zone": "Europe/Rome", "position": "46.1699, 9.8786", "levels": "pm25 10 20, pm10 20 40"}
RULES = {"stuffy": 1500.0, "dusty": 80.0}
BOARD = "http://192.168.254.7/"  # Nothing answers there.
ENTRIES = {"influx": ("targets", "influx2", {"url": "http://192.168.254.8:8086", "org": "home", "bucket": "air"}),
           "phone": ("receivers", "ntfy", {"url": "http://192.168.254.9", "topic": "balcony"})}


def arguments(parser):
    parser.add_argument("--write", action="store_true", help=f"make the files of format {FORMAT} anew, from a new station")


class Fresh:
    """All programs of a station, with nothing that a person set."""

    def __init__(self, check, name):
        self.check, folder = check, check.path(name + "-card")
        self.part = Part(check, "sds011", link=check.path(name + "-sensor"))
        self.station = Station(check, name, devices=[{"name": "dust", "type": "sds011", "port": self.part.place}],
                               detect=False, store={"folder": folder})
        self.station.start()
        if not until(self.station.status, START_SECONDS):
            raise Failed(f"roostd does not answer: {self.station.log()[-600:]}")
        self.station.trust_clock()
        self.courier = Courier(check, self.station)
        self.courier.start()
        self.web = Site(check, name + "-web", self.station.socket)
        self.web.start()
        if not until(self.courier.report, START_SECONDS):
            raise Failed(f"roost-courier does not answer: {self.courier.log()[-600:]}")

    def roost(self, *words, **options):
        return self.courier.roost(*words, "--socket", self.station.socket, **options)

    def backup(self, command, path, *words, passphrase=None, **options):
        """`roost backup` or `roost restore`, with the passphrase in a file."""
        if passphrase is not None:
            place = self.check.path("passphrase")
            with open(place, "w", encoding="utf-8") as file:
                file.write(passphrase + "\n")
            words += ("--passphrase-file", place)
        return self.check.roost(command, path, *words, "--socket", self.station.socket, "--courier-socket",
                                self.courier.socket, "--claim-socket", self.web.claims, **options)

    def fill(self):
        for key, value in SETTINGS.items():
            self.roost("settings", "set", key, value, status=0)
        for name, limit in RULES.items():
            self.roost("alerts", "add", name, "--channel", "dust/pm25", "--above", f"{limit:g}", status=0)
        self.roost("alerts", "off", "who-24h", status=0)
        self.roost("devices", "set", "dust", "--title", "Fenster links", status=0)
        self.roost("devices", "add", "board", "--at", BOARD, "--every", "60s", status=0)
        for name, (section, kind, options) in ENTRIES.items():
            words = [f"{key}={value}" for key, value in options.items()]
            self.courier.roost(section.removesuffix("s"), "add", name, kind, *words, "--secret", "token", input=TOKEN, status=0)
        form = {"name": "Anna", "email": ANNA, "password": PASSWORD}
        status, said, _ = self.web.ask("POST", "/claim", {**form, "code": self.web.claim()["code"]})
        self.check.same(status, 201, f"the claim: {said}")

    def content(self):
        """All that a backup can change."""
        settings = self.station.asked("settings") or {}
        alerts = self.station.asked("alerts") or {}
        devices = self.station.asked("devices") or {}
        rules = [*alerts.get("rules", []), *alerts.get("off", [])]
        return {
            "settings": {one["key"]: one["value"] for one in settings.get("settings", []) if one["origin"] == "ui"},
            "rules": {one["id"]: one["parts"][0]["limits"][0] for one in rules if one["origin"] == "ui"},
            "off": sorted(one["id"] for one in alerts.get("off", [])),
            "devices": {one["name"]: one.get("title") for one in devices.get("devices", [])},
            "entries": sorted(one["id"] for kind in ("targets", "receivers", "leftOut")
                              for one in self.courier.report().get(kind) or []),
            "tokens": self.tokens(), "people": self.people()}

    def tokens(self):
        path = os.path.join(self.station.folder, "courier", "settings.json")
        if not os.path.exists(path):
            return {}
        with open(path, encoding="utf-8") as file:
            return {name: one.get("token") for name, one in json.load(file).get("secrets", {}).items()}

    def people(self):
        """Whether the person of the file can log in."""
        return self.web.ask("POST", "/login", {"email": ANNA, "password": PASSWORD})[0] == 200

    def close(self):
        for one in (self.web, self.courier, self.station, self.part):
            one.close()


def spoilt(data):
    """Copies that no station may take: cut, longer, and with another byte."""
    size = len(data)
    for length in (0, 1, size // 3, size // 2, size - 2):
        yield f"cut to {length} bytes", data[:length]
    for place in (0, 2, size // 4, size // 2, 3 * size // 4, size - 3):
        yield f"with another byte at {place}", data[:place] + bytes([data[place] ^ 1]) + data[place + 1:]
    yield "twice", data + data


def nothing_changes(check, one, path, passphrase):
    before = one.content()
    with open(path, "rb") as file:
        data = file.read()
    place, count = check.path("spoilt.backup"), 0
    for what, content in spoilt(data):
        with open(place, "wb") as file:
            file.write(content)
        tried = one.backup("restore", place, passphrase=passphrase)
        check.same(tried.returncode, 1, f"{os.path.basename(path)} {what}: {tried.stdout}{tried.stderr}")
        count += 1
    if passphrase is not None:
        tried = one.backup("restore", path, passphrase=passphrase + "s")
        check.demand(tried.returncode == 1 and "passphrase is wrong" in tried.stderr, f"a wrong passphrase: {tried.stderr}")
    tried = one.backup("restore", path, "--dry-run", passphrase=passphrase)
    check.same(tried.returncode, 0, f"{os.path.basename(path)}, only shown: {tried.stderr}")
    check.same(one.content(), before, f"what {count} spoilt copies of {os.path.basename(path)} change")
    return count + 1


def restores(check, one, path, passphrase):
    done = one.backup("restore", path, passphrase=passphrase)
    check.same(done.returncode, 0, f"{os.path.basename(path)}: {done.stdout}{done.stderr}")
    found, is_sealed = one.content(), passphrase is not None
    wanted = {"settings": SETTINGS, "rules": RULES, "off": ["who-24h"], "devices": {"dust": "Fenster links", "board": None},
              "entries": sorted(ENTRIES), "tokens": {name: TOKEN for name in ENTRIES} if is_sealed else {}, "people": is_sealed}
    for key, value in wanted.items():
        if key == "off":
            check.demand(set(value) <= set(found[key]), f"{os.path.basename(path)}: rules that are off: {found[key]}")
        else:
            check.same(found[key], value, f"{os.path.basename(path)}: {key}")
    one.station.kill()
    one.station.start()
    if not until(one.station.status, START_SECONDS):
        raise Failed(f"roostd does not answer after its restart: {one.station.log()[-600:]}")
    check.same(one.content()["settings"], SETTINGS, f"{os.path.basename(path)}: settings after a restart")


def write(check):
    one = Fresh(check, "filled")
    one.fill()
    for name, passphrase in ((f"format-{FORMAT}.backup", None), (f"format-{FORMAT}-sealed.backup", PASSPHRASE)):
        path = os.path.join(FOLDER, name)
        if os.path.exists(path):
            os.remove(path)
        made = one.backup("backup", path, passphrase=passphrase)
        check.same(made.returncode, 0, f"{name}: {made.stdout}{made.stderr}")
        os.chmod(path, 0o644)
    one.close()


def run(check, options):
    if options.write:
        write(check)
    names = sorted(name for name in os.listdir(FOLDER) if name.endswith(".backup"))
    for number in range(1, FORMAT + 1):
        wanted = {f"format-{number}.backup", f"format-{number}-sealed.backup"}
        check.demand(wanted <= set(names), f"no files of format {number} in {FOLDER}: {names}")
    count = 0
    for index, name in enumerate(names):
        path, passphrase = os.path.join(FOLDER, name), PASSPHRASE if "sealed" in name else None
        one = Fresh(check, f"fresh{index}")
        count += nothing_changes(check, one, path, passphrase)
        restores(check, one, path, passphrase)
        one.close()
    return f"{len(names)} backups restored, {count} spoilt or only shown"
