"""What an owner set on one station, exported as files of configuration, is what another station with these files has.

A roostd, roost-courier and roost-eyes get settings, rules, devices, a lamp, targets, receivers and a camera's times and
parts by their commands, as the page sets them. `roost settings --export` writes roost.json, courier.json and eyes.json
without a secret. Programs with an empty state start with these files: settings, rules, titles, devices, entries and the
camera's settings are the same, each of them set by the file; and they export the same files again.
"""

import json
import os
import subprocess

from ..check import Failed, until
from ..courier import Courier
from ..station import Part, Station, kill
from .old_backups import BOARD, ENTRIES, RULES, SETTINGS, START_SECONDS, TOKEN

PRODUCTS = ("roost", "roostd", "roost-courier", "roost-eyes")
CAMERA = {"camera.device": "any", "masks": "18:00-08:00,12:00-13:00", "covers": "0 600 300 400,500 0 500 500",
          "retentionDays": "7", "live.isOn": "true", "live.framesPerSecond": "5"}


class Card:
    """The programs of a station; with files in place of what the check would write."""

    def __init__(self, check, name, part, files=None):
        self.check, self.files, self.eyes = check, files, None
        self.station = Station(check, name, devices=[{"name": "dust", "type": "sds011", "port": part.place}],
                               detect=False, store={"folder": check.path(name + "-card")})
        self.courier = Courier(check, self.station)
        folder = self.station.folder
        self.eyes_config, self.eyes_socket = os.path.join(folder, "eyes.json"), os.path.join(folder, "eyes.sock")
        if files:
            self.take()
        self.station.start()
        if not until(self.station.status, START_SECONDS):
            raise Failed(f"roostd does not answer: {self.station.log()[-600:]}")
        self.station.trust_clock()
        self.courier.start()
        with open(check.path(name + "-eyes.log"), "ab") as log:
            self.eyes = subprocess.Popen(
                [check.program("roost-eyes"), "run", "--config", self.eyes_config, "--socket", self.station.socket, "--state",
                 folder, "--control", self.eyes_socket, "--live", os.path.join(folder, "live.sock")], stderr=log)
        if not until(lambda: self.courier.report() and os.path.exists(self.eyes_socket), START_SECONDS):
            raise Failed(f"roost-courier or roost-eyes does not answer: {self.courier.log()[-600:]}")
        check.ends(self)

    def take(self):
        """Puts the files where programs read them; what names places of this machine is that of this card."""
        with open(os.path.join(self.files, "roost.json"), encoding="utf-8") as file:
            given = json.load(file)
        self.station.configure(**{**given, "store": self.station.config["store"]})
        for name, path in (("courier.json", self.courier.config_path), ("eyes.json", self.eyes_config)):
            with open(os.path.join(self.files, name), "rb") as file, open(path, "wb") as copy:
                copy.write(file.read())

    def roost(self, *words, **options):
        return self.courier.roost(*words, "--socket", self.station.socket, **options)

    def camera(self, *words, **options):
        return self.check.roost("camera", *words, "--socket", self.eyes_socket, **options)

    def fill(self):
        for key, value in SETTINGS.items():
            self.roost("settings", "set", key, value, status=0)
        for name, limit in RULES.items():
            self.roost("alerts", "add", name, "--channel", "dust/pm25", "--above", f"{limit:g}", status=0)
        self.roost("alerts", "off", "who-24h", status=0)
        self.roost("alerts", "off", next(iter(RULES)), status=0)
        self.roost("devices", "set", "dust", "--title", "Fenster links", status=0)
        self.roost("devices", "add", "board", "--at", BOARD, "--every", "60s", status=0)
        self.roost("devices", "set", "board", "--title", "Dach", status=0)
        self.roost("devices", "record", "board", "off", status=0)
        for name, (section, kind, options) in ENTRIES.items():
            words = [f"{key}={value}" for key, value in options.items()]
            self.courier.roost(section.removesuffix("s"), "add", name, kind, *words, "--secret", "token", input=TOKEN, status=0)
        for key, value in CAMERA.items():
            self.camera("set", key, value, status=0)

    def export(self, *words, **options):
        return self.roost("settings", "--export", "--courier-socket", self.courier.socket, "--camera-socket", self.eyes_socket,
                          *words, **options)

    def content(self):
        """All that is exported, as the programs say it."""
        settings, alerts = self.station.asked("settings") or {}, self.station.asked("alerts") or {}
        devices = (self.station.asked("devices") or {}).get("devices", [])
        rules = [*alerts.get("rules", []), *alerts.get("off", [])]
        camera = json.loads(self.camera("list", "--json", status=0).stdout)
        report = self.courier.report()
        return {
            "settings": {one["key"]: one.get("value") for one in settings.get("settings", [])},
            "rules": {one["id"]: one["parts"][0]["limits"][0] for one in rules if one["id"] in RULES},
            "off": sorted(one["id"] for one in alerts.get("off", [])),
            "devices": {one["name"]: (one.get("title"), one.get("records")) for one in devices},
            "entries": sorted(one["id"] for kind in ("targets", "receivers") for one in report.get(kind) or []),
            "camera": {one["key"]: one["value"] for one in camera["settings"]}, "isOn": camera["isOn"]}

    def close(self):
        if self.eyes:
            kill(self.eyes)
        for one in (self.courier, self.station):
            one.close()


def texts(folder):
    found = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            found[name] = file.read()
    return found


def run(check, options):
    part = Part(check, "sds011", link=check.path("sensor"))
    one = Card(check, "first", part)
    one.fill()
    before, folder, again = one.content(), check.path("files"), check.path("again")
    said = one.export("--output", folder, status=0)
    for name in ("influx-token", "phone-token", "phone-topic"):
        check.demand(f"roost secret set {name}" in said.stderr, f"the secret {name} is not said: {said.stderr}")
    files = texts(folder)
    check.same(sorted(files), ["courier.json", "eyes.json", "roost.json"], "the files")
    check.demand(not any(TOKEN in text for text in files.values()), "a secret is in a file")
    check.same(one.export(status=0).stdout, files["roost.json"], "what is printed")
    check.demand(one.export("--output", folder).returncode == 1, "files were written over")
    one.close()
    other = Card(check, "second", part, files=folder)
    for name in ("influx-token", "phone-token", "phone-topic"):
        other.courier.secret(name, TOKEN)
    for key, value in other.content().items():
        check.same(value, before[key], f"{key} on the other card")
    listed = json.loads(other.roost("settings", "--json", status=0).stdout)
    origins = {item["key"]: item["origin"] for item in listed["settings"] if item["key"] in SETTINGS}
    check.same(origins, dict.fromkeys(SETTINGS, "file"), "who set it there")
    for words, key in ((("settings", "set", "title", "Nein"), "title"), (("alerts", "on", "who-24h"), "who-24h"),
                       (("devices", "set", "dust", "--title", "Nein"), "title")):
        refused = other.roost(*words)
        check.demand(refused.returncode == 1 and key in refused.stderr, f"{' '.join(words)}: {refused.stdout}{refused.stderr}")
    other.export("--output", again, status=0)
    for name, text in texts(again).items():
        wanted, found = json.loads(files[name]), json.loads(text)
        if name == "roost.json":
            for place in ("name", "socket", "store"):
                wanted.pop(place), found.pop(place)
        check.same(found, wanted, f"{name}, exported again")
    other.close()
    part.close()
    return f"{len(files)} files made another station the same"
