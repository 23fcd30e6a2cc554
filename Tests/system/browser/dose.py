"""The page Dose: no counter, a counter with counts, its windows, a mark, a rule with a limit that is reached.

A simulated bGeigie on a pseudo-terminal, roostd in live mode, and a dashboard without accounts.
"""

from ..check import until
from ..station import Part, Station
from .dashboard import Dashboard
from .outbox import look

RULE = {"id": "radiation", "channel": "geiger/cpm", "when": {"value": {"atLeast": 5}}, "severity": "notice"}


def dose(browser, query=""):
    status, content = browser.ask("GET", f"/dose{query}")
    return content if status == 200 else {}


def run(walk):
    browser, check, address = walk.browser, walk.check, walk.browser.address
    browser.view(360)
    browser.open("/dose")
    check.demand(browser.shows("no counter here", 10), f"without a counter: {browser.text()[:300]}")
    counter = Part(check, "part", "safecast-bgeigie-nano")
    station = Station(check, "dose", devices=[{"type": "safecast-bgeigie-nano", "name": "geiger", "port": counter.place}],
                      store={"folder": check.path("dose-store")}, alerts={"use": [], "rules": [RULE]}, mode="live")
    station.start()
    until(station.status, 20)
    dashboard = Dashboard(check, station, "--open")
    dashboard.start()
    browser.address = dashboard.address
    try:
        check.demand(station.trust_clock(), "dose: the clock is not trusted")
        browser.open("/dose")
        # The first minute of the counter is void.
        check.demand(until(lambda: (dose(browser).get("countRate") or {}).get("mean"), 150, 1), f"no counts: {dose(browser)}")
        browser.open("/dose")
        check.demand(browser.shows("µSv/h", 10) and browser.shows("Standard deviation", 5), f"the page: {browser.text()[:500]}")
        found = dose(browser)
        rate = found["countRate"]
        minutes = found["coveredSeconds"] / 60
        check.demand(abs(rate["error"] - (rate["mean"] * minutes) ** 0.5 / minutes) < 0.02, f"the error of counting: {found}")
        check.demand(browser.shows("radiation", 5) and browser.shows("Raised, or about to be", 70), f"the rule: {browser.text()[-400:]}")
        look(walk, "/dose", "dose")
        browser.open("/dose")
        for words in ("1 h", "24 h", "7 d", "30 d"):
            browser.press(words)
            check.demand(browser.shows("Time with counts", 10), f"{words}: {browser.text()[:300]}")
            pressed = "return document.querySelector('[aria-pressed=true]').innerText"
            check.demand(until(lambda wanted=words: browser.script(pressed) == wanted, 10, 0.2), f"the window {words} is not shown")
        browser.press("Count from now on")
        check.demand(browser.shows("stays in the history", 5, "dialog"), "nothing asks before a mark is set")
        browser.press("Count from now on", "dialog")
        check.demand(browser.shows("since the mark of", 20), f"after a mark: {browser.text()[:300]}")
        check.demand(dose(browser).get("isSinceMark"), f"no mark: {dose(browser)}")
        check.same([text for text in browser.messages() if "404" not in text], [], "dose: console messages")
    finally:
        browser.address = address
        for each in (dashboard, station, counter):
            each.close()
    return 3
