"""What Now says first: the poorest reading, the lamp, and how many things need a person.

Then what the owner shows on it: a channel before all others, one that is hidden, both for everyone, and the way back.
"""

import json
import os

from ..check import until
from .devices import ANSWER, close
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


LIMITS = [{"level": "moderate", "from": 3}, {"level": "poor", "from": 5}]
# The lamp follows a device that is poor, another is poorer; one that is hidden and one that is old do not count.
DUST = {"balcony": 5.2, "window": 24, "hidden": 90, "old": 80}
SAID = {"sentence": "PM2.5 · window is 24.0 µg/m³; “poor” begins at 5.", "lamp": "The lamp is red: the air is poor", "follows": "it goes by balcony",
        "badge": "3", "link": "More, 3 things need you", "first": "What needs you", "rows": ["1 alert", "2 notices in Health"]}


def answers():
    channels = [{"id": f"{name}/pm25", "quantity": "pm25", "group": "air", "unit": "µg/m³", "decimals": 1, "value": value, "level": "poor", "limits": LIMITS, "ageSeconds": 1,
                 "isStale": name == "old", "intervalSeconds": 1, **({"place": "hidden"} if name == "hidden" else {})} for name, value in DUST.items()]
    verdict = {"level": "poor", "code": "level.poor", "sentence": "Measuring. The air is poor.", "because": ["balcony/pm25"], "doubts": []}
    faults = [{"id": f"sensor-silent:{name}", "sentence": "It sends nothing", "isStopping": False} for name in ("attic", "cellar")]
    alert = {"n": 1, "key": "pm25-hour:window/pm25", "state": "raised", "level": 1, "severity": "notice", "value": 24, "unit": "µg/m³", "sinceSeconds": 60}
    return {"/station": {"channels": channels, "verdict": verdict, "lamp": "poor", "lampCause": {"rule": "sample-levels", "device": "balcony", "level": "poor", "because": ["balcony/pm25"]}, "faults": faults},
            "/alerts": {"alerts": [alert], "leftOutCount": 0}}


def first(walk):
    """The first sentence, the lamp, the number at More and its first rows, of answers that are made here."""
    browser, check = walk.browser, walk.check
    made = browser.command("Page.addScriptToEvaluateOnNewDocument", source=ANSWER % json.dumps(answers()))["identifier"]
    browser.open("/")
    browser.script("sessionStorage.setItem('devices', 'on')")
    for width, dark in ((1280, True), (360, False)):
        browser.view(width, dark=dark)
        browser.open("/")
        check.demand(browser.shows(SAID["sentence"], 10, ".verdict"), f"the poorest reading: {browser.text('.verdict')}")
        check.demand(browser.shows(SAID["lamp"], 10, ".well") and SAID["follows"] in browser.text(".well"), f"the lamp: {browser.text('.well')}")
        check.demand(until(lambda: browser.text(".badge") == SAID["badge"], 10), f"the number at More: {browser.text('nav')}")
        check.same(browser.script("return document.querySelector('nav a[data-page=more]').getAttribute('aria-label')"), SAID["link"], "the link to More in words")
        check.same(browser.wider(), [], f"Now at {width} px: parts wider than the screen")
        check.same(browser.findings(), [], f"Now at {width} px: findings of axe")
        if walk.shots:
            browser.picture(os.path.join(walk.shots, f"now-poorest-{width}-{'dark' if dark else 'light'}-en.png"), width, dark)
        browser.open("/more")
        check.same([browser.text(".more h2"), *browser.script("return [...document.querySelectorAll('.more .card:first-child .quiet')].map((one) => one.innerText)")],
                   [SAID["first"], *SAID["rows"]], f"what needs a person, at {width} px")
        if walk.shots:
            browser.picture(os.path.join(walk.shots, f"more-needs-{width}-{'dark' if dark else 'light'}-en.png"), width, dark)
    close(browser, made)
    worse(walk)
    browser.open("/")


def worse(walk):
    """A device that the lamp does not go by is named too, where it is worse than the lamp."""
    browser, made = walk.browser, answers()
    channel = next(one for one in made["/station"]["channels"] if one["id"] == "balcony/pm25")
    channel.update(value=1.1, level="good")
    made["/station"].update(lamp="good", verdict={**made["/station"]["verdict"], "level": "good", "code": "level.good"})
    script = browser.command("Page.addScriptToEvaluateOnNewDocument", source=ANSWER % json.dumps(made))["identifier"]
    browser.script("sessionStorage.setItem('devices', 'on')")
    browser.open("/")
    walk.check.demand(browser.shows("But PM2.5 · window is 24.0 µg/m³; “poor” begins at 5.", 10, ".verdict"), f"a worse device: {browser.text('.verdict')}")
    close(browser, script)


def run(walk):
    first(walk)
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
