"""The page Records: no camera, one that is switched on, a picture for each motion, deleting, no right to look, a fault,
and many of them.

A node with simulated pins and a visitor each few seconds (`roost demo-node`), a real roost-eyes whose command writes
pictures that the browser drew, and a dashboard with accounts.
"""

import base64
import csv
import json
import os
import re
import subprocess

from ..check import Failed, until
from ..checks.camera import Motions, newest
from ..station import Part, end, kill
from .dashboard import OWNER, START_SECONDS, Dashboard
from .outbox import look

GUEST = {"name": "Vera", "email": "vera@example.org", "password": "nine silver spoons"}
# A front door by day and by night, with a figure that is elsewhere each time.
DRAW = """const [n] = arguments, canvas = document.createElement('canvas'), c = canvas.getContext('2d');
[canvas.width, canvas.height] = [960, 720];
const night = n % 3 === 2, sky = c.createLinearGradient(0, 0, 0, 430);
sky.addColorStop(0, night ? '#0d1626' : '#8fb9dc'); sky.addColorStop(1, night ? '#26324a' : '#dfe9ee');
c.fillStyle = sky; c.fillRect(0, 0, 960, 720);
c.fillStyle = night ? '#1b2320' : '#7c9a62'; c.fillRect(0, 430, 960, 290);
c.fillStyle = night ? '#3a352f' : '#c9b79c'; c.fillRect(560, 120, 400, 380);
c.fillStyle = night ? '#20303a' : '#55707e'; c.fillRect(690, 220, 130, 280);
c.fillStyle = night ? '#e9c46a' : '#a9c3cf'; c.fillRect(595, 200, 70, 90); c.fillRect(850, 200, 70, 90);
c.fillStyle = night ? '#4a4438' : '#b9ab92'; c.beginPath(); c.moveTo(690, 500); c.lineTo(820, 500); c.lineTo(620, 720); c.lineTo(330, 720); c.fill();
const x = 180 + (n * 137) % 430, size = 0.8 + (n % 4) / 6;
c.fillStyle = ['#8c2f39', '#2f4858', '#c77d2e', '#4f5d2f'][n % 4];
c.beginPath(); c.ellipse(x, 470, 42 * size, 110 * size, 0, 0, 7); c.fill();
c.fillStyle = night ? '#a88f7a' : '#d9b79a'; c.beginPath(); c.arc(x, 470 - 135 * size, 30 * size, 0, 7); c.fill();
for (let i = 0; i < 4000; i += 1) { c.fillStyle = `rgba(${night ? 255 : 0},${night ? 255 : 0},${night ? 255 : 0},.05)`;
  c.fillRect(Math.random() * 960, Math.random() * 720, 2, 2); }
return canvas.toDataURL('image/jpeg', 0.82);"""
TAKE = """#!/bin/sh
[ -e {fault} ] && exit 3
cat {folder}/$(($$ % 12)).jpg
"""


class Camera:
    """A node that sees visitors, and roost-eyes before it once it is switched on."""

    def __init__(self, walk):
        self.walk, self.check, self.browser = walk, walk.check, walk.browser
        self.folder = self.check.path("camera")
        os.makedirs(self.folder)
        self.socket, self.ring, self.eyes_socket = (os.path.join(self.folder, name) for name in ("socket", "pictures", "eyes.sock"))
        self.part = Part(self.check, "sds011", link=self.check.path("camera-dust"))
        self.config = os.path.join(self.folder, "roost.json")
        with open(self.config, "w", encoding="utf-8") as file:
            json.dump({"name": "gate", "detect": False, "mode": "live", "socket": self.socket,
                       "devices": [{"name": "dust", "type": "sds011", "port": self.part.place},
                                   {"name": "door", "type": "pir", "line": "GPIO17", "settleSeconds": 2, "blockSeconds": 1}],
                       "store": {"folder": os.path.join(self.folder, "store"), "megabytes": 8}}, file)
        self.node = self.eyes = None
        self.check.ends(self)

    def start(self):
        with open(self.check.path("node.log"), "ab") as log:
            self.node = subprocess.Popen([self.check.program("roost"), "demo-node", "--config", self.config, "--seed", "7"],
                                         stdin=subprocess.PIPE, stdout=log, stderr=log)
        if not until(lambda: self.check.roost("clock", "trust", "--socket", self.socket).returncode == 0, START_SECONDS):
            raise Failed("the node with simulated pins does not answer")

    def draw(self):
        for number in range(12):
            text = self.browser.script(DRAW, number).split(",", 1)[1]
            with open(os.path.join(self.folder, f"{number}.jpg"), "wb") as file:
                file.write(base64.b64decode(text))
        self.fault, take = os.path.join(self.folder, "fault"), os.path.join(self.folder, "take")
        with open(take, "w", encoding="utf-8") as file:
            file.write(TAKE.format(fault=self.fault, folder=self.folder))
        os.chmod(take, 0o755)
        with open(os.path.join(self.folder, "eyes.json"), "w", encoding="utf-8") as file:
            json.dump({"command": [take], "ring": self.ring, "megabytes": 8, "pictures": 40}, file)

    def fill(self, count):
        """Another ring, of motions that no history has: what a station made of a copied card would show."""
        motions, ring = Motions(self.check), os.path.join(self.folder, "many")
        config = os.path.join(self.folder, "many.json")
        with open(config, "w", encoding="utf-8") as file:
            json.dump({"command": [os.path.join(self.folder, "take")], "ring": ring, "megabytes": 16, "pictures": count}, file)
        eyes = subprocess.Popen([self.check.program("roost-eyes"), "run", "--config", config, "--socket", motions.path,
                                 "--control", os.path.join(self.folder, "many.sock")])
        try:
            until(lambda: motions.followers and os.path.exists(ring), 30)
            for number in range(1, count + 1):
                motions.send(number)
                if not until(lambda last=number: newest(ring) == last, 60, 0.01):
                    raise Failed(f"picture {number} is not taken")
        finally:
            kill(eyes)
        return ring

    def switch_on(self):
        with open(self.check.path("eyes.log"), "ab") as log:
            self.eyes = subprocess.Popen(
                [self.check.program("roost-eyes"), "run", "--config", os.path.join(self.folder, "eyes.json"),
                 "--socket", self.socket, "--control", self.eyes_socket], stderr=log)

    def close(self):
        if self.eyes:
            kill(self.eyes)
        if self.node:
            self.node.stdin.close()
            end(self.node)
        self.part.close()


def records(browser):
    status, content = browser.ask("GET", "/records")
    return content if status == 200 else {"items": []}


def pictures(browser):
    return [one for one in records(browser)["items"] if one.get("number")]


def claim(browser, dashboard):
    """The owner, in this browser."""
    code = dashboard.claim_code()
    status, _ = browser.ask("POST", "/claim", {**OWNER, "code": code})
    return status in (200, 201)


def export(walk, one):
    """A table of all records with the pictures beside it, as the page has them."""
    browser, check = walk.browser, walk.check
    folder = os.path.join(one.folder, "export")
    check.roost("records", "export", folder, "--socket", one.socket, "--ring", one.ring, status=0)
    with open(os.path.join(folder, "records.csv"), newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    shown = {each["name"]: each for each in pictures(browser)}
    exported = {row["picture"]: row for row in rows if row["picture"]}
    check.demand(set(exported) <= set(shown) and len(exported) >= 6, f"pictures of the export: {sorted(exported)}")
    for name, row in exported.items():
        with open(os.path.join(folder, name), "rb") as file:
            check.demand(file.read(2) == b"\xff\xd8", f"{name} is no JPEG")
        check.demand(not row["seconds"] or abs(float(row["seconds"]) - shown[name]["seconds"]) < 0.06, f"the length of {name}: {row}")
    check.demand(any(not row["picture"] for row in rows), "motions from before the camera are not exported")
    check.same([row["time"] for row in rows], sorted(row["time"] for row in rows), "the order of the export")
    check.roost("records", "export", folder, "--socket", one.socket, "--ring", one.ring, status=1)


def chosen(browser):
    """The picture that the dialog shows, by its number; what was measured then may still come."""
    return browser.script("return document.querySelector('dialog').innerText.match(/Picture \\d+/)?.[0]")


def swipe(walk, first):
    """A finger that goes left over the picture shows an older one, and to the right the one before."""
    browser, check = walk.browser, walk.check
    touch = browser.driver.execute_cdp_cmd
    for name, start, finish, wanted_text in (("left", 260, 80, lambda text: text != first), ("right", 80, 260, lambda text: text == first)):
        touch("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": start, "y": 240}]})
        touch("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": finish, "y": 244}]})
        touch("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        check.demand(until(lambda wanted=wanted_text: wanted(chosen(browser)), 5), f"a swipe to the {name}: {browser.text('dialog')}")


def wall(walk):
    """A heading a day with its counts; motions without a picture are folded, with their reason."""
    browser, check = walk.browser, walk.check
    browser.open("/records")
    check.demand(browser.shows("motions without a picture", 10), f"motions from before the camera: {browser.text()[:600]}")
    heads = browser.script("return [...document.querySelectorAll('.records .split:has(h2)')].map((one) => one.innerText)")
    check.demand(heads and re.search(r"\d+ pictures · \d+ motions", heads[0]), f"the heading of a day: {heads[:1]}")
    for width, least, most in ((360, 2, 2), (1920, 6, 9)):
        browser.view(width)
        columns = browser.script("return getComputedStyle(document.querySelector('.shots')).gridTemplateColumns.split(' ').length")
        check.demand(least <= columns <= most, f"columns of pictures at {width} px: {columns}")
    browser.view(360)


def picture_by_picture(walk, one):
    """The dialog: the picture, the next one by an arrow, deleting that asks first."""
    browser, check = walk.browser, walk.check
    browser.open("/records")
    check.demand(until(lambda: browser.script("return document.querySelectorAll('.shot img').length"), 10), "no thumbnail")
    loaded = until(lambda: browser.script("""const all = [...document.querySelectorAll('.shot img')].slice(0, 4);
        return all.length && all.every((one) => one.complete && one.naturalWidth === 960);"""), 10)
    check.demand(loaded, "thumbnails are not pictures")
    browser.script("document.querySelector('.shot').click()")
    check.demand(browser.shows("Picture", 5, "dialog"), "no dialog with a picture")
    name = browser.script("return document.querySelector('dialog a[download]').getAttribute('download')")
    check.demand(name.endswith(".jpg") and name[:2] == "20", f"the name of a download: {name}")
    measured = browser.shows("Measured then: PM2.5", 10, "dialog") and "Motion, seen by door" in browser.text("dialog")
    check.demand(measured, f"why it was taken, and what was measured then: {browser.text('dialog')}")
    first = chosen(browser)
    browser.keys("ARROW_RIGHT")
    check.demand(until(lambda: chosen(browser) != first, 5),
                 f"the arrow shows no other picture: {browser.script('return document.activeElement.outerHTML')[:200]}")
    browser.keys("ARROW_LEFT")
    check.demand(until(lambda: chosen(browser) == first, 5), f"the arrow leads to {chosen(browser)}, not back to {first}")
    swipe(walk, first)
    until(lambda: browser.script("return document.querySelector('dialog img').complete"), 5)
    if walk.shots:
        for width in (360, 1280):
            browser.view(width)
            browser.driver.save_screenshot(os.path.join(walk.shots, f"records-look-{width}-light-en.png"))
        browser.view(360)
    check.same(browser.findings(), [], "the dialog: findings of axe")
    number = int(name.removesuffix(".jpg").rsplit("-", 1)[1])
    browser.press("Delete", "dialog")
    check.demand(browser.shows("for good", 5, "dialog[aria-label]"), "nothing asks before a picture is deleted")
    browser.press("Cancel", "dialog[aria-label]")
    check.demand(number in [each["number"] for each in pictures(browser)], "Cancel deletes")
    browser.press("Delete", "dialog")
    browser.press("Delete", "dialog[aria-label]")
    gone = until(lambda: number not in [each["number"] for each in pictures(browser)], 10)
    check.demand(gone, "Delete does not delete")
    check.same(browser.ask("GET", f"/records/{number}/picture")[0], 404, "a picture that was deleted")


def rights(walk, one, dashboard):
    """A viewer sees motions and no picture; who looked is in the audit."""
    browser, check = walk.browser, walk.check
    _, invitation = browser.ask("POST", "/invitations", {"role": "viewer"})
    _, audit = browser.ask("GET", "/audit")
    looks = [line for line in audit["items"] if line["action"] == "pictures"]
    check.same([line["actor"] for line in looks], [OWNER["name"]], "who looked, one line an hour")
    number = pictures(browser)[0]["number"]
    browser.forget()
    check.same(browser.ask("GET", f"/records/{number}/picture")[0], 401, "a stranger's look")
    browser.ask("POST", f"/invitations/{invitation['code']}", GUEST)
    check.same(browser.ask("GET", f"/records/{number}/picture")[0], 403, "a viewer's look")
    browser.open("/records")
    check.demand(browser.shows("pictures for members", 10), f"a viewer's page: {browser.text()[:300]}")
    check.demand("Delete all" not in browser.text(), "a viewer may delete")
    check.same(browser.script("return document.querySelectorAll('main img').length"), 0, "pictures on a viewer's page")
    if walk.shots:
        browser.driver.save_screenshot(os.path.join(walk.shots, "records-viewer-360-light-en.png"))
    check.same(browser.findings(), [], "a viewer's page: findings of axe")
    browser.messages()
    browser.forget()
    browser.ask("POST", "/login", {"email": OWNER["email"], "password": OWNER["password"]})


def faults(walk, one):
    """A command that fails, then a camera whose program ended."""
    browser, check = walk.browser, walk.check
    with open(one.fault, "w", encoding="utf-8") as file:
        file.write("fail")
    failed = until(lambda: "exit code 3" in (records(browser).get("trouble") or ""), 30)
    check.demand(failed, f"a command that fails: {records(browser).get('trouble')}")
    browser.open("/records")
    check.demand(browser.shows("The last motion has no picture", 5), f"the page: {browser.text()[:300]}")
    heard = until(lambda: "camera fails" in str(browser.ask("GET", "/events")[1]), 10)
    check.demand(heard, "the events do not know that the camera fails")
    os.remove(one.fault)
    kill(one.eyes)
    browser.open("/records")
    check.demand(browser.shows("program does not run", 5), f"without roost-eyes: {browser.text()[:300]}")
    check.demand("Delete all" not in browser.text(), "deleting is offered without roost-eyes")
    one.switch_on()
    until(lambda: records(browser).get("camera") == "on", 20)


def many(walk, one):
    """Page by page to the first picture, and no thumbnail before it is near."""
    browser, check = walk.browser, walk.check
    dashboard = Dashboard(check, one, "--open", "--eyes", os.path.join(one.folder, "none.sock"), "--pictures", one.fill(150))
    dashboard.start()
    browser.address = dashboard.address
    count = "return document.querySelectorAll('.shot').length"
    loaded = "return [...document.querySelectorAll('.shot img')].filter((one) => one.complete && one.naturalWidth).length"
    try:
        browser.view(360)
        browser.open("/records")
        check.demand(until(lambda: browser.script(count) > 20, 10), f"many: {browser.text()[:200]}")
        browser.press("Show earlier ones")
        check.demand(until(lambda: browser.script(count) > 70, 10), f"the second page: {browser.script(count)}")
        first = browser.script(loaded)
        check.demand(first < browser.script(count), f"all {first} thumbnails are loaded at once")
        while browser.script("return [...document.querySelectorAll('main button')].some((one) => one.innerText === 'Show earlier ones' && one.checkVisibility())"):
            before = browser.script(count)
            browser.press("Show earlier ones")
            if not until(lambda last=before: browser.script(count) > last, 10):
                break
        check.same(browser.script(count), 150, "pictures on all pages")
        browser.script("scrollTo(0, document.body.scrollHeight)")
        seen = until(lambda: browser.script("const all = [...document.querySelectorAll('.shot img')].slice(-2); return all.every((one) => one.complete && one.naturalWidth)"), 15)
        check.demand(seen, "the oldest thumbnails are not loaded when they come near")
        look(walk, "/records", "records-many")
    finally:
        dashboard.close()


def run(walk):
    browser, check, address = walk.browser, walk.check, walk.browser.address
    one = Camera(walk)
    one.start()
    browser.view(360)
    browser.open("/login")
    one.draw()
    dashboard = Dashboard(check, one, "--eyes", one.eyes_socket, "--pictures", one.ring)
    dashboard.start()
    browser.address = dashboard.address
    try:
        browser.open("/login")
        if not check.demand(claim(browser, dashboard), "records: the station cannot be claimed"):
            return 0
        browser.open("/records")
        check.demand(browser.shows("No camera is switched on", 10), f"without a camera: {browser.text()[:300]}")
        check.demand(until(lambda: len(records(browser)["items"]) >= 2, 40), "no motion becomes a record")
        look(walk, "/records", "records-off")
        one.switch_on()
        check.demand(until(lambda: len(pictures(browser)) >= 6, 120), f"no pictures: {records(browser)}")
        # A picture is there at once, its motion as soon as the history is read again.
        joined = until(lambda: all(each.get("event") for each in pictures(browser)[1:]), 10)
        check.demand(joined, f"a picture without its motion: {pictures(browser)}")
        browser.open("/records")
        check.demand(browser.shows("The camera is on", 10), f"with a camera: {browser.text()[:300]}")
        look(walk, "/records", "records")
        if walk.shots:
            # docs/guide/pictures/records.png is this one.
            browser.open("/records")
            browser.picture(os.path.join(walk.shots, "records-360-light-en.png"), 360, False)
        export(walk, one)
        wall(walk)
        picture_by_picture(walk, one)
        rights(walk, one, dashboard)
        faults(walk, one)
        browser.open("/records")
        browser.press("Delete all pictures")
        check.demand(browser.shows("for good", 5, "dialog"), "nothing asks before all are deleted")
        last = records(browser)["newest"]
        browser.press("Delete all pictures", "dialog")
        gone = until(lambda: all(each["number"] > last for each in pictures(browser)), 20)
        check.demand(gone, "Delete all does not delete")
        check.demand(records(browser)["items"], "the motions are gone with their pictures")
        _, audit = browser.ask("GET", "/audit")
        check.demand([line for line in audit["items"] if line["action"] == "pictures-deleted"], "the audit lacks who deleted")
        check.same([text for text in browser.messages() if "401" not in text and "403" not in text and "404" not in text], [],
                   "records: console messages")
        many(walk, one)
    finally:
        browser.address = address
        dashboard.close()
        one.close()
    return 3
