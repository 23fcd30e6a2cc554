"""The owner's other stations on the page Sites, and motion on the first page.

Three stations of one machine: the one that looks, one with a motion sensor and an open dashboard, and one whose
dashboard wants a token. A script prints what avahi-browse would.
"""

import json
import os
import signal
import subprocess

from ..check import Failed, until
from ..courier import Courier
from ..station import Part, Station, kill
from .dashboard import START_SECONDS, Dashboard
from .outbox import look
from .states import Stage

HOSTILE = r"\060img\032src\061x\032onerror\061alert\0401\041\062\027\226\128\174"


class Attic:
    """A station with visitors at its simulated door, a dust sensor, and a position."""

    def __init__(self, check, name="attic"):
        self.check, folder = check, check.path(name)
        os.makedirs(folder)
        self.socket, self.part = os.path.join(folder, "socket"), Part(check, "sds011", link=check.path(f"{name}-dust"))
        config = os.path.join(folder, "roost.json")
        with open(config, "w", encoding="utf-8") as file:
            json.dump({"name": name, "detect": False, "mode": "live", "socket": self.socket,
                       "devices": [{"name": "dust", "type": "sds011", "port": self.part.place},
                                   {"name": "door", "type": "pir", "line": "GPIO17", "settleSeconds": 2, "blockSeconds": 1}],
                       "store": {"folder": os.path.join(folder, "store"), "megabytes": 8}}, file)
        with open(check.path(f"{name}.log"), "ab") as log:
            self.process = subprocess.Popen([check.program("roost"), "demo-node", "--config", config, "--seed", "7"],
                                            stdin=subprocess.PIPE, stdout=log, stderr=log)
        check.ends(self)
        if not until(lambda: check.roost("status", "--socket", self.socket).returncode in (0, 2), START_SECONDS):
            raise Failed(f"the {name} does not answer")

    def close(self):
        kill(self.process)
        self.process.stdin.close()
        self.part.close()


def announce(path, lines):
    """A program in place of avahi-browse: each is a name, a host and a port on loopback."""
    printed = "\n".join(f'=;lo;IPv4;{name};_roost._tcp;local;{host}.local;127.0.0.1;{port};"path=/"' for name, host, port in lines)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\ncat <<'END'\n{printed}\nEND\n")
    os.chmod(path, 0o755)


def found(browser):
    status, content = browser.ask("GET", "/stations")
    return content if status == 200 else {}


def picture(walk):
    """The page as docs/guide/pictures/sites.png has it."""
    browser = walk.browser
    browser.view(768)
    browser.open("/sites")
    if browser.shows("attic.local", 15) and walk.shots:
        # Without the number of this run.
        browser.script("for (const one of document.querySelectorAll('#station, .sitemap .own text')) one.textContent = 'cellar';")
        browser.picture(os.path.join(walk.shots, "stations-guide.png"), 768, False)
    browser.view(360)


def motion(walk, attic):
    """The first page of a station with a motion sensor shows its motions, and their end."""
    browser, check = walk.browser, walk.check
    browser.address = attic.address
    browser.view(360)
    browser.open("/")
    check.demand(browser.shows("Motion", 10), f"no motion sensor on the first page: {browser.text()[:300]}")
    card = """return [...document.querySelectorAll('.reading')].find((one) => one.innerText.includes('door'))?.innerText ?? ''"""
    for word in ("motion", "still"):
        seen = until(lambda word=word: word in browser.script(card).split("\n"), 90, 0.2)
        check.demand(seen, f"the door is never {word}: {browser.script(card)!r}")
    states = set()
    check.demand(until(lambda: states.add(browser.ask("GET", "/station")[1]["station"]["visited"]) or states == {True, False}, 90, 0.5),
                 f"visited is {states} alone")


def run(walk):
    browser, check, address = walk.browser, walk.check, walk.browser.address
    one = Stage(walk, "cellar", {"dust": ()}, words=("--courier", check.path("cellar", "courier.sock")),
                store={"folder": check.path("cellar-store")})
    attic = Dashboard(check, Attic(check), "--open")
    barn_part = Part(check, "sds011", link=check.path("barn-dust"))
    barn = Dashboard(check, Station(check, "barn", devices=[{"name": "dust", "type": "sds011", "port": barn_part.place}]))
    barn.station.start()
    courier = Courier(check, one.station, stations={"local": True})
    script = check.path("avahi-browse")
    courier.words = ("--avahi-browse", script)
    try:
        for dashboard in (attic, barn):
            dashboard.start()
        browser.address = one.dashboard.address
        browser.view(360)
        browser.open("/sites")
        check.demand(browser.shows("The courier asks other stations", 10), f"without a courier: {browser.text()[:600]}")
        courier.start()
        check.demand(until(lambda: found(browser).get("search") == "noProgram", 30), f"without avahi: {found(browser)}")
        browser.open("/sites")
        check.demand(browser.shows("avahi-utils is not installed", 10), f"without avahi: {browser.text()[:600]}")
        check.roost("settings", "set", "position", "1.3100, 103.8120", "--socket", attic.station.socket, status=0)
        one.station.roost("settings", "set", "position", "1.3000, 103.8000", status=0)
        announce(script, [("Roost\\032on\\032attic", "attic", attic.port), ("Roost\\032on\\032barn", "barn", barn.port)])
        check.demand(until(lambda: len(found(browser).get("items", [])) == 2, 30), f"two stations are not found: {found(browser)}")
        one.station.trust_clock()
        picture(walk)
        announce(script, [("Roost\\032on\\032attic", "attic", attic.port), ("Roost\\032on\\032barn", "barn", barn.port),
                          ("Roost\\032on\\032cellar", "cellar", one.dashboard.port), (HOSTILE, "gone", 9)])
        courier.process.send_signal(signal.SIGHUP)  # Asks again at once.
        check.demand(until(lambda: len(found(browser).get("items", [])) == 3, 30), f"not all are found: {found(browser)}")
        items = {item["name"]: item for item in found(browser)["items"]}
        check.same({name: item["state"] for name, item in items.items()},
                   {"attic": "answers", "Roost on barn": "needsToken", "<img src=x onerror=alert(1)>": "silent"}, "stations")
        check.same(items["attic"]["facts"]["quantities"], ["pm10", "pm25"], "what the attic measures")
        check.demand(items["attic"]["facts"].get("visited") is not None, "the attic's motion sensor is not known")
        browser.open("/sites")
        check.demand(browser.shows("Measuring. The air is", 15) and browser.shows("with a token alone", 5),
                     f"the list of stations: {browser.text()[:900]}")
        check.demand(browser.shows("<img src=x onerror=alert(1)>", 5), "the hostile name is not shown as text")
        check.same(browser.script("return document.querySelectorAll('.station img').length"), 0, "pictures from a name")
        links = browser.script("return [...document.querySelectorAll('.station a')].map((one) => [one.innerText, one.href])")
        check.demand(["attic.local", attic.address + "/"] in links, f"links: {links}")
        placed = "return [...document.querySelectorAll('.sitemap .site.peer title')].map((one) => one.textContent)"
        drawn = until(lambda: browser.script(placed), 10, 0.2) or []
        check.demand(len(drawn) == 1 and drawn[0].startswith("attic: ") and "north-east" in drawn[0], f"stations on the drawing: {drawn}")
        check.demand("1.7 km, north-east" in browser.text(), f"the way to the attic: {browser.text()[:900]}")
        look(walk, "/sites", "stations")
        said = courier.roost("stations", status=0).stdout
        check.demand("attic" in said and "visited" in said and "\x1b" not in said, f"roost stations: {said}")
        motion(walk, attic)
        check.same(browser.messages(), [], "stations: console messages")
    finally:
        browser.address = address
        for part in (courier, attic, attic.station, barn, barn.station, barn_part, one):
            part.close()
    return 3
