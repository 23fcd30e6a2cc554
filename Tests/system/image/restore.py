"""A backup of the version before, made on its image, restored on this image: by the page, by the card, and damaged.

A station of the image of --old is claimed and filled, and gives two files to its page: one with a passphrase, one without.

  by_page  a new card of this image, claimed with another password: damaged copies change nothing, the sealed file brings
           all back, and the sensor has its name and its title again when it is plugged in
  by_card  another new card: the file without a passphrase on its boot partition, then the one with it

What is there is compared with what was set, by the page's API; secrets and the camera's settings by their files.
"""

import base64
import json
import os
import time

from . import bench as shared
from ..check import Failed, until
from .bench import LabFailed, board
from .update_page import Page

PARTS = ("by_page", "by_card")
BOOT_SECONDS, START_SECONDS, SENSOR_SECONDS = 900, 300, 600
ANNA = {"name": "Anna", "email": "anna@example.org", "password": "seven-Kettles-hum"}
BEN = {"name": "Ben", "email": "ben@example.org", "password": "nine-Lanterns-glow"}
PEOPLE = [["Anna", ANNA["email"], "owner"], ["Ben", BEN["email"], "member"]]
NEW = {**ANNA, "password": "eight-Ladders-lean"}  # The same person on a new card.
PASSPHRASE = "correct horse battery"
SETTINGS = {"title": "Klasse 3b – Süd", "zone": "Europe/Rome", "position": "46.1699, 9.8786", "levels": "pm25 10 20, pm10 20 40"}
RULES = {"dusty": {"channel": "*/pm25", "when": {"mean": {"overSeconds": 3600, "atLeast": 80}}, "severity": "critical"},
         "who-24h": {"isOn": False}}
# Nothing answers at these addresses: the guest has no network but the page.
ENTRIES = {"influx": ["targets", {"type": "influx2", "url": "http://192.168.254.8:8086", "org": "home", "bucket": "air"}],
           "phone": ["receivers", {"type": "ntfy", "url": "http://192.168.254.9"}]}
SECRETS = {"influx": {"token": "zq-token-x7k2vw9m"}, "phone": {"topic": "zq-topic-k3v9x2", "token": "tk_zq8h5d1"}}
BOARD = {"name": "board", "type": "milano-board", "address": "http://192.168.254.7/", "intervalSeconds": 60}
DEVICES = {"board": ["milano-board", BOARD["address"], "Hof", 60]}
SENSOR, TITLE = "window", "Fenster links"
CAMERA = {"masks": ["18:00-08:00"]}
SET = {"settings": SETTINGS, "rules": RULES, "devices": DEVICES, "entries": ENTRIES, "secrets": SECRETS, "people": PEOPLE,
       "camera": CAMERA}
COURIER, EYES = "/var/lib/roost-courier/settings.json", "/var/lib/roost-eyes/settings.json"
FILE, PASSPHRASE_FILE = "roost-restore.backup", "roost-restore-passphrase.txt"


class Station:
    """A board with its page, and the person who asks."""

    def __init__(self, bench, machine, port):
        self.bench, self.machine, self.port, self.page = bench, machine, port, Page(port)
        self.version = json.loads(machine.run("cat /usr/lib/roost/image.json"))["version"]

    def ask(self, method, path, body=None, page=None):
        """The answer's content; any refusal ends the case."""
        status, said = (page or self.page).ask(method, path, body)
        if status not in (200, 201, 204):
            raise LabFailed(f"{method} {path}: {status} {said}")
        return said

    def claim(self, person):
        if not until(lambda: shared.ask(self.port, "claim").get("isOpen"), 120, 2):
            raise LabFailed(f"a new station cannot be claimed: {shared.ask(self.port, 'claim')}")
        self.ask("POST", "/claim", person)
        self.wait_for_store()

    def wait_for_store(self):
        """Until the station takes changes: it answers before its store is open."""
        self.machine.wait("roost status --json | grep -q '\"store\":{[^}]*\"state\":\"ok\"'", START_SECONDS, "the store does not open")

    def lets_in(self, person):
        """Whether a log-in from another browser succeeds."""
        status, said = Page(self.port).ask("POST", "/login", {"email": person["email"], "password": person["password"]})
        if status not in (200, 401):
            raise LabFailed(f"POST /login: {status} {said}")
        return status == 200

    def backup(self, passphrase=None, password=None):
        """The file's bytes, and what the page says is not in it."""
        form = {"passphrase": passphrase, "password": password} if passphrase else {}
        view = self.ask("POST", "/backup", form)
        return base64.b64decode(view["file"]), view["leftOut"]

    def restore(self, data, password, passphrase=None, is_trial=False):
        """Status and content."""
        form = {"file": base64.b64encode(data).decode(), "isTrial": is_trial, "password": password}
        return self.page.ask("POST", "/restore", {**form, **({"passphrase": passphrase} if passphrase else {})})

    def file(self, path):
        """The JSON of a file in the guest; nothing where it is not there."""
        return json.loads(self.machine.run(f"cat {path} 2>/dev/null || echo '{{}}'"))

    def content(self):
        """All that a backup can change, but for what a sensor has only while it is plugged in."""
        settings, rules, outbox = self.ask("GET", "/settings"), self.ask("GET", "/rules"), self.ask("GET", "/outbox")
        ids = {one["id"] for kind in ("targets", "receivers", "leftOut") for one in outbox[kind]}
        entries = {name: self.ask("GET", f"/outbox/{name}/entry") for name in ids}
        secrets = self.file(COURIER).get("secrets", {})
        return {
            "settings": {key: value for key, value in settings["values"].items() if settings["origins"][key] == "ui"},
            "rules": {one["id"]: json.loads(one["source"]) for one in rules["alerts"] + rules["off"] if one.get("source")},
            "devices": {one["name"]: [one["type"], one["location"], one.get("title"), one.get("intervalSeconds")]
                        for one in self.ask("GET", "/devices")["devices"] if one["type"] == BOARD["type"]},
            "entries": {name: [one["section"], {key: value for key, value in one["entry"].items() if key not in SECRETS.get(name, {})}]
                        for name, one in entries.items()},
            "secrets": secrets, "camera": self.file(EYES),
            "people": sorted([one["name"], one["email"], one["role"]] for one in self.ask("GET", "/members")["items"]),
            **kept(self.backup()[0])}

    def sensor(self):
        """The report of the sensor; None while the station has none."""
        devices = self.ask("GET", "/devices")["devices"]
        return next((one for one in devices if "sds011" in one["type"]), None)

    def plug(self):
        """Plugs the sensor in, and waits for a value."""
        began = self.machine.seconds()
        self.bench.plug(self.machine, self.bench.sensor())
        shared.wait_for_value(self.machine, began + SENSOR_SECONDS)


def kept(data):
    """Names of sensors and seconds of lasers in a file without a passphrase: no other route has all of them."""
    parts = {one["owner"]: json.loads(one["content"]) for one in json.loads(data)["parts"]}
    station = parts["station"]
    return {"names": {key: json.loads(text).get("name") for key, text in station["names"].items()}, "lasers": station["laserSeconds"]}


def started(bench, name, card, work):
    """Starts a card, has `work` done with its station, and takes its power."""
    port = shared.free_port()
    with bench.board(f"restore-{name.replace(' ', '-')}", card, web=port, wait=0) as machine:
        bench.figure(f"restore: {name}: power on to the page", f"{shared.wait_for_page(machine, port, BOOT_SECONDS):.0f} s")
        machine.wait_for_boot(BOOT_SECONDS)
        return work(Station(bench, machine, port))


def restore(bench):
    """The parts that were asked for, with the files of a station of the older image."""
    old = bench.options.old
    if not old:
        bench.check.skip("the case restore needs --old=IMAGE, an image of the version before")
        return
    if not os.path.isfile(old):
        raise Failed(f"--old: there is no {old}")
    card = bench.card("restore-old", image=os.path.realpath(old))
    files = started(bench, "old", card, filled)
    bench.close(card)
    for name, part in (("by_page", by_page), ("by_card", by_card)):
        if bench.wants(name):
            bench.check.say(f"  part {name}")
            try:
                part(bench, files)
            except LabFailed as failure:
                bench.check.problems.append(f"restore: {name}: {failure}")


class Files:
    """What the older station gave, and what was in it then."""

    def __init__(self, version, plain, sealed, content):
        self.version, self.plain, self.sealed, self.content = version, plain, sealed, content


def filled(station):
    """Sets everything on the older station, as its page does; returns its files."""
    check, machine = station.bench.check, station.machine
    station.claim(ANNA)
    invited = station.ask("POST", "/invitations", {"role": "member"})
    station.ask("POST", f"/invitations/{invited['code']}", BEN, page=Page(station.port))
    station.ask("PATCH", "/settings", SETTINGS)
    for name, rule in RULES.items():
        station.ask("PUT", f"/rules/{name}", rule)
    for name, (section, entry) in ENTRIES.items():
        station.ask("PUT", f"/outbox/{name}", {"section": section, "entry": entry, "secrets": SECRETS[name]})
    station.ask("POST", "/devices", BOARD)
    station.ask("PATCH", f"/devices/{BOARD['name']}", {"title": DEVICES["board"][2]})
    machine.run(f"roost camera set masks {CAMERA['masks'][0]}", 120)
    station.plug()
    found = station.sensor()
    if not found:
        raise LabFailed(f"the sensor is no device: {station.ask('GET', '/devices')}")
    check.demand(found["name"] != SENSOR, f"old: the sensor has its name before it was given: {found}")
    station.ask("PATCH", f"/devices/{found['name']}", {"title": TITLE, "name": SENSOR})
    named = until(station.sensor, 60, 1) or {}  # It starts anew with its name.
    check.same([named.get("name"), named.get("title")], [SENSOR, TITLE], "old: the sensor")
    files = downloaded(station)
    for key, value in SET.items():
        check.same(files.content[key], value, f"old: {key} as set")
    check.same(list(files.content["names"].values()), [SENSOR], "old: names of sensors")
    check.demand(len(files.content["lasers"]) == 1 and min(files.content["lasers"].values()) > 0,
                 f"old: seconds of lasers: {files.content['lasers']}")
    return files


def downloaded(station):
    """Both files, made while no second of a laser was counted between them."""
    bench, check = station.bench, station.bench.check
    status, said = station.page.ask("POST", "/backup", {"passphrase": PASSPHRASE, "password": NEW["password"]})
    check.demand(status in (401, 403), f"old: secrets leave it for a wrong password: {status} {said}")
    for _ in range(20):
        plain, left = station.backup()
        began = time.monotonic()
        sealed, left_of_sealed = station.backup(PASSPHRASE, ANNA["password"])
        seconds = time.monotonic() - began
        content = station.content()
        if content["lasers"] == kept(plain)["lasers"]:
            break
    else:
        raise LabFailed("the laser is never off")
    check.same(left, ["secrets", "accounts"], "old: what the page says is not in the file without a passphrase")
    check.same(json.loads(plain)["leftOut"], left, "old: what the file says is not in it")
    check.same(left_of_sealed, [], "old: what is not in the file with a passphrase")
    words = [PASSPHRASE, *(text for one in SECRETS.values() for text in one.values())]
    check.demand(not [word for word in words if word.encode() in plain], "old: a secret is in the file without a passphrase")
    check.demand(not [word for word in [*words, "anna", TITLE] if word.encode() in sealed], "old: the sealed file is readable")
    bench.figure("restore: files without and with a passphrase", f"{len(plain)} and {len(sealed)} bytes, the latter in {seconds:.1f} s")
    bench.figure("restore: seconds of the laser", content["lasers"])
    return Files(station.version, plain, sealed, content)


# The page.


def by_page(bench, files):
    """A new card of this image: copies that are refused, a look, the restore."""
    card = bench.card("restore-page")

    def work(station):
        bench.check.demand(station.version != files.version, f"both images are of {station.version}")
        bench.figure("restore: from; to", f"{files.version}; {station.version}")
        station.claim(NEW)
        nothing_changes(station, files)
        brings_back(station, files)
        station.machine.run("systemctl restart roostd", 120)
        station.wait_for_store()
        same(station, files.content, "page: after a restart")
        sensor_is_back(station, files, "page")

    started(bench, "page", card, work)
    bench.close(card)


def changed(data, place):
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1:]


def nothing_changes(station, files):
    """One byte changed, cut, a wrong passphrase, and a look at what would change."""
    check, before = station.bench.check, station.content()
    # Whatever a restore brings has to be another one first.
    alike = [key for key, value in files.content.items() if before[key] == value]
    check.same(alike, [], "page: what a new card has already")
    sealed, plain, refusals = files.sealed, files.plain, {}
    tries = {f"sealed, byte {place}": (changed(sealed, place), PASSPHRASE) for place in (0, 40, len(sealed) // 2, len(sealed) - 1)}
    tries |= {f"without a passphrase, byte {place}": (changed(plain, place), None) for place in (1, len(plain) // 2, len(plain) - 3)}
    tries |= {"a digit of the position": (plain.replace(b"9.8786", b"9.8787"), None),
              "cut in the middle": (sealed[:len(sealed) // 2], PASSPHRASE), "a wrong passphrase": (sealed, PASSPHRASE + "s"),
              "no passphrase": (sealed, None)}
    for what, (data, passphrase) in tries.items():
        status, said = station.restore(data, NEW["password"], passphrase)
        refusals.setdefault(str((said or {}).get("detail")), []).append(what)
        check.demand(status in (400, 413, 415), f"page: {what}: {status} {said}")
    status, said = station.restore(sealed, ANNA["password"], PASSPHRASE)
    check.demand(status in (401, 403), f"page: restored with a wrong password: {status} {said}")
    for why, whats in refusals.items():
        station.bench.figure(f"restore: refused as {why!r}", "; ".join(whats))
    look(station, files)
    same(station, before, f"page: {len(tries) + 3} files that were refused or only shown")


def look(station, files):
    """What the page shows before a restore: each part of the file, and what is not in it."""
    check = station.bench.check
    began = time.monotonic()
    status, said = station.restore(files.sealed, None, PASSPHRASE, is_trial=True)
    station.bench.figure("restore: page: shown", f"{time.monotonic() - began:.1f} s")
    if not check.same(status, 200, f"page: a look at the sealed file: {said}"):
        return
    check.same(said["leftOut"], [], "page: not in the sealed file")
    shown = {(one["kind"], one["name"], one["change"]) for one in said["items"]}
    wanted = {*(("setting", key, "added") for key in SETTINGS), *(("rule", name, "added") for name in RULES),
              ("device", "board", "added"), ("target", "influx", "added"), ("receiver", "phone", "added"),
              ("person", "Anna", "changed"), ("person", "Ben", "added"), *(("laser", part, "added") for part in files.content["lasers"])}
    check.same(wanted - shown, set(), f"page: not shown of the sealed file ({sorted(shown)})")
    status, said = station.restore(files.plain, None, is_trial=True)
    if check.same(status, 200, f"page: a look at the file without a passphrase: {said}"):
        check.same(said["leftOut"], ["secrets", "accounts"], "page: not in the file without a passphrase")
        check.same([one for one in said["items"] if one["kind"] == "person"], [], "page: people of the file without a passphrase")
        named = {one["name"] for one in said["items"] if one["kind"] in ("target", "receiver") and one.get("next")}
        check.same(named, set(ENTRIES), "page: entries that are said to want their secrets")


def brings_back(station, files):
    check, began = station.bench.check, time.monotonic()
    status, said = station.restore(files.sealed, NEW["password"], PASSPHRASE)
    station.bench.figure("restore: page: restored", f"{time.monotonic() - began:.1f} s")
    if not check.same(status, 200, f"page: the restore: {said}"):
        return
    same(station, files.content, "page")  # With the session of before.
    check.same(unused(station), {}, "page: entries that are not in use")
    check.same([station.lets_in(ANNA), station.lets_in(BEN), station.lets_in(NEW)], [True, True, False],
               "page: the log-in of the owner, of the second person, with the new card's password")


def same(station, wanted, when):
    """Demands each part of the content by itself."""
    found = station.content()
    for key, value in wanted.items():
        station.bench.check.same(found[key], value, f"{when}: {key}")


def unused(station):
    """Entries that are there and not in use, with the sentence that names them."""
    outbox = station.ask("GET", "/outbox")
    broken = {one["id"]: one.get("why") for kind in ("targets", "receivers") for one in outbox[kind] if one["state"] == "broken"}
    return {**broken, **{one["id"]: one["sentence"] for one in outbox["leftOut"]}}


def sensor_is_back(station, files, when):
    """The sensor in the same socket has its name and title, and the hours of its laser go on."""
    check = station.bench.check
    station.plug()
    found = station.sensor() or {}
    check.same([found.get("name"), found.get("title")], [SENSOR, TITLE], f"{when}: the sensor, plugged in")

    def more():
        now = kept(station.backup()[0])["lasers"]
        return now if now.keys() == files.content["lasers"].keys() and sum(now.values()) > sum(files.content["lasers"].values()) else None

    now = until(more, 120, 5)
    check.demand(now, f"{when}: the laser's seconds do not go on from {files.content['lasers']}: {kept(station.backup()[0])['lasers']}")
    station.bench.figure(f"restore: {when}: seconds of the laser after a reading", now)


# The boot partition.


def by_card(bench, files):
    """A new card: the file without a passphrase, then the sealed one."""
    card = bench.card("restore-card")
    board.write_boot(card, FILE, files.plain)
    started(bench, "card without a passphrase", card, lambda station: without_secrets(station, files))
    board.write_boot(card, FILE, files.sealed)
    board.write_boot(card, PASSPHRASE_FILE, PASSPHRASE + "\n")
    started(bench, "card with a passphrase", card, lambda station: with_secrets(station, files))
    bench.close(card)


def without_secrets(station, files):
    """All but secrets and people is there; what is missing is named."""
    check = station.bench.check
    taken(station, "card without a passphrase")
    check.demand(not station.lets_in(ANNA), "card without a passphrase: it brings people")
    station.claim(NEW)
    people = [[NEW["name"], NEW["email"], "owner"]]
    same(station, {**files.content, "secrets": {}, "people": people}, "card without a passphrase")
    named = unused(station)
    check.same(named.keys(), ENTRIES.keys(), f"card without a passphrase: entries that are named as not in use ({named})")
    station.bench.figure("restore: card without a passphrase: not in use", "; ".join(f"{name}: {why}" for name, why in sorted(named.items())))


def with_secrets(station, files):
    """Secrets and people are there, too; the person who claimed the card has the password of the file."""
    check = station.bench.check
    taken(station, "card with a passphrase")
    station.wait_for_store()
    check.same([station.lets_in(ANNA), station.lets_in(BEN), station.lets_in(NEW)], [True, True, False],
               "card with a passphrase: the log-in of the owner, of the second person, with the new card's password")
    station.ask("POST", "/login", {"email": ANNA["email"], "password": ANNA["password"]})
    same(station, files.content, "card with a passphrase")
    check.same(unused(station), {}, "card with a passphrase: entries that are not in use")
    sensor_is_back(station, files, "card with a passphrase")


def taken(station, when):
    """The file left the boot partition, with its passphrase; roost-said.txt says that it was taken, and no secret."""
    check, machine = station.bench.check, station.machine
    left = [name for name in machine.run("ls /boot/firmware").split() if name in (FILE, PASSPHRASE_FILE)]
    check.same(left, [], f"{when}: files that stay on the boot partition")
    said = machine.run("cat /boot/firmware/roost-said.txt 2>/dev/null || true")
    check.demand(f"{FILE}: the backup of {SETTINGS['title']} is restored" in said, f"{when}: roost-said.txt: {said}")
    secrets = [PASSPHRASE, *(text for one in SECRETS.values() for text in one.values())]
    check.demand(not [text for text in secrets if text in said], f"{when}: a secret is in roost-said.txt: {said}")
    line = next((line for line in said.splitlines() if FILE in line), "")
    station.bench.figure(f"restore: {when}: roost-said.txt", line.strip())
