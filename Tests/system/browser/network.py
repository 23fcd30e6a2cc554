"""The page Network, with the check in the place of the root service that looks for networks and joins one.

A real station and roost-web, whose `--image-root` is a folder with what the page reads of an image. The service's part
is played by its files, as `roost provision --network` writes them.
"""

import json
import os

from ..check import until
from .entries import shot
from .outbox import look
from .update import Card, Updated, said

WANTED, SEEN = "run/roost-web/network-wanted", "run/roost-network/seen.json"
BUSY, LAST = "run/roost-network/busy.json", "run/roost-network/last.json"
HOME, CAFE, ODD = "Müller-Netz".encode(), "Café".encode(), bytes(range(0xe0, 0x100))
SECRET = "planted-Wi-Fi-secret"
NETWORKS = [(HOME, -41, "wpa2"), (b"FRITZ!Box 7590", -63, "mixed"), (CAFE, -72, "open"), (b"office", -74, "enterprise"),
            (b"attic", -79, "old"), (ODD, -81, "wpa3"), ("קפה".encode(), -84, "wpa2")]


class Service:
    """The root service, played from its files."""

    def __init__(self, walk, card):
        self.walk, self.card = walk, card
        os.makedirs(card.path("run/roost-network"))
        os.makedirs(card.path("run/roost-access-point"))
        self.state = {"hasRadio": True, "hasCable": False, "accessPoint": "roost-35CC", "country": None, "known": None, "networks": []}

    def takes(self):
        """The request, which is gone once it was read; nothing else may read it."""
        check = self.walk.check
        if not check.demand(until(lambda: self.card.has(WANTED), 20), f"network: no service is asked for: {self.walk.browser.text()[-400:]}"):
            return {}
        mode = os.stat(self.card.path(WANTED)).st_mode & 0o777
        check.same(oct(mode), oct(0o600), "network: who may read a request")
        with open(self.card.path(WANTED), encoding="utf-8") as file:
            request = json.load(file)
        self.card.remove(WANTED)
        return request

    def sees(self, **words):
        self.state.update(words)
        self.card.write(SEEN, json.dumps({name: value for name, value in self.state.items() if value is not None}))

    def works(self, network):
        self.card.write(BUSY, json.dumps({"act": "join", "network": network.hex()}))

    def ends(self, network, result, **words):
        self.card.write(LAST, json.dumps({"network": network.hex(), "result": result, **words}))
        self.card.remove(BUSY)

    def scan(self):
        self.walk.check.same(self.takes().get("act"), "scan", "network: what the page asks for at first")
        self.sees(networks=[{"network": name.hex(), "signal": signal, "kind": kind} for name, signal, kind in NETWORKS])

    def point(self, is_there):
        if is_there:
            self.card.write("run/roost-access-point/address", "10.66.0.1\n")
        else:
            self.card.remove("run/roost-access-point/address")


def choose(walk, name):
    walk.browser.open(f"/network?join={name if isinstance(name, str) else name.hex()}")
    said(walk, "Cancel")


def joins(walk, service, network, **wanted):
    """Presses the button; the request is what was typed."""
    walk.browser.script("document.querySelector('main form .first').click()")
    request = service.takes()
    walk.check.same(request, {"act": "join", "network": network.hex(), **wanted}, "network: the request")
    service.works(network)
    said(walk, "The station tries")


def states(walk, one, service):
    browser, check, card = walk.browser, walk.check, one.card
    browser.open("/network")
    said(walk, "sudo nmtui")
    check.demand(not browser.script("return document.querySelector('main form, main .networks')"), "network: a station of packages offers Wi-Fi")
    card.write("usr/lib/roost/image.json", "{}")
    service.point(True)
    browser.open("/network")
    service.scan()
    for words in ("Müller-Netz", "FRITZ!Box 7590", "open: everyone can read along", "not possible", "e0e1e2e3…feff", "its own Wi-Fi roost-35CC"):
        said(walk, words)
    links = browser.script("return [...document.querySelectorAll('.networks a')].map((one) => one.textContent)")
    check.demand(not any("office" in one or "attic" in one for one in links), f"network: what cannot be joined can be chosen: {links}")
    look(walk, "/network", "network")
    # The first steps begin with the Wi-Fi there, and not elsewhere.
    browser.open("/start")
    said(walk, "which ends after 15 min")
    shot(walk, "network-first")
    browser.press("Choose your Wi-Fi")
    said(walk, "FRITZ!Box 7590")
    # Who may join the station's own network.
    browser.script("arguments[0].value = 'locked'", browser.labelled("Who may join it"))
    browser.press("Save")
    # The page's question comes first: one beside a service that is busy is refused.
    until(lambda: card.has(WANTED), 20)
    card.write(BUSY, json.dumps({"act": "point"}))
    check.same(service.takes(), {"act": "point", "rule": "locked"}, "network: what is asked for of the access point")
    service.sees(rule="locked")
    card.remove(BUSY)
    said(walk, "It counts when the network opens next.")
    browser.open("/network")
    said(walk, "The station’s own Wi-Fi")
    check.same(browser.script("return document.querySelector('main select').value"), "locked", "network: who may join the access point")
    # A wrong password, by the access point.
    browser.open("/network")
    browser.press("Müller-Netz\nWPA2")
    said(walk, "Your phone will lose this page: join “Müller-Netz” with it and open http://")
    said(walk, "comes back as roost-35CC")
    browser.press("Join")
    check.demand(browser.wrong, "network: nothing is said of a password that was left out")
    browser.fill("Password of the network", "short")
    browser.fill("Country", "D")
    browser.press("Join")
    said(walk, "It has 8 to 63 letters")
    said(walk, "Write two letters")
    check.demand(not card.has(WANTED), "network: a wrong form is sent")
    shot(walk, "network-join")
    choose(walk, HOME)
    browser.fill("Password of the network", SECRET)
    browser.fill("Country", "de")
    joins(walk, service, HOME, isHidden=False, password=SECRET, country="de")
    check.demand(SECRET not in browser.script("return document.documentElement.outerHTML"), "network: the password stays on the page")
    service.ends(HOME, "wrongPassword", why="Wi-Fi: 'Müller-Netz' does not accept the password.")
    said(walk, "did not accept the password")
    shot(walk, "network-refused")
    # Joined; then another one, which is open, and the first again by the password that the station has.
    service.point(False)
    service.ends(HOME, "joined", time="2026-11-29T12:00:00Z")
    service.sees(joined=HOME.hex(), known=HOME.hex(), country="DE", hasCable=True)
    browser.open("/start")
    check.demand("which ends" not in browser.text(), "network: the first steps ask for a Wi-Fi outside of the access point")
    browser.open("/network")
    said(walk, "Wi-Fi “Müller-Netz” · by cable")
    said(walk, "“Müller-Netz” was joined.")
    shot(walk, "network-joined")
    choose(walk, CAFE)
    said(walk, "it returns to “Müller-Netz”")
    said(walk, "Its cable goes on working.")
    joins(walk, service, CAFE, isHidden=False, password="", country="DE")
    service.ends(CAFE, "noAddress")
    said(walk, "gave it no address")
    choose(walk, HOME)
    said(walk, "Leave it empty")
    joins(walk, service, HOME, isHidden=False, country="DE")
    service.ends(HOME, "absent")
    said(walk, "was not in range")
    choose(walk, ODD)
    browser.fill("Password of the network", SECRET)
    joins(walk, service, ODD, isHidden=False, password=SECRET, country="DE")
    service.ends(ODD, "failed", why="the card is full")
    said(walk, "the card is full")
    choose(walk, "hidden")
    browser.fill("Name of the network", "ü" * 17)
    browser.press("Join")
    said(walk, "32 bytes at most")
    browser.fill("Name of the network", "Keller")
    said(walk, "join “Keller”")
    shot(walk, "network-hidden")
    choose(walk, "hidden")
    browser.fill("Name of the network", "Keller")
    browser.fill("Password of the network", SECRET)
    joins(walk, service, b"Keller", isHidden=True, password=SECRET, country="DE")
    service.ends(b"Keller", "interrupted")
    said(walk, "switched off")
    check.same(browser.ask("GET", "/network")[1].get("isBusy"), False, "network: the service is done")


def run(walk):
    browser, check, address = walk.browser, walk.check, walk.browser.address
    card = Card(check.path("network-root"))
    one, service = Updated(walk, card, "network"), Service(walk, card)
    browser.address = one.dashboard.address
    try:
        # So that no question about the time moves a form while it is filled.
        check.demand(until(lambda: one.station.roost("clock", "trust").returncode == 0, 30), "network: the clock cannot be trusted")
        browser.view(360)
        one.claim(browser)
        states(walk, one, service)
        check.same(browser.messages(), [], "network: console messages")
        with open(check.path("web.log"), encoding="utf-8", errors="replace") as file:
            check.demand(SECRET not in one.station.log() + file.read(), "network: the password is in a log")
    finally:
        browser.address = address
        one.close()
    return 12
