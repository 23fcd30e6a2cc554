"""The page Back up and restore before a real station, courier and dashboard with accounts.

A rule, a target with a password, a name and a person go into a file; they are changed, and come back from it.
"""

import base64
import json
import os
import shutil
import subprocess

from ..check import Failed, until
from ..courier import Courier
from ..station import Station, kill
from .dashboard import OWNER, START_SECONDS, Dashboard

PASSPHRASE = "correct horse battery"
SECRET = "planted-k4Zq81-secret"
ENTRY = {"type": "webhook", "url": "http://127.0.0.1:9/page", "local": True}


class Kept:
    """A station with something to keep."""

    def __init__(self, walk):
        check = self.check = walk.check
        self.station = Station(check, "backup", devices=[], store={"folder": check.path("backup-store")})
        self.station.start()
        if not until(self.station.status, START_SECONDS):
            raise Failed(f"backup: roostd does not answer: {self.station.log()[-300:]}")
        self.courier = Courier(check, self.station, targets=[])
        self.courier.start()
        self.eyes_folder = check.path("backup-eyes")
        os.makedirs(self.eyes_folder)
        self.eyes_socket = os.path.join(self.eyes_folder, "eyes.sock")
        with open(check.path("backup-eyes.log"), "ab") as log:
            self.eyes = subprocess.Popen(
                [check.program("roost-eyes"), "run", "--config", os.path.join(self.eyes_folder, "none.json"), "--socket",
                 self.station.socket, "--state", self.eyes_folder, "--control", self.eyes_socket,
                 "--live", os.path.join(self.eyes_folder, "live.sock")], stderr=log)
        if not until(lambda: os.path.exists(self.eyes_socket), START_SECONDS):
            raise Failed("backup: roost-eyes does not listen")
        self.image = check.path("backup-image")
        for name in ("usr/lib/roost", "run/roost-web"):
            os.makedirs(os.path.join(self.image, name))
        self.dashboard = Dashboard(check, self.station, "--courier", self.courier.socket, "--eyes", self.eyes_socket,
                                   "--image-root", self.image)
        self.dashboard.start()

    def claim(self, browser):
        browser.driver.get(self.dashboard.address + "/")
        status, said = browser.ask("POST", "/claim", {**OWNER, "code": self.dashboard.claim_code()})
        if status not in (200, 201, 204):
            raise Failed(f"backup: the claim: {status} {said}")

    def sockets(self):
        return ("--socket", self.station.socket, "--courier-socket", self.courier.socket,
                "--claim-socket", self.dashboard.claim_socket, "--camera-socket", self.eyes_socket)

    def camera(self, *words):
        self.check.roost("camera", "set", *words, "--socket", self.eyes_socket, status=0)

    def masks(self):
        path = os.path.join(self.eyes_folder, "settings.json")
        with open(path, encoding="utf-8") as file:
            return json.load(file).get("masks")

    def roost(self, *words, **more):
        return subprocess.run([self.check.program("roost"), *words, *self.sockets()], capture_output=True, text=True,
                              check=False, timeout=120, **more)

    def close(self):
        self.dashboard.close()
        kill(self.eyes)
        self.courier.close()
        self.station.close()


def done(walk, browser, method, path, body=None):
    status, said = browser.ask(method, path, body)
    walk.check.demand(status in (200, 201, 204), f"backup: {method} {path}: {status} {said}")
    return said


def fill_in(walk, one, browser):
    one.station.roost("settings", "set", "title", "Balkon", status=0)
    one.station.roost("alerts", "add", "stuffy", "--channel", "*/co2", "--above", "1500", status=0)
    one.camera("masks", "18:00-08:00")
    done(walk, browser, "PUT", "/outbox/box",
         {"section": "targets", "entry": ENTRY, "secrets": {"authorization": SECRET}})


def as_files(walk, browser):
    """What was set, as files of configuration: named, with what they lack, and without a secret."""
    browser.open("/backup")
    browser.press("Make the files")
    for words in ("Save roost.json", "Save courier.json", "Save eyes.json", "box-authorization"):
        walk.check.demand(browser.shows(words, 20), f"backup: {words} is not there: {browser.text()[:800]}")
    walk.check.same(browser.findings(), [], "backup: findings of axe with files")
    files = {each["name"]: each["content"] for each in done(walk, browser, "GET", "/backup/files")["files"]}
    walk.check.demand(not any(SECRET in text for text in files.values()), "backup: a secret is in a file")
    walk.check.same(json.loads(files["eyes.json"]).get("masks"), ["18:00-08:00"], "backup: eyes.json")


def empty(walk, one, browser):
    one.station.roost("settings", "set", "title", "--default", status=0)
    one.station.roost("alerts", "remove", "stuffy", status=0)
    one.camera("masks", "--default")
    done(walk, browser, "DELETE", "/outbox/box")


def is_back(walk, one, browser):
    check = walk.check
    rules = done(walk, browser, "GET", "/rules")
    check.demand("stuffy" in json.dumps(rules), f"backup: the rule is not back: {str(rules)[:300]}")
    outbox = done(walk, browser, "GET", "/outbox")
    check.demand('"box"' in json.dumps(outbox), f"backup: the target is not back: {str(outbox)[:300]}")
    with open(os.path.join(one.station.folder, "courier", "settings.json"), encoding="utf-8") as file:
        check.demand(SECRET in file.read(), "backup: the target is back without its password")
    check.same(one.station.status()["name"], "Balkon", "the station's name")
    check.same(one.masks(), ["18:00-08:00"], "the hours without pictures")


def save(walk, browser):
    """On the page: without a passphrase, with one and a wrong password, with the right one."""
    check = walk.check
    browser.open("/backup")
    browser.press("Save the file")
    check.demand(browser.shows("Not in the file: passwords and tokens, people"), f"backup: {browser.text()[:600]}")
    browser.fill("Passphrase", PASSPHRASE)
    browser.press("Save the file")
    check.demand(browser.shows("This is needed.") or browser.wrong, "backup: secrets leave without a password")
    browser.fill("Your password here", "not it at all")
    browser.press("Save the file")
    check.demand(browser.shows("This is not your password."), f"backup: a wrong password: {browser.text()[:600]}")
    browser.fill("Your password here", OWNER["password"])
    browser.script("arguments[0].click()", browser.labelled("What was measured, too"))
    browser.press("Save the file")
    check.demand(browser.shows("is saved", 30), f"backup: {browser.text()[:600]}")
    check.demand(browser.shows("Save what was measured (", 30), f"backup: the copy of the history: {browser.text()[:800]}")
    path = browser.script("return [...document.querySelectorAll('a.button')].find((one) => one.textContent.startsWith('Save what was')).href")
    copy = browser.script("return fetch(arguments[0]).then((one) => one.arrayBuffer()).then((one) => new TextDecoder().decode(one.slice(0, 15)))", path)
    check.same(copy, "SQLite format 3", "the copy of the history")


def file_of(walk, browser, name, passphrase=None):
    said = done(walk, browser, "POST", "/backup", {"passphrase": passphrase, "password": OWNER["password"]})
    path = walk.check.path(name)
    with open(path, "wb") as file:
        file.write(base64.b64decode(said["file"]))
    return path


def put_back(walk, one, browser, path):
    check = walk.check
    browser.open("/backup")
    browser.labelled("Backup file").send_keys(path)
    browser.fill("Its passphrase", "wrong")
    browser.press("Show what changes")
    check.demand(browser.shows("the passphrase is wrong", 30), f"backup: {browser.text()[-600:]}")
    browser.fill("Its passphrase", PASSPHRASE)
    browser.press("Show what changes")
    for words in ("What will change", "1 rule", "stuffy", "1 upload target", "Station's name: Balkon", "1 setting of the camera", "18:00-08:00"):
        check.demand(browser.shows(words, 30), f"backup: the preview lacks {words!r}: {browser.text()[-800:]}")
    if walk.shots:
        for width in (360, 1280):
            browser.picture(os.path.join(walk.shots, f"backup-preview-{width}-light-en.png"), width, False)
        browser.view(360)
    check.same(browser.wider(), [], "backup: parts wider than the screen")
    check.same(browser.findings(), [], "backup: findings of axe")
    check.same(one.station.status()["name"] == "Balkon", False, "a preview changes nothing")
    browser.fill("Your password on this station", "not it at all")
    browser.press("Restore now")
    check.demand(browser.shows("This is not your password."), f"backup: a restore without the password: {browser.text()[-600:]}")
    browser.fill("Your password on this station", OWNER["password"])
    browser.press("Restore now")
    check.demand(browser.shows("Restored, and in use.", 30), f"backup: {browser.text()[-600:]}")
    is_back(walk, one, browser)


def spoilt(walk, browser, path):
    """Cut, damaged and foreign files change nothing, and say which."""
    with open(path, "rb") as file:
        whole = file.read()
    for name, content, words in (("cut", whole[:-40], "cut or damaged"), ("foreign", b"\x89PNG", "no backup of Roost"),
                                 ("later", b'{"format": 9}', "later version")):
        status, said = browser.ask("POST", "/restore", {
            "file": base64.b64encode(content).decode(), "passphrase": PASSPHRASE, "isTrial": False})
        walk.check.demand(status >= 400 and words in said.get("detail", ""), f"backup: a {name} file: {status} {said}")


def shell(walk, one, browser):
    """`roost backup` and `restore`, and the program age in both directions."""
    check = walk.check
    secret, path = check.path("passphrase.txt"), check.path("shell.backup")
    with open(secret, "w", encoding="utf-8") as file:
        file.write(PASSPHRASE + "\n")
    made = one.roost("backup", path, "--passphrase-file", secret, "--json")
    check.same(made.returncode, 0, f"roost backup: {made.stderr}")
    with open(path, "rb") as file:
        check.demand(SECRET.encode() not in file.read(), "backup: a secret stands in the file")
    plain = one.roost("backup", check.path("plain.backup"), "--history")
    check.same(plain.returncode, 0, f"roost backup: {plain.stderr}")
    with open(check.path("plain.backup"), encoding="utf-8") as file:
        text = file.read()
    check.demand(SECRET not in text and "$argon2id$" not in text, "backup: a secret in a file without a passphrase")
    with open(check.path("plain-history.db"), "rb") as file:
        check.same(file.read(15), b"SQLite format 3", "the history beside a backup")
    again = one.roost("backup", check.path("plain.backup"), "--history")
    check.demand(again.returncode == 1 and "is there already" in again.stderr, f"a second history: {again.stderr}")
    tried = one.roost("restore", path, "--dry-run", "--passphrase-file", secret)
    check.demand(tried.returncode == 0 and "nothing was changed" in tried.stdout, f"restore: {tried.stdout}{tried.stderr}")
    empty(walk, one, browser)
    restored = one.roost("restore", path, input=PASSPHRASE)
    check.demand(restored.returncode == 0, f"restore: {restored.stdout}{restored.stderr}")
    is_back(walk, one, browser)
    for program in ("age", "expect"):
        if shutil.which(program) is None:
            return check.skip(f"{program} is not installed: apt-get install age expect")
    with_age(walk, one, path)
    return None


EXPECT = "spawn -noecho {command}; expect -re {{passphrase.*:}} {{send \"{word}\\r\"; exp_continue}} eof; exit [lindex [wait] 3]"


def age(*words):
    """Runs age, which reads a passphrase from a terminal only."""
    return subprocess.run(["expect", "-c", EXPECT.format(command="age " + " ".join(words), word=PASSPHRASE)],
                          capture_output=True, text=True, check=False, timeout=120)


def with_age(walk, one, path):
    check = walk.check
    opened, again = check.path("opened.json"), check.path("again.age")
    answer = age("-d", "-o", opened, path)
    check.same(answer.returncode, 0, f"age opens a backup: {answer.stdout}{answer.stderr}")
    with open(opened, encoding="utf-8") as file:
        check.same(json.load(file)["format"], 1, "the format within")
    answer = age("-p", "-o", again, opened)
    check.same(answer.returncode, 0, f"age encrypts: {answer.stdout}{answer.stderr}")
    tried = one.roost("restore", again, "--dry-run", input=PASSPHRASE)
    check.demand(tried.returncode == 0, f"a file that age encrypted: {tried.stdout}{tried.stderr}")


def give_away(walk, one, browser):
    """Of packages: a command. Of an image: the root service is asked for, once the password is right."""
    check, wanted = walk.check, os.path.join(one.image, "run/roost-web/reset-wanted")
    browser.open("/backup")
    check.demand(browser.shows("sudo roost reset"), f"backup: a station of packages: {browser.text()[-400:]}")
    with open(os.path.join(one.image, "usr/lib/roost/image.json"), "w", encoding="utf-8") as file:
        file.write("{}")
    browser.open("/backup")
    check.demand(browser.shows("Reset the station"), f"backup: a station of an image: {browser.text()[-400:]}")
    browser.script("arguments[0].click()", browser.labelled("Also remove what was measured"))
    field = browser.script("return [...document.querySelectorAll('form')].pop().querySelector('[type=password]')")
    field.send_keys("not it at all")
    browser.press("Reset the station")
    check.demand(browser.shows("This is not your password."), f"backup: a wrong password: {browser.text()[-400:]}")
    check.demand(not os.path.exists(wanted), "backup: a reset with a wrong password")
    field.clear()
    field.send_keys(OWNER["password"])
    if walk.shots:
        browser.picture(os.path.join(walk.shots, "backup-reset-360-light-en.png"), 360, False)
        browser.view(360)
    browser.press("Reset the station")
    check.demand(browser.shows("The station is reset and restarts."), f"backup: {browser.text()[-400:]}")
    with open(wanted, encoding="utf-8") as file:
        check.same(file.read(), "history\n", "what the root service is asked for")


def archive(walk, name, count):
    """A file of an archive: a row each minute, and one that cannot be read."""
    path = walk.check.path(name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("sensor_id;timestamp;P1;P2\n")
        for index in range(count):
            file.write(f"5331;2017-09-{2 + index // 1440:02}T{index // 60 % 24:02}:{index % 60:02}:49;12.{index % 10};6.1\n")
        file.write("5331;yesterday;1;2\n")
    return path


def before(walk, one, browser):
    """What another program measured: refused, looked at, imported, known again, by the owner alone, and never by half."""
    check = walk.check
    browser.open("/backup")
    check.demand(browser.shows("What was measured before"), f"import: no part of the page: {browser.text()[-400:]}")
    check.demand(browser.shows("At most 32 MiB"), "import: the page does not say its limit before")
    path, other = archive(walk, "archive.csv", 700), check.path("notes.txt")
    with open(other, "w", encoding="utf-8") as file:
        file.write("what is this?\n")

    def look(file):
        browser.labelled("File with measurements").send_keys(file)
        browser.press("Show what it would bring")

    look(other)
    check.demand(browser.shows("The station does not know what this file is."), f"import: an unknown file: {browser.text()[-600:]}")
    empty = check.path("empty.csv")
    with open(empty, "w", encoding="utf-8"):
        pass
    look(empty)
    check.demand(browser.shows("The file is empty."), f"import: an empty file: {browser.text()[-600:]}")
    look(path)
    check.demand(browser.shows("700 measurements would be imported."), f"import: the look: {browser.text()[-600:]}")
    check.demand(browser.shows("One row of 701 cannot be read"), f"import: a bad row: {browser.text()[-600:]}")
    check.same(browser.findings(), [], "axe: the look at an import")
    check.same(browser.wider(), [], "import: parts wider than the screen")
    if walk.shots:
        browser.picture(os.path.join(walk.shots, "import-look-360-light-en.png"), 360, False)
        browser.view(360)
    channels = [item["id"] for item in browser.ask("GET", "/channels")[1]["items"]]
    check.demand(not any(name.startswith("sensor-community") for name in channels), f"import: a look imports: {channels}")
    browser.press("Import it")
    check.demand(browser.shows("700 measurements were imported."), f"import: {browser.text()[-600:]}")
    look(path)
    check.demand(browser.shows("The history has all of these measurements already."), f"import: again: {browser.text()[-600:]}")
    # The dashboard opens the history anew two seconds after the last time.
    listed = until(lambda: "sensor-community:5331/pm25" in [item["id"] for item in browser.ask("GET", "/channels")[1]["items"]], 20)
    check.demand(listed, "import: the history has no channel of it")
    # A long one needs some questions, and says how far it is.
    long = archive(walk, "long.csv", 6_000)
    look(long)
    check.demand(browser.shows("5,300 measurements would be imported.", 60), f"import: a long file: {browser.text()[-600:]}")
    browser.press("Import it")
    check.demand(browser.shows("5,300 measurements were imported.", 60), f"import: a long file: {browser.text()[-600:]}")
    # A file that broke off is not there for the import.
    status, _ = browser.ask("POST", "/import", {"bytes": 12_345_678, "isTrial": False})
    check.same(status, 409, "an import of a file that broke off")


def run(walk):
    browser, address = walk.browser, walk.browser.address
    one = Kept(walk)
    browser.address = one.dashboard.address
    try:
        browser.view(360)
        one.claim(browser)
        fill_in(walk, one, browser)
        as_files(walk, browser)
        save(walk, browser)
        path = file_of(walk, browser, "page.backup", PASSPHRASE)
        empty(walk, one, browser)
        put_back(walk, one, browser, path)
        spoilt(walk, browser, path)
        shell(walk, one, browser)
        before(walk, one, browser)
        give_away(walk, one, browser)
        noise = "Failed to load resource"
        walk.check.same([text for text in browser.messages() if noise not in text], [], "backup: console messages")
    finally:
        browser.address = address
        one.close()
    return 9
