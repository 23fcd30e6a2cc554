"""The page Update, with the check in the place of the root service that writes an update to the card.

A real station and roost-web, whose `--image-root` is a folder with what the page reads of an image. The service's part
is played from its records, as `roost update install` and `confirm` write them.
"""

import json
import os
import random

from ..check import Failed, until
from ..station import Station
from .dashboard import OWNER, START_SECONDS, Dashboard
from .outbox import look

SIZE = 2_500_000  # Two whole pieces of 1 MiB and a part of one.
WHY = "signed by key 2c3d8001293c2eb5, and this station trusts fc9adca14707a671: take the file that was made for it"
PEM = """-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAOGG63Dryg6DobOpiVU926dgvM1mzlwhn0oWje5gi2Ug=
-----END PUBLIC KEY-----
"""
KEY_ID = "26070ae7defa03e5"
PROGRESS, LAST, WANTED = "run/roost-update.json", "data/system/update.json", "run/roost-web/update-wanted"


class Card:
    """What the page sees of an image: files in a folder."""

    def __init__(self, folder):
        self.folder = folder
        for name in ("usr/lib/roost", "usr/share/roost/update-keys.d", "run/roost-web", "data/system"):
            os.makedirs(self.path(name))

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        """As the programs do: the whole file or none."""
        with open(self.path(name) + ".new", "w", encoding="utf-8") as file:
            file.write(text)
        os.rename(self.path(name) + ".new", self.path(name))

    def shows(self, percent):
        self.write(PROGRESS, json.dumps({"state": "writing", "version": "0.3.0", "percent": percent}))

    def keeps(self, state, **words):
        """`roost update install` is done."""
        self.write(LAST, json.dumps({"state": state, "version": "0.3.0", "slot": 3, **words}))
        self.remove(PROGRESS)

    def ends(self, state, **words):
        """The service is done, too."""
        self.keeps(state, **words)
        self.remove(WANTED)

    def remove(self, name):
        if self.has(name):
            os.remove(self.path(name))

    def has(self, name):
        return os.path.exists(self.path(name))


class Updated:
    """A station without sensors whose dashboard sees an image, and has an owner."""

    def __init__(self, walk, card, name="update"):
        check, self.card = walk.check, card
        self.station = Station(check, name, devices=[], store={"folder": check.path(f"{name}-store")})
        self.station.start()
        if not until(self.station.status, START_SECONDS):
            raise Failed(f"update: roostd does not answer: {self.station.log()[-300:]}")
        self.dashboard = Dashboard(check, self.station, "--image-root", card.folder)
        self.dashboard.start()

    def claim(self, browser):
        browser.driver.get(self.dashboard.address + "/")
        status, said = browser.ask("POST", "/claim", {**OWNER, "code": self.dashboard.claim_code()})
        if status not in (200, 201, 204):
            raise Failed(f"update: the claim: {status} {said}")

    def close(self):
        self.dashboard.close()
        self.station.close()


def choose(browser, path):
    browser.labelled("Update file").send_keys(path)


def upload(walk, one, path):
    """Chooses the file and presses the button; the station has it whole, and the service is asked for."""
    browser, check = walk.browser, walk.check
    choose(browser, path)
    browser.press("Upload and restart")
    check.demand(until(lambda: one.card.has(WANTED), 30), f"update: no service is asked for: {browser.text()[-400:]}")
    with open(path, "rb") as sent, open(os.path.join(one.dashboard.folder, "update/new.update"), "rb") as came:
        check.demand(sent.read() == came.read(), "update: the file came with other bytes")
    hidden = "return [...document.querySelectorAll('main form')].every((one) => one.hidden)"
    check.demand(until(lambda: browser.script(hidden), 10), "update: the form is offered while an update is written")


def bar(browser, percent):
    question = "const bar = document.querySelector('main progress'); return bar && !bar.hidden ? bar.value : null"
    return until(lambda: browser.script(question) == percent, 20, 0.2)


def said(walk, words, limit=20):
    walk.check.demand(walk.browser.shows(words, limit, "main"), f"update: the page does not say {words!r}: {walk.browser.text()[:500]}")


def states(walk, one, path):
    browser, card = walk.browser, one.card
    browser.open("/update")
    said(walk, "sudo apt update")
    walk.check.demand(not browser.script("return document.querySelector('main form')?.checkVisibility()"),
                      "update: a station of packages offers an upload")
    card.write("usr/lib/roost/image.json", "{}")
    card.write("usr/share/roost/update-keys.d/own.pem", PEM)
    card.write("run/roost-slot", "2\n")
    browser.open("/update")
    said(walk, KEY_ID)
    browser.press("Upload and restart")
    walk.check.demand(browser.wrong, "update: nothing is said of a file that was not chosen")
    # Refused: the words of the service are shown, and another file can be taken at once.
    upload(walk, one, path)
    for percent in (10, 55):
        card.shows(percent)
        walk.check.demand(bar(browser, percent), f"update: the bar is not at {percent} %")
    card.ends("refused", code="untrusted", why=WHY)
    said(walk, "was refused")
    said(walk, WHY)
    look(walk, "/update", "update-refused")
    # Taken: it waits, is on trial after a restart, and becomes good, all on the page that stayed open.
    upload(walk, one, path)
    card.shows(99)
    walk.check.demand(bar(browser, 99), "update: the bar is not at 99 %")
    card.keeps("waiting")
    walk.check.demand(bar(browser, 100), "update: the bar is not full while the service restarts the board")
    card.ends("waiting")
    said(walk, "waits for a restart")
    one.dashboard.stop()
    walk.check.demand(browser.shows("Not connected since", 45), "update: the restart is not seen")
    card.write("run/roost-slot", "3\n")
    one.dashboard.start()
    said(walk, "is on trial", 60)
    card.ends("good")
    said(walk, "became good")
    card.ends("fellBack", why="the station on trial is not well after 5 min 0 s: the store is missing")
    browser.open("/update")
    said(walk, "did not become good")
    said(walk, "the store is missing")


def run(walk):
    browser, check, address = walk.browser, walk.check, walk.browser.address
    folder = check.path("update-root")
    card, path = Card(folder), check.path("new.update")
    with open(path, "wb") as file:
        file.write(random.Random(1).randbytes(SIZE))
    one = Updated(walk, card)
    browser.address = one.dashboard.address
    try:
        browser.view(360)
        one.claim(browser)
        states(walk, one, path)
        noise = ("Failed to load resource", "ERR_CONNECTION_REFUSED")  # While the dashboard is off.
        check.same([text for text in browser.messages() if not any(one in text for one in noise)], [], "update: console messages")
    finally:
        browser.address = address
        one.close()
    return 8
