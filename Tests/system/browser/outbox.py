"""The pages Outbox and Alerts before a real courier: a server that refuses, bad air, notices, the dialog.

A simulated SDS011 in bad air, roostd, roost-courier with a target and a receiver, and a dashboard without accounts.
"""

import os
import time

from ..check import Failed, until
from ..courier import Courier, LineServer, PostBox
from .states import Stage

SIZES = [(320, False, "en"), (320, True, "de"), (768, False, "en"), (1280, True, "it"), (1280, False, "en")]
# Two taps on the test of a rule.
TWICE = """const button = [...document.querySelectorAll('.alerts .finding button')].find((one) => one.textContent === 'Test');
button.click();
button.click();"""

RULES = "return [...document.querySelectorAll('.alerts .finding')].map((one) => one.innerText)"


def stage(walk):
    """Bad air, two targets and a receiver; the page is not open yet."""
    check = walk.check
    socket = check.path("outbox", "courier.sock")
    found = Stage(walk, "outbox", {"dust": ("--air", "80.0/160.0")}, words=("--courier", socket),
                  store={"folder": check.path("outbox-store")}, alerts={"use": ["sample-levels"]})
    found.lines, found.box = LineServer(check), PostBox(check)
    found.courier = Courier(check, found.station, targets=[
        {"id": "influx", "type": "influx1", "url": f"http://127.0.0.1:{found.lines.port}", "database": "air", "local": True,
         "batchSeconds": 0},
        {"id": "map", "type": "sensor-community", "sensor": "raspi-00000000abcdef01", "url": "http://127.0.0.1:9",
         "devices": {"dust": {"pin": 1}}, "local": True}],
        receivers=[{"id": "bell", "type": "webhook", "url": {"secret": "bell"}, "waitSeconds": 0, "everySeconds": 60,
                    "severities": ["notice", "warning", "critical"], "local": True}],
        feeds=[{"id": "city", "type": "arpa-lombardia", "url": "http://127.0.0.1:9", "local": True, "sensors": {"10273": "pm10"}}])
    found.courier.secret("bell", f"http://127.0.0.1:{found.box.port}/bell")
    trusted = until(lambda: found.station.roost("clock", "trust").returncode == 0, 30)
    check.demand(trusted, "outbox: the clock cannot be trusted")
    return found


def look(walk, path, name):
    """The page in all sizes: clean, narrow enough, and a picture of each."""
    browser, check = walk.browser, walk.check
    for width, dark, language in SIZES:
        browser.language(language)
        browser.view(width, dark=dark)
        browser.open(path)
        where = f"{path} at {width} px, {language}"
        check.same(browser.messages(), [], f"{where}: console messages")
        check.same(browser.wider(), [], f"{where}: parts wider than the screen")
        if walk.shots:
            shot = os.path.join(walk.shots, f"{name}-{width}-{'dark' if dark else 'light'}-{language}.png")
            browser.picture(shot, width, dark)
        check.same(browser.findings(), [], f"{where}: findings of axe")
        browser.messages()
    browser.language("en")
    browser.view(360)


def dialog(walk, one):
    """What is too much is said once to each browser: a tap beside it is for this one, the button for all."""
    browser, check = walk.browser, walk.check
    raised = until(lambda: one.station.report("alerts").get("alerts"), 60)
    check.demand(raised, f"no alert: {one.station.report('alerts')}")
    browser.open("/")
    shown = browser.shows("The station has an alert: Single samples", 10, "dialog[role=alertdialog]")
    if not check.demand(shown, f"no dialog of bad air: {browser.text()[:200]}; {one.station.report('alerts')}"):
        return
    check.demand("80" in browser.text("dialog"), f"the dialog has no value: {browser.text('dialog')}")
    if walk.shots:
        browser.driver.save_screenshot(os.path.join(walk.shots, "alert-dialog-360-light-en.png"))
    check.same(browser.findings(), [], "the dialog: findings of axe")
    check.same(browser.script("return document.querySelectorAll('dialog button').length"), 1, "buttons of the dialog")
    browser.script("document.querySelector('dialog').click()")
    browser.open("/")
    time.sleep(1)
    check.same(browser.text("dialog"), "", "the dialog after the page is loaded again")

    def known():
        return [alert["isAcknowledged"] for alert in one.station.report("alerts").get("alerts", [])]

    check.demand(not any(known()), f"a tap beside it is not for all: {one.station.report('alerts')}")
    # Another browser.
    browser.script("localStorage.removeItem('roost.alert')")
    browser.open("/")
    if not check.demand(browser.shows("Mark as known", 10, "dialog[role=alertdialog]"), "another browser has no dialog"):
        return
    browser.press("Mark as known", "dialog")
    check.demand(until(lambda: all(known()), 10), f"known is for all: {one.station.report('alerts')}")
    check.same(until(lambda: not browser.text("dialog"), 10), True, "the button closes the dialog")


def proof(walk, one):
    """What the server has is proved, what it lost is sent again, and a reading's fate is found."""
    browser, check = walk.browser, walk.check
    check.demand(browser.shows("All is delivered", 20), f"nothing goes: {browser.text()[:300]}")
    browser.press("Prove")
    check.demand(browser.shows("1 of 1 days proved", 20), f"no proof: {browser.text()[:600]}")
    one.lines.points.clear()
    browser.press("Prove")
    seen = browser.shows("0 of 1 days proved", 20, "dialog")
    if check.demand(seen, f"a server that lost all: {browser.text()[:600]}"):
        if walk.shots:
            browser.driver.save_screenshot(os.path.join(walk.shots, "outbox-proof-360-light-en.png"))
        check.same(browser.findings(), [], "the proof: findings of axe")
        browser.press("Send again what is missing", "dialog")
        check.demand(until(lambda: one.lines.points, 30), "what is missing is not sent again")
        browser.press("Close", "dialog")
    browser.press("Look it up")
    check.demand(browser.shows("influx dust", 10) and browser.shows("map dust", 10), f"no fate: {browser.text()[-600:]}")


def run(walk):
    """The way of a person: bad air, a courier that is not there, one that is refused, then well."""
    browser, check, address = walk.browser, walk.check, walk.browser.address
    one = stage(walk)
    browser.address = one.dashboard.address
    try:
        browser.view(360)
        dialog(walk, one)
        browser.open("/alerts")
        check.demand(browser.shows("No courier runs here"), f"receivers without a courier: {browser.text()[:300]}")
        browser.open("/outbox")
        check.demand(browser.shows("No courier runs here"), f"without a courier: {browser.text()[:200]}")
        one.courier.start()
        if not browser.shows("influx", 20):
            raise Failed(f"a courier that starts is not seen: {browser.text()[:300]} {one.courier.log()[-400:]}")
        check.demand(browser.shows("All is delivered", 30), f"all goes well: {browser.text()[:400]}")
        one.lines.mood = "unauthorised"
        held = until(lambda: one.courier.target("influx").get("state") == "held", 20)
        began = time.monotonic()
        seen = browser.shows("A person has to change something", 5)
        check.demand(held and seen, f"a refused log-in: {browser.text()[:400]}")
        check.say(f"a target that is held is seen after {time.monotonic() - began:.1f} s")
        look(walk, "/outbox", "outbox")
        browser.open("/outbox")
        one.lines.mood = "well"
        browser.press("Send now")
        check.demand(browser.shows("All is delivered", 20), f"after Send now: {browser.text()[:400]}")
        browser.press("Pause")
        check.demand(browser.shows("Paused", 10), f"after Pause: {browser.text()[:300]}")
        browser.press("Resume")
        check.demand(until(lambda: one.courier.target("influx").get("state") != "paused", 10), "Resume changes nothing")
        proof(walk, one)
        # A feed without an answer is no target, and is said as one.
        check.demand(browser.shows("city", 20), f"a feed is not listed: {browser.text()[-600:]}")
        browser.open("/")
        check.demand(browser.shows("“city” brings no values", 30), f"a feed that fails: {browser.text()[:600]}")
        look(walk, "/alerts", "alerts")
        browser.open("/alerts")
        count = len(one.box.posts)
        browser.script(TWICE)
        check.demand(browser.shows("bell: took the test.", 20), f"what came of a test is not at its rule: {browser.text()[-900:]}")
        sent = [body for _, body in one.box.posts[count:] if "TEST" in body]
        check.same(len(sent), 1, f"messages of a test with two taps: {one.box.posts[count:]}")
        check.demand(browser.shows("bell"), "the receiver is not on the page")
        check.demand(one.station.roost("alerts", "add", "much-dust", "--channel", "*/pm25", "--above", "30").returncode == 0, "a rule is not added")
        told = browser.shows("a notice went to bell", 60)
        check.demand(told, f"the row of a rule does not say whom it told: {browser.script(RULES)}")
        check.same(browser.messages(), [], "outbox: console messages")
    finally:
        browser.address = address
        one.courier.close()
        one.close()
    return 2
