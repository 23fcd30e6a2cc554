"""The pins of the header on the page Devices: seen, added, tried, moved and removed, on a station with simulated pins.

The first page of the walk is that of a machine without pins, as this one is.
"""

import os

from selenium.webdriver.common.action_chains import ActionChains

from ..check import until
from .dashboard import Dashboard
from .outbox import look
from .stations import Attic

CELL = """return [...document.querySelectorAll('.header button')].find((one) => one.getAttribute('aria-label').startsWith(arguments[0] + ','))"""


CHANGE = """const card = [...document.querySelectorAll('.device')].find((one) => one.querySelector('h2').innerText === arguments[0]);
card?.querySelector('button').click();
return Boolean(card);"""
ASKED = "return performance.getEntriesByType('resource').filter((one) => one.name.endsWith('/api/v1/devices')).length"


def pin(walk, number):
    """Opens a pin, and returns what its dialog says."""
    walk.browser.script(CELL.replace("return ", "(").rstrip() + ").click()", f"pin {number}")
    return walk.browser.text("dialog")


def label(browser, number):
    return browser.script(CELL.replace("return ", "return (").rstrip() + ")?.getAttribute('aria-label')", f"pin {number}")


def change(walk, name):
    """Opens the form of a device once its card is drawn."""
    found = until(lambda: walk.browser.script(CHANGE, name), 10)
    walk.check.demand(found, f"pins: no card of {name}: {walk.browser.text()[:300]}")


def shut(browser):
    browser.script("document.querySelector('dialog')?.close()")


def choose(browser, name, value):
    browser.script("""const one = document.querySelector(`dialog select[name=${arguments[0]}]`); one.value = arguments[1];
        one.dispatchEvent(new Event('change', { bubbles: true }));""", name, value)


def said(walk, words, where="dialog", limit=15):
    shown = walk.browser.shows(words, limit, where)
    walk.check.demand(shown, f"pins: {where} does not say {words!r}: {walk.browser.text(where)[:500]}")


def devices(browser):
    return {one["name"]: one for one in browser.ask("GET", "/devices")[1]["devices"]}


def without(walk):
    """A machine without pins says so, and what to do; so does a question that fails."""
    browser, check = walk.browser, walk.check
    status, report = browser.ask("GET", "/pins")
    check.same(status, 200, "pins of a machine without any")
    browser.open("/devices")
    if report["state"] != "seen":
        said(walk, "no pins that the station could use", "main")
        said(walk, "Raspberry Pi with a header", "main")
        check.demand(report["why"] in browser.text(), f"the reason is not quoted: {report}")
    browser.command("Network.enable")
    browser.command("Network.setBlockedURLs", urls=["*/api/v1/pins"])
    browser.open("/devices")
    said(walk, "Try again", "main")
    browser.command("Network.setBlockedURLs", urls=[])
    browser.messages()
    browser.press("Try again")
    check.demand(browser.shows("Pins", 10, "main"), "the pins do not come back after a failure")
    browser.messages()


def keyboard(walk):
    """One stop of Tab, and arrows along the header."""
    browser, check = walk.browser, walk.check
    stops = browser.script("return [...document.querySelectorAll('.header button')].filter((one) => one.tabIndex === 0).length")
    check.same(stops, 1, "stops of Tab within the header")
    browser.script("document.querySelector('.header button[tabindex=\"0\"]').focus()")
    for key in ("ARROW_DOWN", "ARROW_RIGHT"):
        browser.keys(key)
    at = browser.script("return document.activeElement.getAttribute('aria-label')")
    check.demand(at.startswith("pin 4,"), f"two arrows from pin 1 lead to {at}")
    browser.keys("ENTER")
    said(walk, "5 volts")
    browser.keys("ESCAPE")
    back = until(lambda: browser.script("return document.activeElement.getAttribute('aria-label')") == at, 5)
    check.demand(back, "the dialog does not give the focus back to its pin")


def held(walk):
    """A finger that is down while values arrive presses the button that it began on."""
    browser, check = walk.browser, walk.check
    browser.script("performance.setResourceTimingBufferSize(5000)")
    button = browser.find(".device button")
    browser.script("arguments[0].scrollIntoView({block: 'center'})", button)
    before = browser.script(ASKED)
    ActionChains(browser.driver).click_and_hold(button).perform()
    until(lambda: browser.script(ASKED) > before + 2, 60)
    check.demand(browser.script(ASKED) > before + 2, "the devices are not asked for again")
    ActionChains(browser.driver).release().perform()
    check.demand(browser.shows("Change dust", 5, "dialog"), "a tap over an update is lost")
    shut(browser)


def title(walk):
    """A title in live mode changes the title alone: the interval stays, and the sensor goes on."""
    browser, check = walk.browser, walk.check
    change(walk, "dust")
    browser.fill("Name", "Fenster")
    browser.press("Save", "dialog")
    check.demand(until(lambda: devices(browser)["dust"].get("title") == "Fenster", 10), f"no title: {devices(browser)['dust']}")
    _, content = browser.ask("GET", "/events?source=settings")
    changed = [one["details"]["setting"] for one in content["items"] if "setting" in one.get("details", {})]
    check.same(changed, ["devices.dust.title"], "what a new title changes")
    check.same(browser.ask("PATCH", "/devices/dust", {"title": ""})[0], 200, "the title is taken back")


def lamp(walk):
    """A lamp on a free pin: wired, tried, added, tried again, moved and removed."""
    browser, check = walk.browser, walk.check
    text = pin(walk, 15)
    check.demand("GPIO22 is free" in text, f"pin 15: {text}")
    choose(browser, "type", "led")
    said(walk, "330 Ω or more to pin 15")
    if walk.shots:
        browser.picture(os.path.join(walk.shots, "pins-add-360-light-en.png"), 360, False)
    check.same(browser.findings(), [], "axe: the form of a pin")
    check.same(browser.wider(), [], "the form of a pin: parts wider than the screen")
    browser.press("Try", "dialog")
    said(walk, "It blinked for 3 s")
    choose(browser, "shows", "motion")
    browser.press("Add it here", "dialog")
    check.demand(until(lambda: "lamp" in devices(browser), 10), f"pins: the lamp is not added: {browser.text('body')[-300:]}")
    check.same(devices(browser)["lamp"]["origin"], "owner", "where the lamp is from")
    named = until(lambda: label(browser, 15) == "pin 15, GPIO22, lamp", 10)
    check.demand(named, f"pin 15 is {label(browser, 15)!r} with a lamp")
    text = pin(walk, 15)
    browser.press("Try", "dialog")
    said(walk, "It blinked for 3 s")
    shut(browser)
    check.same(browser.ask("POST", "/devices", {"name": "twin", "type": "led", "line": "GPIO22"})[0], 400, "a second part on a pin")
    status, answer = browser.ask("POST", "/devices", {"name": "twin", "type": "led", "line": "GPIO17"})
    check.demand(status == 400 and "in use by door" in answer["detail"], f"the pin of the door: {status} {answer}")
    change(walk, "lamp")
    choose(browser, "shows", "level")
    choose(browser, "follows", "dust")
    if walk.shots:
        browser.picture(os.path.join(walk.shots, "pins-lamp-360-light-en.png"), 360, False)
    check.same(browser.findings(), [], "axe: the form of a lamp")
    browser.press("Save", "dialog")
    follows = until(lambda: (devices(browser)["lamp"]["shows"], devices(browser)["lamp"].get("follows")) == ("level", "dust"), 10)
    check.demand(follows, f"the lamp does not follow the sensor: {devices(browser)['lamp']}")
    said(walk, "the air · dust", "main")
    change(walk, "lamp")
    browser.fill("pin", "GPIO24")
    browser.press("Save", "dialog")
    moved = until(lambda: devices(browser)["lamp"]["location"].startswith("GPIO24"), 10)
    check.demand(moved, f"the lamp stays: {devices(browser)['lamp']}")
    check.same(browser.ask("DELETE", "/devices/lamp")[0], 200, "the lamp is removed")


def bell(walk):
    """A button of a station that is no image: it gives nothing away, and the form says why."""
    browser, check = walk.browser, walk.check
    pin(walk, 13)
    choose(browser, "type", "button")
    said(walk, "Only a button of an image can do that")
    closed = browser.script("return document.querySelector('dialog input[name=resets]').disabled")
    check.demand(closed, "a button may give away a station that is no image")
    check.same(browser.findings(), [], "axe: the form of a button")
    status, answer = browser.ask("POST", "/devices", {"name": "bell", "type": "button", "line": "GPIO27", "resets": True})
    check.same((status, [one["pointer"] for one in answer.get("errors", [])]), (409, ["/resets"]), f"a button that resets: {answer}")
    browser.press("Add it here", "dialog")
    check.demand(until(lambda: "button" in devices(browser), 10), f"pins: no button: {browser.text('body')[-300:]}")
    check.same(devices(browser)["button"]["resets"], False, "what the button does when it is held")
    change(walk, "button")
    said(walk, "Only a button of an image can do that")
    shut(browser)
    check.same(browser.ask("DELETE", "/devices/button")[0], 200, "the button is removed")


def others(walk):
    """A motion sensor that is there, a pin with a risk, and a traffic light."""
    browser, check = walk.browser, walk.check
    browser.open("/devices")
    check.demand(until(lambda: label(browser, 11) == "pin 11, GPIO17, door", 10), f"pin 11: {label(browser, 11)}")
    pin(walk, 11)
    browser.press("Try", "dialog")
    said(walk, "in 5 s", limit=20)
    shut(browser)
    text = pin(walk, 27)
    check.demand("HAT" in text and "risky" in text, f"pin 27: {text}")
    shut(browser)
    pin(walk, 36)
    choose(browser, "type", "traffic-light")
    browser.press("Add it here", "dialog")
    added = until(lambda: "lights" in devices(browser), 10)
    check.demand(added, f"pins: no traffic light: {browser.text('body')[-300:]}")
    check.same(devices(browser).get("lights", {}).get("origin"), "owner", "where the traffic light is from")
    check.same(browser.ask("DELETE", "/devices/lights")[0], 200, "the traffic light is removed")


def run(walk):
    browser, check, address = walk.browser, walk.check, walk.browser.address
    browser.view(360)
    without(walk)
    shed = Dashboard(check, Attic(check, "shed"), "--open")
    try:
        shed.start()
        browser.address = shed.address
        browser.open("/devices")
        check.demand(until(lambda: label(browser, 11), 15), f"no header on the page: {browser.text()[:400]}")
        look(walk, "/devices", "pins")
        browser.open("/devices")
        until(lambda: label(browser, 11), 15)
        keyboard(walk)
        held(walk)
        title(walk)
        lamp(walk)
        bell(walk)
        others(walk)
        check.same([one for one in browser.messages() if "400" not in one], [], "pins: console messages")
    finally:
        browser.address = address
        shed.close()
        shed.station.close()
    return 4
