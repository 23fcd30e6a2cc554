"""What a page may meet and still has to show: odd values and names, forty channels, a browser whose clock is a year off, other media, no scripts."""

import json
import re

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

from ..check import until
from .devices import ANSWER, COLUMNS, PARTS, SIZES, answers

YEAR = 366 * 86_400_000
VALUES = (132300.5, 0, -12.5, 1e9, -1e9, 0.001, None)
PAGES = ("/", "/history", "/events", "/devices", "/proof", "/health", "/alerts", "/outbox", "/more")
CLOCK = """(() => { const real = Date; globalThis.Date = class extends real {
  constructor(...given) { if (given.length) super(...given); else super(real.now() + %d); }
  static now() { return real.now() + %d; } }; })();"""


def odd():
    """Channels of twelve devices with each odd value; titles of 64 letters, from right to left, and with pictures."""
    found = answers(COLUMNS)
    for number, channel in enumerate(found["/station"]["channels"]):
        value = VALUES[number % len(VALUES)]
        channel.update(value=value, **({"noData": "outOfRange", "isStale": True} if value is None else {}))
    return found


def with_script(walk, source, run):
    """Runs something while each page begins with a script."""
    browser = walk.browser
    made = browser.command("Page.addScriptToEvaluateOnNewDocument", source=source)["identifier"]
    try:
        run()
    finally:
        browser.command("Page.removeScriptToEvaluateOnNewDocument", identifier=made)


def values(walk):
    browser, check = walk.browser, walk.check

    def look():
        browser.open("/")
        browser.script("sessionStorage.setItem('devices', 'on')")
        browser.open("/")
        count = sum(len(part[4]) for part in PARTS) - 1  # One is a part's that does not measure it.
        drawn = until(lambda: browser.script("return document.querySelectorAll('.reading').length") >= count, 15)
        check.demand(drawn, f"bad: {browser.script('return document.querySelectorAll(`.reading`).length')} of {count} channels on Now")
        for width in (*SIZES, 1920):
            browser.view(width)
            check.same(browser.wider(), [], f"bad: Now at {width}: parts wider than the screen")
            cut = browser.script("""return [...document.querySelectorAll('.values > li')].filter((one) => [...one.children].some((part) => part.getBoundingClientRect().right > one.getBoundingClientRect().right + 1 || part.scrollWidth > part.clientWidth + 1 && part.clientWidth))
              .map((one) => one.innerText.slice(0, 60))""")
            check.same(cut, [], f"bad: Now at {width}: rows that are cut")
        check.same(browser.script("return getComputedStyle(document.querySelector('.page.now')).gridTemplateColumns.split(' ').length"), 3, "bad: columns of Now at 1920")
        browser.view(360)
        check.same(browser.findings(), [], "bad: Now with odd values, axe")
        browser.script("sessionStorage.removeItem('devices')")

    with_script(walk, ANSWER % json.dumps(odd()), look)


def clock(walk):
    """A browser a year ahead or behind: pages go by the station's clock."""
    browser, check = walk.browser, walk.check
    browser.open("/history")
    heading = browser.text(".history h2")
    for shift in (YEAR, -YEAR):
        def look(years=shift // YEAR):
            browser.open("/history")
            check.same(browser.text(".history h2"), heading, f"bad: the day of History with a clock {years} years off")
            browser.open("/")
            fresh = browser.script("return [...document.querySelectorAll('.reading .age')].map((one) => one.textContent)")
            check.demand(not any(re.search(r"\d d\b", one) for one in fresh), f"bad: ages with a clock {years} years off: {fresh}")
        with_script(walk, CLOCK % (shift, shift), look)


def media(walk):
    """Letters of twice the size, colours of the system, more contrast: nothing is wider than the screen, and axe is content."""
    browser, check = walk.browser, walk.check
    for path in PAGES:
        browser.open(path)
        browser.script("document.documentElement.style.fontSize = '200%'")
        check.same(browser.wider(), [], f"bad: {path} with 200 % text: parts wider than the screen")
    for name, value in (("forced-colors", "active"), ("prefers-contrast", "more")):
        browser.command("Emulation.setEmulatedMedia", features=[{"name": name, "value": value}])
        for path in PAGES[:5]:
            browser.open(path)
            check.same(browser.findings(), [], f"bad: {path} with {name}, axe")
    browser.command("Emulation.setEmulatedMedia", features=[])


def marks(walk):
    """A finger beside a note of the axis reads it, and a pointer over the curve reads its value."""
    browser, check = walk.browser, walk.check
    check.same(browser.ask("POST", "/notes", {"text": "window open"})[0], 204, "bad: a note")
    found = until(lambda: browser.open("/history") or browser.script("return document.querySelector('.history .chart .note')?.getBoundingClientRect().x"), 30)
    check.demand(found, "bad: no mark of the note on the axis")
    box = browser.find(".history .chart")
    where = """const box = arguments[0].getBoundingClientRect(), at = (one) => { const place = one.getBoundingClientRect(); return [place.x + place.width / 2 - box.x - box.width / 2, place.y + place.height / 2 - box.y - box.height / 2]; };
      return [...arguments[0].querySelectorAll('.note, .mean')].map(at);"""
    browser.script("arguments[0].scrollIntoView({block: 'center'})", box)
    *_, (x, y) = browser.script(where.replace(", .mean", ""), box)
    ActionChains(browser.driver).move_to_element_with_offset(box, x - 9, y).click().perform()
    check.demand(browser.shows("window open", 5, ".readout"), f"bad: a finger 9 px beside a note: {browser.text('.readout')!r}")
    ActionChains(browser.driver).move_to_element_with_offset(box, x - 60, 0).perform()
    check.demand(until(lambda: "window open" not in browser.text(".readout") and ":" in browser.text(".readout"), 5), f"bad: a pointer over the chart: {browser.text('.readout')!r}")


def bare(walk):
    """Without scripts the page says so."""
    browser, check = walk.browser, walk.check
    browser.command("Emulation.setScriptExecutionDisabled", value=True)
    browser.driver.get(browser.address + "/")
    said = [one.text for one in browser.driver.find_elements(By.TAG_NAME, "noscript")]
    browser.command("Emulation.setScriptExecutionDisabled", value=False)
    check.demand(any("JavaScript" in one for one in said), f"bad: without scripts: {said}")
    browser.open("/")


def run(walk):
    walk.browser.view(360)
    for part in (values, clock, media, marks, bare):
        part(walk)
    walk.check.same(walk.browser.messages(), [], "bad: console messages")
    return 5
