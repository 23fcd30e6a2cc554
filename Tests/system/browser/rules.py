"""The rules of alerts by their owner: one is tried and added, changed and taken back; one of Roost is switched off and on."""

import os

from ..check import Failed, until

LIST = "return [...document.querySelectorAll('.alerts section > .list strong')].map((one) => one.innerText);"
OFF = "return [...document.querySelectorAll('.alerts details .list strong')].map((one) => one.textContent);"
# What the row of a rule says.
SAID = "return [...document.querySelectorAll('.alerts .list li')].find((one) => one.querySelector('strong').textContent === arguments[0])?.innerText ?? ''"
# In one turn: the list is made anew with each change.
PRESS = """const row = [...document.querySelectorAll('.alerts .finding')].find((one) => one.querySelector('strong').textContent === arguments[0]);
const button = [...row?.querySelectorAll('button') ?? []].find((one) => one.textContent === arguments[1]);
button?.closest('details')?.setAttribute('open', '');
button?.click();
return !!button;"""


def row(browser, name, words):
    """Presses a button of a rule."""
    if not browser.script(PRESS, name, words):
        raise Failed(f"{browser.path}: the rule {name} has no button {words}")


def rules(browser):
    """Rules of the owner as the station has them."""
    status, answer = browser.ask("GET", "/rules")
    if status != 200:
        raise Failed(f"GET /rules is {status}")
    return {one["id"]: one for one in answer["alerts"] if one["origin"] == "ui"}


def leaving(walk):
    """A tap on the navigation or on a link of the page asks before what was typed is lost."""
    browser, check = walk.browser, walk.check
    for words, inside in (("History", "nav"), ("Earlier alerts", "main")):
        browser.press(words, inside)
        check.demand(browser.shows("Leave this page?", 5), f"a form with something typed is left by {words} without a word")
        browser.press("Cancel", "dialog")
    check.same((browser.path, browser.labelled("Name of the rule").get_attribute("value")), ("/alerts", "dusty air"), "the form after Cancel")


def run(walk):
    browser, check = walk.browser, walk.check
    browser.view(360)
    browser.open("/alerts")
    browser.press("Add a rule")
    check.same(browser.findings(), [], "axe: the form of a rule")
    check.same(browser.wider(), [], "the form of a rule: parts wider than the screen")
    browser.press("Save")
    check.demand(browser.shows("This is needed."), "a rule without a name and a limit is taken")
    browser.fill("Name of the rule", "Qualité für 3b")
    check.demand(browser.shows("Programs call it Qualite-fuer-3b.", 5), f"a name with letters of a language: {browser.text('.form')[:300]!r}")
    browser.fill("Name of the rule", "dusty air")
    check.demand(browser.shows("Programs call it dusty-air.", 5), f"the name of programs: {browser.text('.form')[:300]!r}")
    leaving(walk)
    browser.fill("this limit", "900")
    browser.fill("for at least (minutes)", "-1")
    browser.press("Save")
    check.demand(browser.shows("expected a number 0…604800"), "a time below nothing is taken")
    browser.fill("for at least (minutes)", "1e")
    browser.press("Save")
    check.demand(browser.shows("This is no number."), "a time that is no number is taken")
    browser.fill("for at least (minutes)", "10")
    browser.press("Try on my past")
    check.demand(until(lambda: "the last 30 days" in browser.text(".form"), 30), f"nothing is tried: {browser.text('.form')[-200:]!r}")
    if walk.shots:
        browser.picture(os.path.join(walk.shots, "rule-form-360-light-en.png"), 360, False)
    browser.press("Save")
    check.demand(until(lambda: "dusty-air" in browser.script(LIST), 10), f"the new rule is not in the list: {browser.script(LIST)}")
    check.same(rules(browser)["dusty-air"]["parts"][0]["limits"], [900], "the limit of the new rule")
    check.demand("quiet\n" in browser.script(SAID, "dusty-air"), f"a rule does not say its state: {browser.script(SAID, 'dusty-air')!r}")
    check.same(browser.script("return document.querySelectorAll('.alerts .list .mark:not(.good, .unknown)').length"), 0, "signs of an alert at quiet rules")
    row(browser, "dusty-air", "Change")
    check.demand("Change: dusty-air" in browser.script(SAID, "dusty-air"), "the form of a rule is not in its row, or does not name it")
    check.demand(browser.script("return Boolean(document.activeElement.closest('.finding form'))"), "the focus is not in the form")
    browser.fill("this limit", "800")
    browser.press("Save")
    check.demand(browser.shows("begins at 800 after at least 10 min, ends below 720"), "a change of a limit")
    browser.press("Undo")
    check.demand(browser.shows("begins at 900 after at least 10 min, ends below 810"), "a change that is taken back")
    row(browser, "dusty-air", "Remove")
    check.demand(until(lambda: "dusty-air" not in browser.script(LIST), 10), "a rule that is removed")
    check.demand(browser.shows("dusty-air: Removed."), f"what a removal says: {browser.text()[:300]}")
    browser.press("Undo")
    check.demand(until(lambda: "dusty-air" in browser.script(LIST), 10), "a rule that is there again")
    listed = browser.script(LIST)
    check.demand(listed.index("dusty-air") < listed.index("WHO guideline, 24 h"), f"own rules are not the first: {listed}")
    check.same(rules(browser)["dusty-air"]["forSeconds"], 600, "its time")
    name = "WHO guideline, 24 h"
    row(browser, name, "Change")
    browser.fill("this limit", "25")
    browser.press("Save")
    check.demand(browser.shows("begins at 25, ends below 22.5") and browser.shows("begins at 45, ends below 40.5"), "a change of a rule that comes with Roost")
    row(browser, name, "Remove")
    check.demand(browser.shows("begins at 15, ends below 13.5"), "the rule as it was shipped")
    places = browser.script(LIST)
    row(browser, name, "Switch off")
    check.demand(browser.shows(f"{name}: Switched off."), f"what a switch says: {browser.text()[:300]}")
    check.demand(until(lambda: "Switch on" in browser.script(SAID, name), 10), f"what is not in use: {browser.script(SAID, name)}")
    check.same(browser.script(LIST), places, "the list after a switch")
    check.same(browser.script("return [document.activeElement.textContent, document.activeElement.closest('li')?.querySelector('strong').textContent]"),
               ["Undo", name], "what has the focus after a switch")
    browser.open("/alerts")
    check.demand(until(lambda: name in browser.script(OFF), 10), f"what is not in use: {browser.script(OFF)}")
    row(browser, name, "Change")
    browser.fill("this limit", "26")
    row(browser, "dusty-air", "Switch off")
    check.demand(until(lambda: "Switch on" in browser.script(SAID, "dusty-air"), 10), f"what is not in use: {browser.script(SAID, 'dusty-air')}")
    browser.press("Save")
    check.demand(browser.shows("begins at 26, ends below 23.4"), "a change of a rule that is off, while another one is switched off")
    check.demand(name in browser.script(OFF), "a change switches a rule on")
    browser.press("Undo")
    check.demand(until(lambda: "begins at 15, ends below 13.5" in browser.script(SAID, name), 10), "a change of a rule that is off is taken back")
    row(browser, name, "Switch on")
    check.demand(until(lambda: "Switch off" in browser.script(SAID, name), 10), "a rule that is switched on again")
    row(browser, "dusty-air", "Remove")
    check.demand(until(lambda: "dusty-air" not in browser.script(LIST), 10), "the rule is left")
    check.same(browser.ask("PUT", "/rules/x", {"when": {"value": {"atLeast": 1}}})[0], 400, "a rule without a channel")
    browser.messages()
    return 19
