"""What the owner shows on Now: a channel before all others, one that is hidden, both for everyone, and the way back."""

import os

from ..check import until
from .states import Stage, State

ROWS = """return [...document.querySelectorAll('.main section > .values > .reading')].map((one) => one.querySelector('.name a').getAttribute('href').split('=')[1]);"""
CHOOSE = """const [id, place] = arguments, select = document.querySelector(`dialog select[aria-labelledby="${id}"]`);
select.value = place;
select.dispatchEvent(new Event('change', { bubbles: true }));"""
LISTED = """return [...document.querySelectorAll('dialog [aria-labelledby]')].filter((one) => one.tagName === 'SELECT').map((one) => [one.getAttribute('aria-labelledby'), one.value]);"""
UP = """document.querySelector(`dialog button[aria-describedby="${arguments[0]}"]`).click();"""
OTHER = """return fetch('/api/v1/settings', { method: 'PATCH', headers: { 'Content-Type': 'application/json', 'If-Match': '*' },
body: JSON.stringify(arguments[0]) }).then((answer) => answer.status);"""
GONE = "cellar/pm25"


def run(walk):
    stage = Stage(walk, "shown", {"dust": (), "attic": ()}, store={"folder": walk.check.path("shown-store")})
    try:
        look(walk, stage)
    finally:
        stage.close()


def values(browser):
    """The two settings as the station has them."""
    given = browser.ask("GET", "/settings")[1]["values"]
    return given["nowFirst"], given["nowHidden"]


def look(walk, stage):
    browser, check = walk.browser, walk.check
    browser.view(360)
    stage.open()
    State(stage, "shown").says("Measuring. The air is")
    check.demand(until(lambda: len(browser.script(ROWS)) == 4, 20), f"four channels: {browser.script(ROWS)}")
    # Of one quantity the device that was ready first comes first.
    usual = browser.script(ROWS)
    check.same([one.split("/")[1] for one in usual], ["pm25", "pm25", "pm10", "pm10"], "the usual order")
    check.same(browser.script(OTHER, {"nowHidden": GONE}), 200, "a channel that is not there is hidden")
    browser.press("Choose what is shown")
    check.demand(browser.shows(GONE, 10, "dialog"), f"a channel that is not there: {browser.text('dialog')}")
    check.same(browser.findings(), [], "axe: what is shown")
    check.same(browser.wider(), [], "what is shown: parts wider than the screen")
    browser.script(CHOOSE, "attic/pm10", "first")
    browser.script(CHOOSE, "attic/pm25", "first")
    browser.script(UP, "attic/pm10")
    browser.script(CHOOSE, "dust/pm25", "hidden")
    browser.script(CHOOSE, GONE, "")
    if walk.shots:
        browser.picture(os.path.join(walk.shots, "now-choice-360-light-en.png"), 360, False)
    browser.press("Save", "dialog")
    check.demand(browser.shows("1 channel is hidden: PM2.5"), f"what is hidden is said: {browser.text()[-900:]}")
    check.same(values(browser), ("attic/pm10, attic/pm25", "dust/pm25"), "the settings")
    check.demand(until(lambda: browser.script(ROWS) == ["attic/pm10", "attic/pm25", "dust/pm10"], 10), f"the order: {browser.script(ROWS)}")
    station = browser.ask("GET", "/station")[1]
    check.same([one.get("place") for one in station["channels"]], ["first", "first", None, "hidden"], "places in /station")
    browser.script("[...document.querySelectorAll('summary')].find((one) => one.innerText.startsWith('1 channel is hidden: PM2.5')).click()")
    check.demand(until(lambda: browser.script("return document.querySelector('details[open] .reading .value b')?.innerText") not in (None, "", "–"), 10), "the value of a hidden channel")
    if walk.shots:
        browser.picture(os.path.join(walk.shots, "now-hidden-360-light-en.png"), 360, True)
    browser.press("Undo")
    check.demand(until(lambda: browser.script(ROWS) == usual and values(browser) == (None, GONE), 10), f"undone: {values(browser)}, {browser.script(ROWS)}")
    two_owners(walk, stage, usual)


def two_owners(walk, stage, usual):
    """What another owner changed meanwhile is not overwritten, and all hidden leaves a page that says so."""
    browser, check = walk.browser, walk.check
    browser.press("Choose what is shown")
    check.demand(browser.shows("as usual", 10, "dialog"), "the dialog opens again")
    check.same(browser.script(OTHER, {"nowFirst": "dust/pm10"}), 200, "the other owner's change")
    browser.script(CHOOSE, "dust/pm25", "first")
    browser.press("Save", "dialog")
    check.demand(browser.shows("Nothing was overwritten", 10, "dialog"), f"a lost change: {browser.text('dialog')[-400:]}")
    check.same(values(browser), ("dust/pm10", GONE), "the other owner's choice")
    check.same(browser.script(OTHER, {"nowFirst": None, "nowHidden": ", ".join(usual)}), 200, "all are hidden")
    stage.open()
    check.demand(browser.shows("4 channels are hidden"), f"all hidden: {browser.text()[-900:]}")
    check.same(browser.script(ROWS), [], "rows where all are hidden")
    check.same(browser.script(OTHER, {"nowHidden": "pm25"}), 400, "a text that is no list of channels")
    check.same(browser.script(OTHER, {"nowHidden": None}), 200, "taken back")
