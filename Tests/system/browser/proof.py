"""The page Proof on a card that has each cause: its first sentence, its days by keys and by a tap, and its print."""

import base64

from selenium.webdriver.common.action_chains import ActionChains

from ..check import until
from .gaps import Card, planted
from .outbox import look

LONGEST_MAX = 100  # Milliseconds of one task, with a processor four times slower.
WATCH = """window.longest = 0;
new PerformanceObserver((list) => { for (const one of list.getEntries()) window.longest = Math.max(window.longest, one.duration); })
  .observe({type: 'longtask'});
document.querySelector('a[href="/proof"]').click();"""
SQUARE = """const picture = document.querySelector('.slide svg'), box = picture.getBoundingClientRect();
  picture.scrollIntoView({block: 'center'});
  return [box.width, box.height];"""


def said(browser):
    """The day that is chosen in the first row, as it is read out."""
    return browser.script("return document.querySelector('.slide').getAttribute('aria-valuetext')")


def is_open(browser):
    return browser.script("return !!document.querySelector('dialog[open] .big')")


def longest_task(browser):
    """The longest task in milliseconds from the press of a link until the ledger has answered."""
    browser.open("/more")
    browser.command("Emulation.setCPUThrottlingRate", rate=4)
    browser.script(WATCH)
    browser.shows("unknown", 60, ".proofsay")
    longest = browser.script("return window.longest")
    browser.command("Emulation.setCPUThrottlingRate", rate=1)
    return longest


def answers(walk):
    """The route's sums, and the rows beside the channels of the ledger; how many channels have values."""
    browser, check = walk.browser, walk.check
    status, days = browser.ask("GET", "/proof/days?zone=UTC")
    check.same(status, 200, "GET /proof/days")
    rest = days["dueSeconds"] - days["coveredSeconds"] - sum(one["seconds"] for one in days["causes"])
    check.demand(abs(rest) < 1, f"the sums of the days differ by {rest} s: {days['causes']}")
    shown = sorted(name for row in days["rows"] for name in row["channels"])
    _, proof = browser.ask("GET", "/proof")
    measured = {one["channel"] for one in proof["channels"] if one["valueCount"]}
    check.same(sorted(set(shown) - measured), [], "rows of channels without a value")
    for row in days["rows"]:
        check.demand(all(-1 <= share <= 100 for share in row["shares"]), f"shares of {row['channels']}: {row['shares']}")
    return len(proof["channels"])


def by_keys(walk):
    browser, check = walk.browser, walk.check
    browser.script("document.querySelector('.slide').focus()")
    last = said(browser)
    browser.keys("HOME")
    check.demand(said(browser) != last, f"Home stays at {last}")
    browser.keys("ENTER")
    check.demand(until(lambda: is_open(browser), 5, 0.05), "Enter opens no day")
    check.demand(browser.shows("Events of that time", 20, "dialog"), f"the day: {browser.text('dialog')[:300]}")
    check.same(browser.findings(), [], "a day: findings of axe")
    before = browser.text("dialog h2")
    browser.press("Day after", "dialog")
    check.demand(until(lambda: browser.text("dialog h2") != before, 5, 0.05), "Day after stays")
    check.demand(browser.shows("Events of that time", 20, "dialog"), "the day after has no words")
    check.same(browser.wider(), [], "a day: parts wider than the screen")
    browser.keys("ESCAPE")
    back = until(lambda: browser.script("return document.activeElement.matches('.slide')"), 5, 0.05)
    check.demand(back, "the focus does not go back to the days")


def by_tap(walk):
    browser = walk.browser
    width, height = browser.script(SQUARE)
    actions = ActionChains(browser.driver)
    # The last square of the first full column from the right: a Sunday.
    actions.move_to_element_with_offset(browser.find(".slide svg"), width / 2 - width * 0.1, -height / 2 + height * 0.2)
    actions.click().perform()
    opened = until(lambda: is_open(browser), 2, 0.05)
    if opened:
        browser.keys("ESCAPE")
    return opened


def printed(walk, count):
    """The tables are made for the printer: one for each channel."""
    browser, check = walk.browser, walk.check
    check.same(browser.script("return document.querySelectorAll('.printed table').length"), 0, "tables before they are printed")
    paper = base64.b64decode(browser.command("Page.printToPDF")["data"])
    check.demand(paper.startswith(b"%PDF"), "nothing is printed")
    check.same(browser.script("return document.querySelectorAll('.printed table').length"), count, "tables that are printed")


def run(walk):
    """Returns how many parts were looked at."""
    browser, check = walk.browser, walk.check
    card = Card(check, planted(check), True)
    address, browser.address = browser.address, card.address
    try:
        browser.view(360)
        browser.driver.get(card.address + "/")
        browser.ready()
        count = answers(walk)
        longest = min(longest_task(browser) for _ in range(3))
        check.demand(longest <= LONGEST_MAX, f"the longest task of Proof takes {longest:.0f} ms")
        check.demand("measured" in browser.text(".proofsay") and "unknown" in browser.text(".proofsay"),
                     f"the first sentence: {browser.text('.proofsay')}")
        check.demand(browser.shows("Why minutes are missing"), "no causes")
        # The figure of Now is that of one channel; this page's own is of all.
        proof = browser.ask("GET", "/proof")[1]
        share = int(proof["coveredSeconds"] / proof["elapsedSeconds"] * 10_000) / 100
        check.demand("Of all that was due," in browser.text(".proofsay") and f"The channel with most values has {share:g} % of the time, as Now says." in browser.text(".proofsay"),
                     f"what the shares are of: {browser.text('.proofsay')}, {share}")
        words = browser.script("return [...document.querySelectorAll('.slide')].map((one) => one.ariaLabel)")
        check.demand(words and all("measured. Days:" in one for one in words), f"rows without a sentence: {words}")
        by_keys(walk)
        check.demand(by_tap(walk), "a tap opens no day")
        printed(walk, count)
        look(walk, "/proof", "proof")
        browser.view(360, forced_colors="active")
        browser.open("/proof")
        check.same(browser.findings(), [], "Proof in forced colours: findings of axe")
        check.same(browser.messages(), [], "Proof: console messages")
        check.say(f"proof: the longest task takes {longest:.0f} ms (at most {LONGEST_MAX})")
    finally:
        browser.address = address
        browser.view(360)
        card.close()
    return 6
