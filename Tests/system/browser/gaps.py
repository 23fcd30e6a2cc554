"""Cards of a simulated life and of `roost-lab plant`: each cause of a gap by a tap on the chart."""

import re
import shutil
import subprocess
import urllib.parse
from datetime import datetime, timezone

from selenium.webdriver.common.action_chains import ActionChains

from ..check import Failed, until
from ..station import end
from .files import WWW

# Nothing is to be done about these, and nothing is lost in the first two.
PLAIN = ("notDue", "notScheduled")
WITHOUT_NEXT = (*PLAIN, "starting", "warmingUp", "notMeasured", "gated", "late", "nodeStopped")
# What no life of a few days has.
PLANTED = ("muted", "cardDropped", "damaged", "expired", "unusable", "late", "unexplained")
SECONDS_MIN = 1  # Shorter ones have no width at any zoom.
CENTRE = """const box = document.querySelector('.history .chart');
  box.scrollIntoView({block: 'center'});
  return [box.clientWidth, box.clientHeight, Number(box.dataset.strip)];"""
STRIP = 10


class Card:
    """`roost-web --store` before a store; one that is `own` is removed at the end."""

    def __init__(self, check, store, is_own):
        self.folder, self.is_own = store, is_own
        with open(check.path("card.log"), "ab") as log:
            self.process = subprocess.Popen(
                [check.program("roost-web"), "--listen", "127.0.0.1:0", "--name", "card", "--www", WWW,
                 "--store", self.folder, "--idle", "0"], stdout=subprocess.PIPE, stderr=log, text=True)
        check.ends(self)
        line = self.process.stdout.readline()
        if "listening" not in line:
            raise Failed(f"roost-web --store does not start: {line}")
        self.address = f"http://127.0.0.1:{line.split()[-1]}"

    def close(self):
        end(self.process)
        self.process.stdout.close()
        if self.is_own:
            shutil.rmtree(self.folder)
            self.is_own = False


def planted(check):
    """The folder of a store that has each cause."""
    store = check.path("planted")
    done = subprocess.run([check.program("roost-lab"), "plant", store], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(f"roost-lab plant ended with {done.returncode}: {done.stderr[-300:]}")
    return store


def simulated_life(check, days=6, seed=7):
    """The folder of the card's files; everything that a simulated life can meet."""
    done = subprocess.run(
        [check.program("roost-lab"), "simulate", "--scenario", "everything", "--for", f"{days}d", "--seed", str(seed),
         "--no-shrink", "--keep"], capture_output=True, text=True, check=False)
    found = re.search(r"files are in (\S+)", done.stdout + done.stderr)
    if not found:
        raise Failed(f"the simulated life left no files: {done.stderr[-300:]}")
    return found.group(1)


def rfc3339(seconds):
    return datetime.fromtimestamp(round(seconds), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def longest(browser):
    """For each cause its longest gap, and the channel."""
    _, channels = browser.ask("GET", "/channels")
    found = {}
    for channel in channels["items"]:
        # From the first sample on, which the ring may have lost.
        status, ledger = browser.ask("GET", "/ledger?" + urllib.parse.urlencode({"channel": channel["id"]}))
        if status != 200:
            continue
        for first, last, cause in ledger["items"][0]["stretches"]:
            if last - first > found.get(cause, (0, 0, SECONDS_MIN - 1))[2]:
                found[cause] = (channel["id"], first, last - first)
    return found


def tap(walk, cause, channel, first, seconds):
    """Opens the chart around a gap and taps in the middle of its hatching; the words of the sheet."""
    browser, check = walk.browser, walk.check
    margin = max(seconds, 30)
    query = urllib.parse.urlencode(
        {"channel": channel, "from": rfc3339(first - margin), "to": rfc3339(first + seconds + margin)})
    browser.open(f"/history?{query}")
    middle = (round(first - margin) + round(first + seconds + margin)) / 2
    width, height, strip = browser.script(CENTRE)
    left, right = 44, width - 10
    reach = round(first + seconds + margin) - round(first - margin)
    at = left + (first + seconds / 2 - middle + reach / 2) / reach * (right - left)
    box = browser.find(".history .chart")
    actions = ActionChains(browser.driver)
    actions.move_to_element_with_offset(box, at - width / 2, strip + STRIP / 2 - height / 2).click().perform()
    if not until(lambda: browser.script("return !!document.querySelector('dialog .big')"), 5, 0.05):
        check.demand(False, f"gap {cause}: a tap opens nothing ({browser.path})")
        return
    # What comes from the server replaces the word that is there at once.
    until(lambda: browser.script("return document.querySelectorAll('dialog .page > *').length > 1"), 5, 0.05)
    text = browser.text("dialog")
    check.demand("No value:" in text, f"gap {cause}: no heading: {text[:200]}")
    if cause not in WITHOUT_NEXT:
        check.demand("What to do:" in text, f"gap {cause}: nothing is said of what to do: {text[:300]}")
    check.same(browser.wider(), [], f"gap {cause}: parts wider than the screen")
    check.same(browser.findings(), [], f"gap {cause}: findings of axe")
    browser.keys("ESCAPE")
    gone = until(lambda: browser.script("return !document.querySelector('dialog')"), 5, 0.05)
    check.demand(gone, f"gap {cause}: Escape leaves the sheet open")


def by_keys(walk):
    """The first gap of the list by Tab and Enter, and the focus afterwards."""
    browser, check = walk.browser, walk.check
    browser.script("document.querySelector('.gaps button').focus()")
    browser.keys("ENTER")
    opened = until(lambda: browser.script("return !!document.querySelector('dialog[open]')"), 5, 0.05)
    check.demand(opened, "the gap sheet does not open by Enter")
    inside = []
    for _ in range(8):
        browser.keys("TAB")
        inside.append(browser.script("""return document.activeElement === document.body
          || !!document.activeElement.closest('dialog')"""))
    check.demand(all(inside), "Tab leaves the open sheet")
    browser.keys("ESCAPE")
    back = until(lambda: browser.script("return document.activeElement.matches('.gaps button')"), 5, 0.05)
    check.demand(back, "the focus does not go back to the gap's button")


def values(walk):
    """Now shows each channel's own last value with its own date, also of one that was silent on the last day."""
    walk.browser.shows("last value on", 15, ".values")
    rows = walk.browser.script("return [...document.querySelectorAll('.values > li')].map((one) => [one.querySelector('b').textContent, one.querySelector('.age').textContent])")
    bare = [row for row in rows if row[0] == "–" or not row[1].startswith("last value on")]
    walk.check.demand(rows and not bare, f"gaps: channels of a card without a last value or its date: {bare or rows}")


HELD = """window.fetch = ((real) => async (url, options) => {
  if (!window.isFree && String(url).includes('/ledger')) await new Promise((next) => { window.answerLedgers = next; });
  return real(url, options);
})(window.fetch.bind(window)); document.querySelector('nav a[href="/history"]').click();"""


def slow(walk):
    """A ledger that does not answer keeps no curve back, claims nothing, and its gaps follow."""
    browser, check = walk.browser, walk.check
    browser.open("/")
    browser.script(HELD)
    said = until(lambda: "Loading" in browser.text(".history"), 10, 0.05)
    state = browser.script("""return [document.querySelectorAll('.history .chart .mean').length > 0, document.querySelectorAll('.history .chart .known').length,
      document.querySelector('main').getAttribute('aria-busy')]""")
    check.same((said, state), (True, [True, 0, "true"]), "gaps: a slow ledger: said that it loads, curves, strips that claim something, and that the page is busy")
    browser.script("window.isFree = true; answerLedgers();")
    browser.ready()
    check.demand("Loading" not in browser.text(".history") and browser.script("return document.querySelectorAll('.history .chart .known').length") > 0, "gaps: a slow ledger does not follow")


def visit(walk, card, tapped):
    """Taps each cause of a card that was not tapped yet; returns the causes that it has."""
    browser = walk.browser
    address, browser.address = browser.address, card.address
    try:
        browser.view(360)
        browser.driver.get(card.address + "/")
        browser.ready()
        values(walk)
        slow(walk)
        found = longest(browser)
        for cause, (channel, first, seconds) in sorted(found.items()):
            if cause not in (*PLAIN, *tapped):
                tap(walk, cause, channel, first, seconds)
        browser.open("/history?range=month")
        by_keys(walk)
        walk.check.same(browser.messages(), [], "gaps: console messages")
    finally:
        browser.address = address
        card.close()
    return set(found) - set(PLAIN)


def run(walk):
    """Returns how many causes were tapped."""
    check, given, tapped = walk.check, walk.options.store, set()
    for store, wanted in ((given or simulated_life(check), ()), (planted(check), PLANTED)):
        found = visit(walk, Card(check, store, store != given), tapped)
        check.demand(len(found) >= 8, f"{store} has only these causes: {sorted(found)}")
        check.same(sorted(set(wanted) - found), [], f"causes that {store} lacks")
        tapped |= found
    check.say(f"gaps: {len(tapped)} causes by a tap: {', '.join(sorted(tapped))}")
    return len(tapped)
