"""The page Camera: no program, no camera, a choice, a trial, masks by keyboard, two owners, what eyes.json sets, settings that are damaged.

A real roost-eyes with a folder of its own, first without an eyes.json, then with the program of the part *live*.
"""

import json
import os
import subprocess

from ..check import until
from ..station import kill
from .dashboard import OWNER, Dashboard
from .livepicture import RUN, Camera, Second, state
from .outbox import look
from .records import GUEST, claim

SHOWN = "const one = document.querySelector('.frame.wide img'); return one ? one.naturalWidth : 0"
CHECK = """const label = [...document.querySelectorAll('main label')].find((one) => one.textContent === arguments[0]);
document.getElementById(label.htmlFor).click();"""
CHOOSE = """const label = [...document.querySelectorAll('main label')].find((one) => one.textContent === arguments[0]);
const one = document.getElementById(label.htmlFor); one.value = arguments[1]; one.dispatchEvent(new Event('change', { bubbles: true }));"""

HOURS = """[...document.querySelectorAll('main input[type=time]')].forEach((one, index) => { one.value = arguments[0][index]; });"""


class Settings(Camera):
    """The test camera with settings of its owner."""

    def start(self, **words):
        """Starts roost-eyes anew; with an eyes.json where it has words."""
        if self.eyes:
            kill(self.eyes)
        if words:
            with open(self.config, "w", encoding="utf-8") as file:
                json.dump({"ring": self.ring, "megabytes": 4, "pictures": 20, **words}, file)
        with open(self.check.path("eyes.log"), "ab") as log:
            self.eyes = subprocess.Popen(
                [self.check.program("roost-eyes"), "run", "--config", self.config, "--socket", self.socket, "--state", self.folder,
                 "--control", self.control, "--live", self.live], stderr=log)
        until(lambda: os.path.exists(self.control), 10)

    def own(self):
        path = os.path.join(self.folder, "settings.json")
        if not os.path.exists(path):
            return None
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    def program(self):
        path = os.path.join(self.folder, "program")
        with open(path, "w", encoding="utf-8") as file:
            file.write(RUN.format(folder=self.folder, delay=0))
        os.chmod(path, 0o755)
        return path


def page(walk, words, name):
    browser, check = walk.browser, walk.check
    browser.open("/camera")
    check.demand(browser.shows(words, 10), f"camera, {name}: {browser.text()[:400]}")
    check.same(browser.findings(), [], f"camera, {name}: findings of axe")


def choice(walk, one):
    """Without a file: a camera is chosen, tried, saved and taken back."""
    browser, check = walk.browser, walk.check
    page(walk, "The camera is off.", "off")
    browser.script(CHOOSE, "Camera", "any")
    browser.press("Take a picture now")
    check.demand(browser.shows("There is no picture.", 20), f"a trial without a camera: {browser.text()[:600]}")
    check.demand("no camera" in browser.text().lower(), f"why there is no picture: {browser.text()[-600:]}")
    check.same(one.own(), None, "settings after a trial")
    browser.press("Save")
    check.demand(browser.shows("Saved and in use", 20) and browser.shows("The camera is on.", 5), f"saved: {browser.text()[:400]}")
    check.same(one.own(), {"camera": {"device": "any"}}, "settings.json after the choice")
    browser.press("Undo")
    check.demand(browser.shows("in use again", 20) and browser.shows("The camera is off.", 5), f"taken back: {browser.text()[:400]}")
    check.same(one.own(), {}, "settings.json after Undo")
    listed = check.roost("camera", "--json", "--socket", one.control, status=0)
    check.same(json.loads(listed.stdout)["isOn"], False, "roost camera")


def trial(walk, one, dashboard):
    """The program of eyes.json: its picture is shown and not kept, and a live picture goes on."""
    browser, check = walk.browser, walk.check
    page(walk, "A program takes the pictures.", "program")
    browser.press("Take a picture now")
    check.demand(until(lambda: browser.script(SHOWN) == 960, 20), f"no picture of a trial: {browser.text()[-500:]}")
    check.demand(browser.shows("The station does not keep it", 5), f"what becomes of it: {browser.text()[-500:]}")
    check.same(check.roost("records", "list", "--json", "--ring", one.ring, status=0).stdout, "", "pictures that are kept after a trial")
    check.same(browser.wider(), [], "parts wider than the screen")
    look_now(walk)
    second = Second(browser, dashboard)
    check.demand(until(lambda: state(browser) == "running", 15), "the live picture does not run")
    browser.press("Take a picture now")
    check.demand(browser.shows("The live picture runs and has the camera", 20), f"beside a live picture: {browser.text()[-500:]}")
    check.same(state(browser), "running", "the live picture after a trial")
    second.close()
    path = check.path("tried.jpg")
    check.roost("camera", "try", "--output", path, "--socket", one.control, status=0)
    with open(path, "rb") as file:
        check.same(file.read(2), b"\xff\xd8", "the picture of roost camera try")


def look_now(walk):
    """The page with a picture, in both widths."""
    browser, check = walk.browser, walk.check
    for width in (360, 1280):
        browser.view(width)
        check.same(browser.wider(), [], f"camera at {width} px: parts wider than the screen")
        if walk.shots:
            browser.picture(os.path.join(walk.shots, f"camera-tried-{width}-light-en.png"), width, False)
    browser.view(360)


def changes(walk, one):
    """What the page sets is in use at once: the live picture off and on, days, masks."""
    browser, check = walk.browser, walk.check
    page(walk, "The camera is on.", "on")
    browser.script(CHECK, "Live picture")
    browser.fill("Days that a picture is kept", "3")
    browser.press("Save")
    check.demand(browser.shows("Saved and in use", 20), f"saved: {browser.text()[:400]}")
    check.same(one.own(), {"live": {"isOn": False}, "retentionDays": 3}, "settings.json after two changes")
    check.demand(until(lambda: state(browser) == "off", 10), f"the live picture is {state(browser)}")
    browser.press("Undo")
    check.demand(until(lambda: state(browser) == "ready", 10), f"the live picture after Undo is {state(browser)}")
    # By the keyboard alone: the button, then two hours.
    browser.script("[...document.querySelectorAll('main button')].find((one) => one.textContent === 'Add a time').focus()")
    browser.keys("ENTER")
    check.same(browser.script("return document.activeElement.type"), "time", "where the focus is after Add")
    browser.press("Add a time")
    browser.script(HOURS, ["00:00", "12:00", "12:00", "00:00"])
    browser.press("Save")
    check.demand(until(lambda: one.own() == {"masks": ["00:00-12:00", "12:00-00:00"]}, 20), f"settings.json with masks: {one.own()}")
    check.demand(until(lambda: state(browser) == "masked", 10), f"masked: {state(browser)}")
    browser.press("Take a picture now")
    check.demand(browser.shows("There is no picture.", 20), f"a trial in a masked time: {browser.text()[-400:]}")
    browser.press("Remove")
    browser.press("Remove")
    browser.press("Save")
    check.demand(until(lambda: one.own() == {"masks": []}, 20), f"settings.json without a mask: {one.own()}")


LIGHT = """const image = [...document.querySelectorAll('main img')].at(-1), paper = document.createElement('canvas');
[paper.width, paper.height] = [image.naturalWidth, image.naturalHeight];
const pen = paper.getContext('2d', { willReadFrequently: true });
pen.drawImage(image, 0, 0);
return arguments[0].map(([x, y]) => Math.max(...pen.getImageData(x * paper.width, y * paper.height, 1, 1).data.slice(0, 3)));"""
TYPED = """[...document.querySelectorAll('main .stage ~ .form input')].forEach((one, index) => {
  one.value = arguments[0][index]; one.dispatchEvent(new Event('input', { bubbles: true })); });"""
DRAWN = """const stage = document.querySelector('main .stage'), box = stage.getBoundingClientRect();
stage.setPointerCapture = () => {};
for (const [kind, x, y] of [['down', .5, 0], ['move', .7, .3], ['up', 1, .5]]) stage.dispatchEvent(
  new PointerEvent('pointer' + kind, { bubbles: true, button: 0, pointerId: 1, clientX: box.x + box.width * x, clientY: box.y + box.height * y }));"""
PARTS = "return [...document.querySelectorAll('main .stage ~ .form .row')].map((row) => [...row.querySelectorAll('input')].map((one) => Number(one.value)))"


def covers(walk, one):
    """Parts that stay black: typed, drawn on the picture, tried before they are saved, and in the live picture."""
    browser, check = walk.browser, walk.check
    page(walk, "The camera is on.", "covers")
    browser.press("Add a part")
    check.same(browser.script("return document.activeElement.type"), "number", "where the focus is after Add a part")
    browser.script(TYPED, [0, 60, 30, 50])
    browser.press("Save")
    check.demand(browser.shows("a rectangle within the picture", 10), f"a part beyond the picture: {browser.text()[-400:]}")
    browser.script(TYPED, [0, 60, 30, 40])
    browser.press("Take a picture now")
    check.demand(until(lambda: browser.script(SHOWN) == 960, 20), f"no picture with a part: {browser.text()[-500:]}")
    places = [[.1, .9], [.75, .25], [.5, .75]]
    light = browser.script(LIGHT, places)
    check.demand(light[0] < 24 and min(light[1:]) > 24, f"a typed part, drawn by the browser: {light}")
    browser.script(DRAWN)
    check.same(browser.script(PARTS), [[0, 60, 30, 40], [50, 0, 50, 50]], "parts after one was drawn")
    check.same(browser.findings(), [], "covers: findings of axe")
    look_now(walk)
    browser.press("Save")
    check.demand(until(lambda: one.own().get("covers") == ["0 600 300 400", "500 0 500 500"], 20), f"settings.json with parts: {one.own()}")
    path = check.path("covered.jpg")
    check.roost("camera", "try", "--output", path, "--socket", one.control, status=0)
    page(walk, "The camera is on.", "covered")
    browser.press("Take a picture now")
    check.demand(until(lambda: browser.script(SHOWN) == 960, 20), f"no covered picture: {browser.text()[-500:]}")
    light = browser.script(LIGHT, places)
    check.demand(max(light[:2]) < 24 < light[2], f"two parts, drawn by the browser: {light}")
    for _ in range(2):
        browser.script("document.querySelector('main .stage ~ .form button').click()")
    browser.press("Save")
    check.demand(until(lambda: one.own().get("covers") == [], 20), f"settings.json without a part: {one.own()}")


def owners(walk, one):
    """A page that is old does not write over what another owner changed; an administrator's file wins."""
    browser, check = walk.browser, walk.check
    page(walk, "The camera is on.", "two owners")
    status, seen = browser.ask("GET", "/camera/settings")
    check.same(status, 200, "the settings")
    check.same(browser.ask("PUT", "/camera/settings", {"tag": seen["tag"], "settings": {"retentionDays": 9}})[0], 200, "a change elsewhere")
    browser.fill("Days that a picture is kept", "5")
    browser.press("Save")
    check.demand(browser.shows("changed meanwhile", 10), f"an old page: {browser.text()[-400:]}")
    check.same(one.own(), {"retentionDays": 9}, "settings.json after an old page")
    check.same(browser.ask("PUT", "/camera/settings", {"settings": {"command": ["sh"]}})[0], 400, "a program of the page")
    one.start(command=["cat", os.path.join(one.folder, "0.jpg")], retentionDays=30)
    page(walk, "counts more", "what eyes.json sets")


def damaged(walk, one):
    browser, check = walk.browser, walk.check
    kill(one.eyes)
    path = os.path.join(one.folder, "settings.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write("{ broken")
    one.start(command=["cat", os.path.join(one.folder, "0.jpg")])
    page(walk, "its settings cannot be used", "damaged")
    look(walk, "/camera", "camera-damaged")
    check.same(browser.ask("PUT", "/camera/settings", {"settings": {}})[0], 503, "a change of damaged settings")
    with open(path, encoding="utf-8") as file:
        check.same(file.read(), "{ broken", "damaged settings after a change")
    browser.press("Use the settings before the last change")
    check.demand(browser.shows("The camera is on.", 20), f"after damaged settings: {browser.text()[:400]}")
    check.demand(os.path.exists(path + ".damaged"), "damaged settings are not kept")


def guest(walk):
    """Only owners: neither the page nor the routes."""
    browser, check = walk.browser, walk.check
    _, invitation = browser.ask("POST", "/invitations", {"role": "member"})
    browser.forget()
    browser.ask("POST", f"/invitations/{invitation['code']}", GUEST)
    check.same(browser.ask("GET", "/camera/settings")[0], 403, "the settings for a member")
    check.same(browser.ask("POST", "/camera/settings/try", {})[0], 403, "a trial for a member")
    check.same(browser.ask("GET", "/camera/settings/picture?trial=1")[0], 403, "the picture of a trial for a member")
    browser.open("/camera")
    check.demand("Take a picture now" not in browser.text(), "a member may set the camera")
    browser.forget()
    browser.ask("POST", "/login", {"email": OWNER["email"], "password": OWNER["password"]})


def run(walk):
    browser, check, address = walk.browser, walk.check, walk.browser.address
    one = Settings(walk, "camera-form")
    browser.view(360)
    browser.open("/login")
    one.draw()
    dashboard = Dashboard(check, one, "--eyes", one.control, "--pictures", one.ring, "--live-socket", one.live)
    dashboard.start()
    browser.address = dashboard.address
    try:
        browser.open("/login")
        if not check.demand(claim(browser, dashboard), "camera: the station cannot be claimed"):
            return 0
        page(walk, "program does not run", "stopped")
        one.start()
        choice(walk, one)
        look(walk, "/camera", "camera-off")
        live = {"command": [one.program()], "width": 960, "height": 720}
        one.start(command=["cat", os.path.join(one.folder, "0.jpg")], live=live)
        until(lambda: state(browser) == "ready", 10)
        trial(walk, one, dashboard)
        look(walk, "/camera", "camera")
        changes(walk, one)
        covers(walk, one)
        owners(walk, one)
        damaged(walk, one)
        guest(walk)
        expected = ("400", "401", "403", "404", "409", "503")
        check.same([text for text in browser.messages() if not any(code in text for code in expected)], [], "camera: console messages")
    finally:
        browser.address = address
        dashboard.close()
        one.close()
    return 7
