"""The form of targets and receivers before a real courier: added, tried, saved, changed and removed on the page.

A simulated SDS011, roostd, roost-courier with one target in courier.json, a dashboard without accounts, and a server
of webhooks.
"""

import os

from ..check import Failed, until
from ..courier import Courier, PostBox
from .outbox import look
from .states import Stage

LOCAL = "The server is this computer"
ADDRESS = "Address of the server"


def stage(walk):
    check = walk.check
    found = Stage(walk, "entries", {"dust": ()}, words=("--courier", check.path("entries", "courier.sock")),
                  store={"folder": check.path("entries-store")})
    found.box = PostBox(check)
    found.courier = Courier(check, found.station, targets=[
        {"id": "fixed", "type": "webhook", "url": f"http://127.0.0.1:{found.box.port}/fixed", "local": True}])
    found.courier.start()
    trusted = until(lambda: found.station.roost("clock", "trust").returncode == 0, 30)
    check.demand(trusted, "entries: the clock cannot be trusted")
    return found


def choose(browser, label, value):
    """Chooses an option of a list by its value."""
    browser.script("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('change'))", browser.labelled(label), value)


def shot(walk, name):
    """A picture of a form, with what axe and the console have against it."""
    browser, check = walk.browser, walk.check
    check.same(browser.wider(), [], f"{name}: parts wider than the screen")
    if walk.shots:
        browser.picture(os.path.join(walk.shots, f"{name}-360-light-en.png"), 360, False)
        browser.view(360)
    check.same(browser.findings(), [], f"{name}: findings of axe")
    browser.messages()


def target(walk, one):
    """A webhook: refused, tried, saved, changed and removed."""
    browser, check = walk.browser, walk.check
    browser.open("/outbox")
    check.demand(browser.shows("Set in courier.json.", 20), f"an entry of the file: {browser.text()[:300]}")
    browser.press("Add a target")
    check.demand(browser.shows("Where shall samples go?"), f"no choice: {browser.text()[:300]}")
    shot(walk, "entry-choice")
    browser.press("Webhook\nA server of yours gets it as JSON.")
    if not browser.shows("Name of this entry"):
        raise Failed(f"no form: {browser.text()[:300]}")
    browser.press("Save")
    check.demand(browser.wrong, "a form without an address is saved")
    browser.fill("Name of this entry", "box")
    browser.fill(ADDRESS, f"http://127.0.0.1:{one.box.port}/page")
    browser.press("Try")
    check.demand(browser.shows("This address is this computer"), f"an address of this computer is tried unasked: {browser.text()[-500:]}")
    check.demand(browser.shows(f"“{LOCAL}”"), "the field that allows it is not named")
    check.same(browser.labelled(ADDRESS).get_attribute("type"), "text", "an address that is typed is hidden")
    shot(walk, "entry-here")
    browser.press("Yes, this computer")
    check.same(browser.labelled(LOCAL).get_attribute("value"), "true", "the field after the tap")
    check.same(browser.script("return document.querySelectorAll('.entry details[open]').length"), 0, "options that the tap unfolds")
    browser.press("More options")
    check.demand("as usual: no" in browser.text(".entry"), "what is usual is not said")
    check.same(browser.labelled("Time-out of a request (s)").get_attribute("placeholder"), "60", "the usual time-out")
    browser.fill("Channels", "dust")
    browser.press("Save")
    check.demand(browser.shows("expected device/quantity"), f"a pattern that is none: {browser.text()[-500:]}")
    browser.fill("Channels", "dust/*")
    browser.press("Try")
    check.demand(browser.shows("Reached in", 60), f"a server that is there: {browser.text()[-500:]}")
    check.same(one.box.at("/page"), [], "what a trial sends")
    shot(walk, "entry-form")
    browser.press("Save")
    came = until(lambda: one.box.at("/page"), 60)
    check.demand(came, f"nothing comes: {browser.text()[:500]} {one.courier.log()[-500:]}")
    check.demand(browser.shows("box"), f"it is not in the list: {browser.text()[:500]}")
    change(walk, one)


def entry(browser):
    return browser.ask("GET", "/outbox/box/entry")[1]["entry"]


def change(walk, one):
    """The form of an entry has its options, and no value of a secret."""
    browser, check = walk.browser, walk.check
    browser.open("/outbox?change=box")
    check.demand(browser.shows("box · Webhook"), f"no form to change: {browser.text()[:300]}")
    check.same(browser.labelled(ADDRESS).get_attribute("value"), "", "the value of a secret on the page")
    browser.press("More options")
    check.same(browser.labelled("Channels").get_attribute("value"), "dust/*", "an option that was set")
    browser.fill("Header Authorization (optional)", "Bearer planted")
    browser.press("Save")
    check.demand(until(lambda: "authorization" in entry(browser), 10), f"no secret is kept: {entry(browser)}")
    browser.open("/outbox?change=box")
    check.demand(browser.shows("box · Webhook"), f"no form to change: {browser.text()[:300]}")
    browser.press("More options")
    browser.labelled("Remove what is kept").click()
    browser.press("Save")
    check.demand(until(lambda: "authorization" not in entry(browser), 10), f"a secret cannot be taken back: {entry(browser)}")
    browser.open("/outbox?change=box")
    check.demand(browser.shows("box · Webhook"), f"no form to change: {browser.text()[:300]}")
    browser.press("More options")
    browser.fill("Time-out of a request (s)", "30")
    browser.press("Save")
    check.demand(until(lambda: browser.path == "/outbox", 10), f"the change is not saved: {browser.text()[-500:]}")
    _, content = browser.ask("GET", "/outbox/box/entry")
    check.same((content["entry"]["timeoutSeconds"], content["entry"]["url"]), (30, {"secret": "page.box.url"}), "the entry after the change")
    browser.press("Undo")
    check.demand(until(lambda: "timeoutSeconds" not in browser.ask("GET", "/outbox/box/entry")[1]["entry"], 10), "the change is not taken back")
    check.demand(browser.shows("Remove"), f"no way to remove it: {browser.text()[:500]}")
    browser.press("Remove")
    browser.press("Remove", "dialog")
    check.demand(browser.shows("box: Removed."), f"what was done is not said: {browser.text()[:300]}")
    gone = until(lambda: not one.courier.target("box"), 20)
    check.demand(gone, f"it is still there: {one.courier.report()}")
    browser.press("Undo")
    check.demand(until(lambda: one.courier.target("box"), 20), f"it does not come back: {browser.text()[:500]}")
    sent = len(one.box.at("/page"))
    check.demand(until(lambda: len(one.box.at("/page")) > sent, 60), "what came back gets nothing")
    browser.press("Remove")
    browser.press("Remove", "dialog")
    check.demand(until(lambda: not one.courier.target("box"), 20), f"it is still there: {one.courier.report()}")
    check.demand(one.courier.target("fixed"), "an entry of the file is gone")


def receiver(walk, one):
    """A receiver gets a test before it is saved; ntfy has a topic of its own."""
    browser, check = walk.browser, walk.check
    browser.open("/alerts")
    browser.press("Add a receiver")
    check.demand(browser.shows("Who is told of alerts?"), f"no choice: {browser.text()[:300]}")
    browser.open("/alerts?add=ntfy")
    check.demand(browser.shows("https://ntfy.sh/roost-"), f"no topic: {browser.text()[:600]}")
    shot(walk, "entry-ntfy")
    browser.open("/alerts?add=webhook")
    check.demand(browser.shows("A server of yours gets it"), f"no form: {browser.text()[:300]}")
    browser.fill(ADDRESS, "example.org/bell")
    browser.press("Send a test")
    check.demand(browser.shows("It begins with https://"), f"an address without its beginning: {browser.text()[-500:]}")
    browser.fill(ADDRESS, f"http://127.0.0.1:{one.box.port}/bell")
    browser.press("More options")
    choose(browser, LOCAL, "true")
    browser.press("Send a test")
    sent = until(lambda: any("TEST" in body for body in one.box.at("/bell")), 30)
    check.demand(sent, f"no test comes: {browser.text()[-500:]}")
    check.demand(browser.shows("Message: done"), f"the test is not on the page: {browser.text()[-500:]}")
    browser.press("Save")
    saved = until(lambda: one.courier.report().get("receivers"), 20)
    check.demand(saved, f"the receiver is not saved: {browser.text()[-500:]}")


def run(walk):
    """The way of an owner who adds, changes and removes."""
    browser, check, address = walk.browser, walk.check, walk.browser.address
    one = stage(walk)
    browser.address = one.dashboard.address
    try:
        browser.view(360)
        target(walk, one)
        receiver(walk, one)
        look(walk, "/outbox?add=opensensemap", "entry-opensensemap")
        look(walk, "/alerts?add=smtp", "entry-smtp")
        check.same(browser.messages(), [], "entries: console messages")
    finally:
        browser.address = address
        one.courier.close()
        one.close()
    return 3
