"""Settings and titles by their owner: a name in her own words, limits of her own, a mistake at its field, and the way back."""

import os

from ..check import until

LEVELS = """const [name, ...values] = arguments, group = document.querySelector('.form [role=group]'), select = group.querySelector('select');
const put = (one, value, kind) => { one.value = value; one.dispatchEvent(new Event(kind, { bubbles: true })); };
put(select, name, 'change');
[...group.querySelectorAll('input')].forEach((one, index) => put(one, values[index] ?? '', 'input'));"""

OTHER = """return fetch('/api/v1/settings', { method: 'PATCH', headers: { 'Content-Type': 'application/json', 'If-Match': '*' },
body: JSON.stringify({ [arguments[0]]: arguments[1] }) }).then((answer) => answer.status);"""


def values(browser):
    """The settings as the station has them."""
    return browser.ask("GET", "/settings")[1]["values"]


def run(walk):
    browser, check = walk.browser, walk.check
    browser.view(360)
    browser.open("/settings")
    before = values(browser)
    check.demand(browser.shows("No lamp shows the level.", 5), f"which lamp follows the levels: {browser.text()[:900]}")
    browser.fill("Station's name", "Klasse 3b – Süd")
    browser.script(LEVELS, "own", "10", "11", "", "")
    check.same(browser.findings(), [], "axe: the form of settings")
    check.same(browser.wider(), [], "the form of settings: parts wider than the screen")
    browser.press("Save")
    check.demand(browser.shows("red by more than a ninth above yellow"), f"limits without sense are taken: {browser.text()[-600:]}")
    check.same(values(browser), before, "what a refused change changes")
    browser.script(LEVELS, "own", "10", "20", "20.5", "40")
    if walk.shots:
        browser.picture(os.path.join(walk.shots, "settings-own-360-light-en.png"), 360, False)
    browser.press("Save")
    check.demand(browser.shows("Undo"), f"no way back: {browser.text()[-600:]}")
    check.same((values(browser)["title"], values(browser)["levels"]), ("Klasse 3b – Süd", "pm25 10 20, pm10 20.5 40"), "the settings")
    check.demand(browser.shows("Klasse 3b – Süd"), "the station's name on its page")
    browser.press("Undo")
    check.demand(until(lambda: values(browser) == before, 10), f"undone: {values(browser)}, before {before}")
    two_owners(walk)
    device(walk)


def two_owners(walk):
    """Undo after another owner changed something: another setting stays, and the same is not overwritten."""
    browser, check = walk.browser, walk.check
    browser.open("/settings")
    before = values(browser)
    browser.fill("Station's name", "Anna's")
    browser.press("Save")
    check.demand(browser.shows("Undo"), f"no way back: {browser.text()[-600:]}")
    check.same(browser.script(OTHER, "levels", "eaqi"), 200, "the other owner's change of another setting")
    browser.press("Undo")
    check.demand(until(lambda: values(browser) == {**before, "levels": "eaqi"}, 10), f"undone: {values(browser)}, before {before}")
    check.same(browser.script(OTHER, "levels", None), 200, "the other setting is taken back")
    browser.open("/settings")
    browser.fill("Station's name", "Anna's")
    browser.press("Save")
    check.demand(browser.shows("Undo"), f"no way back: {browser.text()[-600:]}")
    check.same(browser.script(OTHER, "title", "Ben's"), 200, "the other owner's change")
    browser.press("Undo")
    check.demand(browser.shows("Nothing was overwritten"), f"a lost change: {browser.text()[-600:]}")
    check.same(values(browser)["title"], "Ben's", "the other owner's name")
    browser.press("Look again")
    check.demand(until(lambda: browser.script("return document.querySelector('.form input')?.value") == "Ben's", 10), "the page looks again")
    browser.fill("Station's name", "")
    browser.press("Save")
    check.demand(browser.shows("Undo"), "the name taken back")


def device(walk):
    """A device that is called by its title, on its card and with its values."""
    browser, check = walk.browser, walk.check
    browser.open("/devices")
    name = browser.script("return document.querySelector('.device h2').innerText")
    browser.press("Change")
    browser.fill("Name", "Fenster links")
    browser.press("Save", "dialog")
    check.demand(browser.shows("Fenster links"), f"the title: {browser.text()[:300]}")
    station = browser.ask("GET", "/station")[1]
    check.same(station["titles"], {name: "Fenster links"}, "titles of the station")
    browser.open("/")
    check.demand(browser.shows("Fenster links"), "the title beside the values")
    check.same(browser.ask("PATCH", f"/devices/{name}", {"title": ""})[0], 200, "a title that is taken back")
