"""The first ten minutes of an owner: claim, a sensor that is plugged in, name and place, a test notice, a broker nearby.

A station that detects, with its adapters in a file; a courier; a server that answers as ntfy does; a script in place of
avahi-browse. Taps and letters are counted; left out are the letters of the owner's email and password, and what only
this check does: a server of its own, and a test that is sent again.
"""

import http.server
import json
import os
import threading

from ..check import Failed, until
from ..courier import Courier, Server
from ..servers.strangers import PluggedStation, Strangers
from ..station import Part
from .dashboard import OWNER, START_SECONDS, Dashboard
from .entries import choose

QR_SCRIPT = "/usr/share/javascript/qrcode-generator/qrcode.js"

USB = ("1a86", "7523")
TAPS_MAX, LETTERS_MAX = 25, 40
SIZES = ((360, False, "en"), (1280, False, "en"), (320, True, "de"))
PLACE = {"latitude": 46.16994, "longitude": 9.87862, "accuracy": 20}
BROKERS = (r"home\032\060b\062", "_mqtt._tcp", "192.168.1.20", 1883), ("Home", "_home-assistant._tcp", "192.168.1.21", 8123)


class Topics(http.server.BaseHTTPRequestHandler):
    """Takes messages as ntfy does."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, content):
        body = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer({"success": True})

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        self.server.messages.append(message)
        self.answer({"id": f"m{len(self.server.messages)}", "topic": message["topic"]})


class Hands:
    """Presses and types, and counts both."""

    def __init__(self, browser):
        self.browser, self.taps, self.letters = browser, 0, 0

    def press(self, words):
        self.taps += 1
        self.browser.press(words)

    def fill(self, label, text, counts=True):
        self.taps += 1
        self.letters += len(text) if counts else 0
        self.browser.fill(label, text)


class House:
    """All that runs in the owner's house."""

    def __init__(self, check):
        self.check = check
        self.strangers = check.ends(Strangers())
        self.strangers.thread.start()
        self.part, self.stranger = None, self.strangers.add("silent")
        self.station = PluggedStation(check, "first", mode="live", store={"folder": check.path("first-store"), "megabytes": 4})
        self.station.start()
        self.courier = Courier(check, self.station)
        self.browse = check.path("first-avahi-browse")
        self.announce()
        self.courier.words = ("--avahi-browse", self.browse)
        self.courier.start()
        self.ntfy = Server(("127.0.0.1", 0), Topics)
        self.ntfy.messages = []
        threading.Thread(target=self.ntfy.serve_forever, daemon=True).start()
        self.dashboard = Dashboard(check, self.station, "--courier", self.courier.socket)
        self.dashboard.start()

    def announce(self):
        lines = "\n".join(f"=;eth0;IPv4;{name};{kind};local;a.local;{address};{port};" for name, kind, address, port in BROKERS)
        with open(self.browse, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\ncat <<'END'\n{lines}\nEND\n")
        os.chmod(self.browse, 0o755)

    def plug(self):
        self.part = Part(self.check, "part", "nova-sds011", "--seed", "1")
        self.station.plug(1, self.part.place, USB)

    def close(self):
        self.ntfy.shutdown()
        self.ntfy.server_close()
        for one in (self.dashboard, self.courier, self.station, self.part):
            if one:
                one.close()


def shot(walk, name):
    """The step in all sizes, with what axe and the console have against it; the address shows it again."""
    browser, check = walk.browser, walk.check
    for width, dark, language in SIZES:
        browser.language(language)
        browser.view(width, dark=dark)
        browser.open(browser.path)
        where = f"{name} at {width} px, {language}"
        browser.shows("192.168.1.21", 5) if "step=4" in browser.path else None
        check.same(browser.wider(), [], f"{where}: parts wider than the screen")
        if walk.shots:
            browser.picture(os.path.join(walk.shots, f"{name}-{width}-{'dark' if dark else 'light'}-{language}.png"), width, dark)
        check.same(browser.findings(), [], f"{where}: findings of axe")
    browser.language("en")
    browser.view(360)
    browser.open(browser.path)
    check.same(browser.messages(), [], f"{name}: console messages")


def claim(walk, house, hands):
    browser, check = walk.browser, walk.check
    browser.open("/")
    check.demand(browser.shows("has no owner yet"), f"no Claim: {browser.text()[:300]}")
    check.demand(browser.shows("How you get a code, or need none", 5), f"no way to a code: {browser.text()[:300]}")
    code = house.dashboard.claim_code()
    browser.shows("Type the code that roost claim printed.", 5)
    hands.fill("Code", code)
    hands.fill("Name", OWNER["name"])
    hands.fill("Email", OWNER["email"], counts=False)
    hands.fill("Password", OWNER["password"], counts=False)
    hands.press("Become the owner")
    if not browser.shows("No sensor yet", 20):
        raise Failed(f"no First steps after the claim: {browser.path} {browser.text()[:300]}")
    check.same(browser.path, "/start", "the page after the claim")


def sensors(walk, house, hands):
    """A sensor that is plugged in while the page is open appears, has a value, and gets a name; a stranger is shown."""
    browser, check = walk.browser, walk.check
    check.demand("Later" in browser.text(), f"no way on without a sensor: {browser.text()}")
    shot(walk, "first-none")
    house.station.plug(2, house.stranger["node"], USB)
    house.plug()
    check.demand(browser.shows("sds011", START_SECONDS), f"the sensor does not appear: {browser.text()[:400]}")
    check.demand(browser.shows("µg/m³", 30), f"its value does not appear: {browser.text()[:400]}")
    check.demand(browser.shows("Also plugged in", 30), f"the stranger does not appear: {browser.text()[:600]}")
    hands.press("Name…")
    hands.fill("Name", "air")
    hands.press("Save")
    check.demand(until(lambda: "air" in (browser.ask("GET", "/station")[1].get("titles") or {}).values(), 30), f"it has no title: {browser.text()[:400]}")
    check.demand(browser.shows("Go on"), f"no way on: {browser.text()[:400]}")
    shot(walk, "first-sensors")
    hands.press("Go on")


def place(walk, house, hands):
    browser, check = walk.browser, walk.check
    check.demand(browser.shows("Save and go on"), f"no form of name and place: {browser.text()[:300]}")
    check.same(browser.path, "/start?step=2", "the address of the second step")
    shot(walk, "first-place")
    hands.fill("Station's name", "Klasse 3b")
    hands.press("Use this browser's position")
    filled = until(lambda: browser.labelled("Position").get_attribute("value") == "46.1699, 9.8786", 10)
    check.demand(filled, f"the position is not filled in: {browser.text()[:600]}")
    hands.press("Save and go on")
    check.demand(browser.shows("by the app ntfy"), f"the form is not saved: {browser.text()[:600]}")
    _, settings = browser.ask("GET", "/settings")
    check.same([settings["values"][name] for name in ("title", "position", "zone")], ["Klasse 3b", "46.1699, 9.8786", "Europe/Rome"], "the settings")


def told(walk, house, hands):
    """A topic with its code is the same after a reload; a test that comes is saved, one that does not come is not."""
    browser, check = walk.browser, walk.check
    topic = browser.text(".start code").split("/")[-1]
    check.demand(len(topic) >= 17 and topic.startswith("roost-"), f"no topic: {topic}")
    if os.path.exists(QR_SCRIPT):
        drawn = until(lambda: browser.script("return document.querySelector('.qr path')?.getAttribute('d').length ?? 0") > 2000, 10)
        check.demand(drawn, f"no code to scan: {browser.text()[:600]}")
    else:
        check.say("first: node-qrcode-generator is missing: no code is drawn")
    link = browser.script("return document.querySelector('a[href^=\"ntfy:\"]').href")
    check.same(link, f"ntfy://ntfy.sh/{topic}?display=Klasse%203b", "the link of the app")
    shot(walk, "first-told")
    check.same(browser.text(".start code").split("/")[-1], topic, "the topic after a reload")
    server = f"http://127.0.0.1:{house.ntfy.server_port}"
    browser.press("Another server than ntfy.sh")
    browser.fill("Address of the server (optional)", server)
    browser.press("Send a test")
    check.demand(browser.shows("This address is this computer", 20), f"a server of this computer is tried unasked: {browser.text()[-500:]}")
    check.same(house.courier.report().get("receivers"), [], "a receiver that was not reached")
    browser.press("Yes, this computer")
    hands.press("Send a test")
    check.demand(browser.shows("Did it ring?", 60), f"no test: {browser.text()[-600:]}")
    check.same([one["topic"] for one in house.ntfy.messages], [topic], "the topics of the test")
    browser.press("No, what now?")
    check.demand(browser.shows("letter by letter"), f"no help: {browser.text()[-600:]}")
    if walk.shots:
        browser.picture(os.path.join(walk.shots, "first-ring-360-light-en.png"), 360, False)
        browser.view(360)
    browser.open(browser.path)
    check.same(browser.text(".start code"), f"{server}/{topic}", "the address after a reload")
    browser.press("Another server than ntfy.sh")
    choose(browser, "The server is this computer", "true")
    browser.press("Send a test")
    check.demand(until(lambda: len(house.ntfy.messages) == 2, 30), f"no second test: {browser.text()[-600:]}")
    browser.shows("Did it ring?", 60)
    hands.press("Yes")
    check.same([one["id"] for one in house.courier.report()["receivers"]], ["ntfy"], "the receivers")
    hands.press("Go on")


def sent(walk, house, hands):
    browser, check = walk.browser, walk.check
    check.demand(browser.shows("192.168.1.21", 20), f"no offer: {browser.text()[:500]}")
    check.demand("home <b>" in browser.text(), f"the name of a broker: {browser.text()[:500]}")
    shot(walk, "first-sent")
    hands.press("home <b>\nMQTT broker at 192.168.1.20")
    check.demand(browser.shows("Name of this entry"), f"no form: {browser.text()[:500]}")
    check.same(browser.labelled("Address of the server").get_attribute("value"), "mqtt://192.168.1.20:1883", "the address of the offer")
    hands.press("Save")
    check.demand(browser.shows("Set already", 20), f"it is not saved: {browser.text()[-500:]}")
    check.same([one["id"] for one in house.courier.report()["targets"]], ["mqtt"], "the targets")
    # A page that begins here has read no catalogue of another page.
    browser.open("/start?step=4")
    check.demand(browser.shows("Set already", 20), f"what is set is not there after a reload: {browser.text()[:500]}")
    check.demand("outbox." not in browser.text("main"), f"a code in place of a sentence: {browser.text()[:500]}")
    said = ("Something is missing here", "A person has to change something", "All is delivered", "It tries again by itself", "On its way")
    check.demand(any(one in browser.text("main") for one in said), f"no state of the target: {browser.text()[:500]}")
    hands.press("Go on")
    check.demand(browser.shows("To the readings"), f"no end: {browser.text()[:500]}")
    for words in ("air", "Klasse 3b", "ntfy", "mqtt"):
        check.demand(words in browser.text(), f"the end does not name {words}: {browser.text()[:500]}")
    shot(walk, "first-done")
    hands.press("To the readings")
    check.demand(browser.shows("Measuring", 15), f"no Now at the end: {browser.text()[:300]}")


def others(walk, house):
    """The way back is in Settings and More; a guest has neither."""
    browser, check = walk.browser, walk.check
    for path in ("/settings", "/more"):
        browser.open(path)
        check.demand(browser.shows("First steps"), f"{path}: no way to the first steps")
    _, invitation = browser.ask("POST", "/invitations", {"role": "viewer", "days": 7})
    browser.forget()
    browser.open(f"/login?invitation={invitation['code']}")
    for label, text in (("Name", "Vera"), ("Email", "vera@example.org"), ("Password", "nine silver spoons")):
        browser.fill(label, text)
    browser.press("Sign up")
    browser.shows("Measuring", 15)
    browser.open("/more")
    check.demand("First steps" not in browser.text(), "a guest is shown the first steps")
    browser.open("/start")
    check.demand(browser.shows("does not exist here") or "No sensor yet" not in browser.text(), f"a guest opens the first steps: {browser.text()[:300]}")


def run(walk):
    browser, check, address = walk.browser, walk.check, walk.browser.address
    house, hands = House(check), Hands(browser)
    browser.forget()
    browser.address = house.dashboard.address
    browser.command("Emulation.setGeolocationOverride", **PLACE)
    browser.command("Browser.grantPermissions", permissions=["geolocation"])
    browser.command("Emulation.setTimezoneOverride", timezoneId="Europe/Rome")
    try:
        browser.view(360)
        for part in (claim, sensors, place, told, sent):
            part(walk, house, hands)
        check.say(f"first steps: {hands.taps} taps (at most {TAPS_MAX}), {hands.letters} letters (at most {LETTERS_MAX})")
        check.demand(hands.taps <= TAPS_MAX and hands.letters <= LETTERS_MAX, f"{hands.taps} taps, {hands.letters} letters")
        others(walk, house)
        check.same(browser.messages(), [], "first: console messages")
    finally:
        browser.command("Emulation.setTimezoneOverride", timezoneId="")
        browser.command("Emulation.clearGeolocationOverride")
        browser.forget()
        browser.address = address
        house.close()
    return 6
