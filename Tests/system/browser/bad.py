"""What a page may meet and still has to show: odd values and names, forty channels, a browser whose clock is a year off, other media, no scripts."""

import json

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
            check.demand(not any(" d" in one for one in fresh), f"bad: ages with a clock {years} years off: {fresh}")
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
    for part in (values, clock, media, bare):
        part(walk)
    walk.check.same(walk.browser.messages(), [], "bad: console messages")
    return 4
