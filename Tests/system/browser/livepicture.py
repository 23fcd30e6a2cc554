"""The page Live picture: off, at rest, starting, running for two viewers, stopped, masked, refused, gone, and for a viewer.

A roost-eyes whose program writes pictures that the browser drew, one after another, before a station that is a script.
"""

import base64
import contextlib
import http.client
import json
import os
import subprocess
import threading

from ..check import until
from ..checks.camera import Motions
from ..checks.live_picture import marked
from ..station import kill
from .dashboard import OWNER, Dashboard
from .outbox import look
from .records import DRAW, GUEST, claim

RUN = """#!/bin/sh
sleep {delay}
while :; do
    [ -e {folder}/fault ] && exit 3
    for n in 0 1 2 3 4 5 6 7 8 9 10 11; do cat {folder}/$n.jpg; sleep 0.1; [ -e {folder}/fault ] && exit 3; done
done
"""
IMAGE = "const one = document.querySelector('.frame.wide img'); return one ? one.naturalWidth : 0"


class Camera:
    """roost-eyes with a program of its own, and no motion."""

    def __init__(self, walk, name="live"):
        self.check, self.browser = walk.check, walk.browser
        self.folder = self.check.path(name)
        os.makedirs(self.folder)
        self.motions, self.eyes = Motions(self.check), None
        self.socket = self.motions.path
        self.ring, self.control, self.live, self.config = (
            os.path.join(self.folder, name) for name in ("pictures", "eyes.sock", "live.sock", "eyes.json"))
        self.check.ends(self)

    def draw(self):
        for number in range(12):
            text = self.browser.script(DRAW, number).split(",", 1)[1]
            with open(os.path.join(self.folder, f"{number}.jpg"), "wb") as file:
                file.write(base64.b64decode(text))

    def switch(self, live=True, masks=(), delay=0, **settings):
        """Starts roost-eyes anew with other settings."""
        if self.eyes:
            kill(self.eyes)
        program = os.path.join(self.folder, "program")
        with open(program, "w", encoding="utf-8") as file:
            file.write(RUN.format(folder=self.folder, delay=delay))
        os.chmod(program, 0o755)
        words = {"live": {"command": [program], "width": 960, "height": 720, **settings}} if live else {}
        with open(self.config, "w", encoding="utf-8") as file:
            json.dump({"command": ["false"], "ring": self.ring, "megabytes": 4, "pictures": 20, "masks": list(masks), **words}, file)
        with open(self.check.path("eyes.log"), "ab") as log:
            self.eyes = subprocess.Popen(
                [self.check.program("roost-eyes"), "run", "--config", self.config, "--socket", self.socket,
                 "--control", self.control, "--live", self.live], stderr=log)

    def say(self, is_failing):
        path = os.path.join(self.folder, "fault")
        if is_failing:
            with open(path, "w", encoding="utf-8"):
                pass
        elif os.path.exists(path):
            os.remove(path)

    def close(self):
        if self.eyes:
            kill(self.eyes)


class Second:
    """Another viewer, with this browser's session."""

    def __init__(self, browser, dashboard):
        cookie = "; ".join(f"{one['name']}={one['value']}" for one in browser.driver.get_cookies())
        self.connection = http.client.HTTPConnection("127.0.0.1", dashboard.port, timeout=20)
        self.connection.request("GET", "/api/v1/camera/live", headers={"Cookie": cookie})
        self.answer = self.connection.getresponse()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        with contextlib.suppress(OSError, ValueError, AttributeError, http.client.HTTPException):
            while self.answer.read(4096):
                pass

    def close(self):
        with contextlib.suppress(OSError, AttributeError):
            self.connection.sock.shutdown(2)
        self.connection.close()


def state(browser):
    status, content = browser.ask("GET", "/camera")
    return content.get("state") if status == 200 else status


def page(walk, words, name):
    """Opened anew, the page says so."""
    browser, check = walk.browser, walk.check
    browser.open("/live")
    check.demand(browser.shows(words, 10), f"{name}: {browser.text()[:300]}")
    if walk.shots:
        browser.picture(os.path.join(walk.shots, f"live-{name}-360-light-en.png"), 360, False)
    check.same(browser.findings(), [], f"{name}: findings of axe")


def watching(walk, one, dashboard):
    browser, check = walk.browser, walk.check
    one.switch(delay=3)
    until(lambda: state(browser) == "ready", 10)
    page(walk, "The camera rests", "ready")
    check.same(marked(one.ring), [], "processes before the first viewer")
    browser.press("Show the live picture")
    check.demand(browser.shows("The camera starts", 5), f"starting: {browser.text()[:300]}")
    check.demand(until(lambda: browser.script(IMAGE) == 960, 15), f"no picture: {browser.text()[:300]}")
    check.demand(browser.shows("The camera is on", 5) and browser.shows("1 viewer", 5), f"running: {browser.text()[:300]}")
    second = Second(browser, dashboard)
    check.same(second.answer.status, 200, "a second viewer")
    check.demand(browser.shows("2 viewers", 10), f"two viewers: {browser.text()[:300]}")
    second.close()
    look_now(walk)
    check.same(state(browser), "running", "the state while watching")
    browser.press("Stop")
    check.demand(until(lambda: not marked(one.ring), 10), "the program runs on after Stop")
    check.demand(browser.shows("The camera rests", 10), f"after Stop: {browser.text()[:300]}")
    # Another page, too, lets go of it.
    browser.press("Show the live picture")
    check.demand(until(lambda: browser.script(IMAGE) == 960, 15), "no picture the second time")
    browser.script("document.querySelector('nav a[href=\"/history\"]').click()")
    check.demand(until(lambda: not marked(one.ring), 10), "the program runs on after the page")
    _, audit = browser.ask("GET", "/audit")
    lines = [line for line in audit["items"] if line["action"] == "live-picture"]
    check.same(len(lines), 1, f"lines of the audit: {lines}")


def look_now(walk):
    """The picture as it runs, in both widths; docs/guide/pictures/live.png is the narrow one."""
    browser, check = walk.browser, walk.check
    for width in (360, 1280):
        browser.view(width)
        check.same(browser.wider(), [], f"the live picture at {width} px: parts wider than the screen")
        if walk.shots:
            browser.driver.save_screenshot(os.path.join(walk.shots, f"live-running-{width}-light-en.png"))
    browser.view(360)


def refusals(walk, one):
    browser, check = walk.browser, walk.check
    one.switch()
    until(lambda: state(browser) == "ready", 10)
    one.say(True)
    page(walk, "The camera rests", "before-it-fails")
    browser.press("Show the live picture")
    check.demand(browser.shows("The camera gives no picture", 15), f"a program that fails: {browser.text()[:300]}")
    check.demand(browser.shows("exit code 3", 5), f"why it fails: {browser.text()[:300]}")
    one.say(False)
    check.demand(until(lambda: browser.script(IMAGE) == 960, 30), f"it does not come back: {browser.text()[:300]}")
    one.switch(masks=["00:00-12:00", "12:00-00:00"])
    check.demand(browser.shows("Masked now", 20), f"masked: {browser.text()[:300]}")
    page(walk, "Masked now", "masked")
    one.switch(freeMegabytesMin=65536)
    until(lambda: state(browser) == "memory", 10)
    page(walk, "too little free memory", "memory")


def guest(walk, one, dashboard):
    """A viewer sees how the camera is, and no picture."""
    browser, check = walk.browser, walk.check
    one.switch()
    until(lambda: state(browser) == "ready", 10)
    status, invitation = browser.ask("POST", "/invitations", {"role": "viewer"})
    check.demand(status in (200, 201), f"an invitation: {status} {invitation}")
    browser.forget()
    status, _ = browser.ask("POST", f"/invitations/{invitation['code']}", GUEST)
    check.demand(status in (200, 201), f"a viewer signs up: {status}")
    browser.open("/live")
    check.demand(browser.shows("Members and owners", 10), f"a viewer: {browser.text()[:300]}")
    check.demand("Show the live picture" not in browser.text(), "a viewer may start the camera")
    check.same(browser.ask("GET", "/camera/live")[0], 403, "the stream for a viewer")
    browser.forget()
    browser.ask("POST", "/login", {"email": OWNER["email"], "password": OWNER["password"]})


def run(walk):
    browser, check, address = walk.browser, walk.check, walk.browser.address
    one = Camera(walk)
    browser.view(360)
    browser.open("/login")
    one.draw()
    dashboard = Dashboard(check, one, "--eyes", one.control, "--pictures", one.ring, "--live-socket", one.live)
    dashboard.start()
    browser.address = dashboard.address
    try:
        browser.open("/login")
        if not check.demand(claim(browser, dashboard), "live: the station cannot be claimed"):
            return 0
        page(walk, "No live picture is switched on", "off")
        one.switch(live=False)
        until(lambda: browser.ask("GET", "/camera")[1].get("camera") == "on", 10)
        look(walk, "/live", "live-off")
        watching(walk, one, dashboard)
        look(walk, "/live", "live")
        refusals(walk, one)
        guest(walk, one, dashboard)
        kill(one.eyes)
        page(walk, "program does not run", "stopped")
        expected = ("401", "403", "404", "503")
        check.same([text for text in browser.messages() if not any(code in text for code in expected)], [], "live: console messages")
    finally:
        browser.address = address
        dashboard.close()
        one.close()
    return 4
