"""The page Devices with what no machine of a test has: sockets of a board, a dozen parts, forty channels, and names of any kind.

The answers are made here and laid over those of the station.
"""

import json
import os
import re

from ..check import until
from ..station import Part, Station
from .dashboard import Dashboard
from .files import WWW, read

SIZES = (320, 360, 768, 1280, 1920)
LONG = "Feinstaub-am-Fenster-zum-Hof-im-zweiten-Stock-links-neben-der-Tü"  # 64 characters, the most that a title has.
COLUMNS = [{"kind": "network", "count": 1}, {"kind": "usb2", "count": 2}, {"kind": "usb2", "count": 2}]
ZERO = [{"kind": "video", "count": 1}, {"kind": "micro", "count": 1}, {"kind": "power", "count": 1}]

ANSWER = """(() => {
  const answers = %s, real = window.fetch.bind(window);
  window.fetch = async (url, options) => {
    const answer = await real(url, options), given = answers[new URL(url, location.href).pathname.replace(/^\\/api\\/v1/, '')];
    if (!given || !answer.ok || (options?.method ?? 'GET') !== 'GET' || sessionStorage.getItem('devices') !== 'on') return answer;
    return new Response(JSON.stringify({ ...await answer.json(), ...given }), { headers: { 'Content-Type': 'application/json' } });
  };
})();"""

# Name, type, location, title, quantities, and where it is plugged in.
USB = {"column": 1, "row": 0, "usbPort": "1.1.2"}, {"column": 1, "row": 1, "usbPort": "1.1.3"}, {"column": 2, "row": 0, "usbPort": "1.3"}, {"column": 2, "row": 1, "usbPort": "1.2.4", "hubPort": "4"}
PARTS = [
    ("dust", "nova-sds011", "/dev/ttyUSB0", LONG, ("pm25", "pm10"), USB[0]),
    ("pms", "plantower-pms5003st", "/dev/ttyUSB1", "נחיל אבק ליד החלון", ("pm25", "pm10", "pm1", "n03", "n05", "n1", "n25", "n5", "n10", "formaldehyde", "temperature", "humidity"), USB[1]),
    ("class", "winsen-mhz19b", "/dev/ttyUSB2", "🌿 Klasse 3b 👩🏽‍🔬", ("co2",), USB[2]),
    ("meter", "mightyohm-geiger", "/dev/ttyUSB3", None, ("cpm", "dose"), USB[3]),
    ("nano", "safecast-bgeigie-nano", "/dev/ttyUSB4", None, ("cpm", "dose"), {"usbPort": "2.1"}),
    ("gps", "nmea-receiver", "/dev/serial0", None, ("latitude", "longitude", "altitude", "speed"), {"pins": [8, 10]}),
    ("sps", "sensirion-sps30", "/dev/ttyUSB5", None, ("pm1", "pm25", "pm4", "pm10", "n05", "n1"), None),
    ("hall", "milano-board", "http://192.168.1.20", None, ("pm25", "temperature", "humidity", "pressure", "voc", "noise", "lux"), None),
    ("own", "generic-line", "/dev/ttyACM0", None, ("wind", "rain", "uv", "soil"), None),
    ("roof", "bosch-bme280", "i2c:1-76", None, ("pressure",), None), ("pipe", "dallas-ds18b20", "w1:28-0", None, ("temperature",), None),
    ("gate", "pir", "GPIO17", None, (), {"pins": [11]}),
    ("lamp", "led", "GPIO22", None, (), {"pins": [15]}),
    ("lights", "traffic-light", "GPIO9, GPIO10, GPIO11 of pinctrl-bcm2835", None, (), {"pins": [19, 21, 23]}),
]
PICTURES = {"dust": "sds011", "pms": "plantower", "class": "mhz19b", "meter": "geiger", "nano": "bgeigie-nano", "gps": "nmea", "sps": "plantower", "hall": "http-line",
            "own": "line", "roof": "breakout", "pipe": "probe", "gate": "pir", "lamp": "led", "lights": "traffic-light"}
WORDS = {"dust": "Upper left USB socket, next to the network socket", "pms": "Lower left USB socket, next to the network socket", "class": "Upper right USB socket",
         "meter": "Lower right USB socket, port 4 of a hub", "nano": "USB port 2.1", "gps": "Pins 8, 10 of the header", "gate": "Pin 11 of the header · GPIO17",
         "lights": "Pins 19, 21, 23 of the header · GPIO9, GPIO10, GPIO11"}

# Seconds since a sensor had fresh air, or the lowest value where it had none; then what the page says.
AIR = {"class": {"lowestIn14Days": 612}, "hall": {"freshAirAgeSeconds": 200_000}}
FRESH = {"class": "The lowest value of 14 days is 612 ppm: let it have fresh air for 20 minutes", "hall": "Last fresh air: 2 d 7 h ago."}


def channel(device, quantity):
    never = (device, quantity) == ("pms", "formaldehyde")
    return {"id": f"{device}/{quantity}", "device": device, "quantity": quantity, "group": "detail" if quantity.startswith("n") else "air", "unit": "ppm", "decimals": 1,
            "value": None if never else 132300.5, "ageSeconds": None if never else 1, "noData": "notMeasured" if never else None, "isStale": never, "records": True, "intervalSeconds": 1}


def answers(columns):
    channels = [channel(part[0], quantity) for part in PARTS for quantity in part[4]]
    devices = [{"name": name, "type": kind, "location": location, "state": "measuring" if quantities else "still", "facts": AIR.get(name, {}), "mutes": [], "origin": "file", "records": True,
                **({"title": title} if title else {}), **({"intervalSeconds": 1} if quantities else {}), **({"shows": "level"} if name == "lights" else {})}
               for name, kind, location, title, quantities, _ in PARTS]
    found = [{"state": "unknown", "why": "no profile fits this adapter", "identity": "adapter:1", "node": "/dev/ttyUSB9", "usb": "1a86:7523"}]
    plugs = [{"device": name, **plug} for name, _, _, _, _, plug in PARTS if plug] + [{"node": "/dev/ttyUSB9", "usbPort": "1", "column": 1, "row": 0}]
    return {"/devices": {"devices": devices, "found": found, "unclaimed": [], "plugs": {"items": plugs, **({"sockets": columns} if columns else {})}},
            "/station": {"channels": channels, "titles": {name: title for name, _, _, title, _, _ in PARTS if title}}}


def script(columns):
    """Runs before any script of a page."""
    return ANSWER % json.dumps(answers(columns))


def seen(browser):
    """The cards by the device's name: symbol, words of its place, marks in the drawing."""
    return browser.script("""return Object.fromEntries([...document.querySelectorAll('.device')].map((one) => [one.dataset.key, {
        symbol: one.querySelector('.top use').getAttribute('href').split('#')[1], words: one.querySelector('.plug figcaption')?.innerText ?? null,
        drawing: one.querySelector('.plug svg') ? 'sockets' : one.querySelector('.plug .header') ? 'header' : null, marks: one.querySelectorAll('.plug .here').length,
        size: one.querySelector('.top svg').getBoundingClientRect().width, hidden: one.querySelector('.top svg').getAttribute('aria-hidden') }]))""")


def open_with(walk, columns):
    browser = walk.browser
    made = browser.command("Page.addScriptToEvaluateOnNewDocument", source=script(columns))["identifier"]
    browser.open("/devices")
    browser.script("sessionStorage.setItem('devices', 'on')")
    browser.open("/devices")
    until(lambda: browser.script("return document.querySelectorAll('.device').length") == len(PARTS), 15)
    return made


def close(browser, made):
    browser.command("Page.removeScriptToEvaluateOnNewDocument", identifier=made)
    browser.script("sessionStorage.removeItem('devices')")


def known(walk):
    """A board whose sockets are known: each part has its picture, its socket and words."""
    browser, check = walk.browser, walk.check
    made = open_with(walk, COLUMNS)
    cards = seen(browser)
    check.same({name: one["symbol"] for name, one in cards.items()}, PICTURES, "devices: pictures of the parts")
    check.same({name: one["words"] for name, one in cards.items() if name in WORDS}, WORDS, "devices: where each is plugged in, in words")
    check.same({one["size"] for one in cards.values()}, {40}, "devices: width of a picture")
    check.same({one["hidden"] for one in cards.values()}, {"true"}, "devices: pictures are hidden from readers of the screen")
    check.same([cards[name]["drawing"] for name in ("dust", "nano", "gps", "lights", "hall")], ["sockets", None, "header", "header", None], "devices: drawings")
    check.same([cards[name]["marks"] for name in ("dust", "nano", "gps", "lights")], [1, 0, 2, 3], "devices: marks in the drawings")
    symbols = set(re.findall(r'<symbol id="([^"]+)"', read(WWW, "parts.svg")))
    check.demand(set(PICTURES.values()) <= symbols, f"devices: symbols that the sheet lacks: {set(PICTURES.values()) - symbols}")
    shown = "return [...document.querySelectorAll('.top use, .plug use')].every((one) => one.getBBox().width > 0)"
    check.demand(until(lambda: browser.script(shown), 10), "devices: a symbol that is not drawn")
    check.demand("It does not measure: Formaldehyde." in browser.text(".device[data-key=pms]"), f"devices: what a part lacks is not said: {browser.text('.device[data-key=pms]')}")
    for name, words in FRESH.items():
        said = browser.text(f".device[data-key={name}]")
        check.demand(words in said and "14Days" not in said, f"devices: fresh air of {name}: {said}")
    check.demand("Upper left USB socket" in browser.text(".list .plug"), "devices: a port that was found has no place")
    for width in SIZES:
        browser.view(width)
        check.same(browser.wider(), [], f"devices at {width}: parts wider than the screen")
        broken = browser.script("""return [...document.querySelectorAll('.device .name a')].filter((one) => {
            const range = document.createRange(); range.selectNodeContents(one);
            return range.getClientRects().length > one.textContent.split(' ').length; }).map((one) => one.textContent)""")
        check.same(broken, [], f"devices at {width}: names broken within a word")
        if walk.shots:
            browser.picture(os.path.join(walk.shots, f"devices-parts-{width}.png"), width, False)
    check.same(browser.findings(), [], "axe: devices with sockets and pictures")
    browser.view(360)
    close(browser, made)


def others(walk):
    """A Zero has one socket for data; of another computer the number of the port is said, and nothing is drawn."""
    browser, check = walk.browser, walk.check
    made = open_with(walk, ZERO)
    check.same(seen(browser)["dust"]["words"], "The socket marked USB", "devices: the socket of a Zero")
    close(browser, made)
    made = open_with(walk, None)
    cards = seen(browser)
    check.same([cards["dust"][key] for key in ("words", "drawing")], ["USB port 1.1.2", None], "devices: a port of an unknown board")
    check.same(cards["gate"]["drawing"], "header", "devices: a pin of an unknown board")
    close(browser, made)


def lacking(walk):
    """What a part does not have is said once on Devices, and is a fault nowhere, also while values come live."""
    browser, check, address = walk.browser, walk.check, walk.browser.address
    part = Part(check, "part", "plantower-pms", link=check.path("pms-part"))
    station = Station(check, "lacking", devices=[{"name": "pms", "type": "plantower-pms", "port": part.place}], detect=False, mode="live", store={"folder": check.path("lacking-store"), "megabytes": 8})
    station.start()
    web = Dashboard(check, station, "--open")
    web.start()
    try:
        browser.address = web.address
        browser.open("/devices")
        def lacks():
            return [one["quantity"] for one in browser.ask("GET", "/station")[1].get("channels", []) if one["noData"] == "notMeasured"]
        check.demand(until(lambda: len(lacks()) == 3, 120), f"devices: what a Plantower lacks: {lacks()}")
        browser.open("/devices")
        check.demand(browser.shows("It does not measure: Temperature, Humidity, Formaldehyde.", 10, ".device"), f"devices: {browser.text('.device')}")
        for path in ("/devices", "/"):
            browser.open(path)
            first = browser.text(".value b")
            until(lambda: browser.text(".value b") != first, 30)  # Readings came live, with and without a value.
            check.demand("part has no such value" not in browser.text(), f"{path}: a value that the part lacks is listed: {browser.text()[:600]}")
        faults = [one["sentence"] for one in browser.ask("GET", "/station")[1]["faults"] if "pms" in one["sentence"]]
        check.same(faults, [], "faults of a part that lacks a value")
        fresh = next(one["sentence"] for one in browser.ask("GET", "/health")[1]["findings"] if one["name"] == "channels")
        check.same(len(set(re.findall(r"\d+", fresh))), 1, f"channels with a fresh value: {fresh}")
    finally:
        browser.address = address
        web.close()
        station.close()
        part.close()


def run(walk):
    walk.browser.view(360)
    known(walk)
    others(walk)
    lacking(walk)
    walk.check.same(walk.browser.messages(), [], "devices: console messages")
    return 3
