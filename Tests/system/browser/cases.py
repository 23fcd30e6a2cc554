"""The acceptance cases of the first app, by their names.

A case raises `Missing` with a reason where the server does not offer what it is about.
"""

import json
import urllib.error
import urllib.request

from selenium.webdriver.common.by import By

from ..check import until
from .dashboard import OWNER, Dashboard
from ..station import Station

WRONG = "a wrong long password"
GUEST = {"name": "Bert", "email": "bert@example.org", "password": "seven green apples"}


class Missing(Exception):
    """What the server does not offer yet."""


def needs_accounts(walk):
    if not walk.has_accounts:
        raise Missing("this roost-web has no accounts yet")


def log_in(walk, password=OWNER["password"], path="/"):
    browser = walk.browser
    browser.open(path)
    browser.fill("Email", OWNER["email"])
    browser.fill("Password", password)
    browser.press("Log in")


def logged_in(walk):
    """On Now with a session, whatever was before."""
    needs_accounts(walk)
    walk.browser.open("/")  # Another case may have left it before another station.
    status, _ = walk.browser.ask("GET", "/me")
    if status != 200:
        log_in(walk)
        walk.browser.shows("Refresh")
    walk.browser.open("/")


def as_stranger(walk, path):
    """A request with an old cookie, outside of the browser; the status."""
    request = urllib.request.Request(walk.dashboard.address + path, headers={
        "Cookie": "; ".join(f"{name}={value}" for name, value in walk.browser.cookies().items())})

    def status():
        try:
            return urllib.request.urlopen(request, timeout=5).status
        except urllib.error.HTTPError as answer:
            return answer.code
    return status


def claim(walk):
    """B-T1: sign-up, as the owner, with a code of `roost claim`."""
    needs_accounts(walk)
    browser, check = walk.browser, walk.check
    browser.open("/")
    check.demand(browser.shows("has no owner yet"), "B-T1: an unclaimed station shows no Claim")
    check.same(browser.ask("GET", "/station")[0], 401, "B-T1: the station before it is claimed")
    browser.fill("Code", "AAAA-AAAA")
    browser.fill("Name", OWNER["name"])
    browser.fill("Email", OWNER["email"])
    browser.fill("Password", OWNER["password"])
    browser.press("Become the owner")
    check.demand(until(lambda: browser.wrong, 10), "B-T1: a wrong code is accepted")
    check.demand(browser.shows("A code is needed, to show"), "B-T1: the page does not say first that it wants a code")
    code = walk.dashboard.claim_code()
    check.demand(browser.shows("Type the code that roost claim printed.", 5), "B-T1: the page does not say where the code is")
    browser.fill("Code", code)
    browser.fill("Password", OWNER["email"])
    check.demand(browser.shows("Good."), "B-T1: no meter of a long password")
    browser.press("Become the owner")
    check.demand(browser.shows("which others know"), f"B-T1: the own address is a password: {browser.text()[:200]}")
    check.demand("Good." not in browser.text(), "B-T1: a password is refused and called good at once")
    browser.fill("Password", OWNER["password"])
    browser.fill("Code", walk.dashboard.claim_code())
    browser.press("Become the owner")
    check.demand(until(lambda: browser.path == "/start", 15), f"B-T1: no First steps after the claim: {browser.text()[:200]}")


def taken_address(walk):
    """B-T2: a taken address is refused at its field."""
    logged_in(walk)
    browser = walk.browser
    status, invitation = browser.ask("POST", "/invitations", {"role": "viewer", "days": 7})
    if status in (404, 501):
        raise Missing("no invitations")
    browser.forget()
    browser.open(f"/login?invitation={invitation['code']}")
    browser.fill("Name", GUEST["name"])
    browser.fill("Email", OWNER["email"])
    browser.fill("Password", GUEST["password"])
    browser.press("Sign up")
    refused = until(lambda: browser.wrong, 10)
    walk.check.demand(refused, "B-T2: the taken address is not refused")
    browser.fill("Email", GUEST["email"])
    browser.press("Sign up")
    walk.check.demand(browser.shows("Measuring", 15), f"B-T2: no sign-up with a free address: {browser.text()[:200]}")
    browser.forget()


def log_in_right(walk):
    """B-T3: log-in with the right password leads to what was asked for."""
    needs_accounts(walk)
    walk.browser.forget()
    log_in(walk, path="/devices")
    walk.check.demand(walk.browser.shows("Nothing is plugged in that", 15), "B-T3: no page Devices after the log-in")
    walk.check.same(walk.browser.path, "/devices", "B-T3: the page after the log-in")


def log_in_wrong(walk):
    """B-T4: a wrong password says so and opens nothing."""
    needs_accounts(walk)
    walk.browser.forget()
    log_in(walk, WRONG)
    walk.check.demand(walk.browser.shows("Wrong email or password"), "B-T4: a wrong password is not called so")
    walk.check.same(walk.browser.ask("GET", "/station")[0], 401, "B-T4: the station after a wrong log-in")


def log_out(walk):
    """B-T5: log-out ends the session on the server."""
    logged_in(walk)
    walk.browser.open("/account")
    status = as_stranger(walk, "/api/v1/station")
    walk.check.same(status(), 200, "B-T5: the cookie before the log-out")
    walk.browser.press("Log out")
    walk.check.demand(walk.browser.shows("Password forgotten"), "B-T5: no Log in after the log-out")
    walk.check.same(status(), 401, "B-T5: the old cookie after the log-out")


def location(walk):
    """B-T6: the location is kept."""
    logged_in(walk)
    walk.browser.open("/account")
    walk.browser.fill("Location", "Third floor, court")
    walk.browser.press("Save")
    until(lambda: (walk.browser.ask("GET", "/me")[1] or {}).get("location"), 5)
    walk.browser.open("/account")
    field = walk.browser.labelled("Location")
    walk.check.same(field.get_attribute("value"), "Third floor, court", "B-T6: the location")


def user_information(walk):
    """B-T7: user data are shown, without the password."""
    logged_in(walk)
    walk.browser.open("/account")
    for label, name in (("Name", "name"), ("Email", "email")):
        walk.check.same(walk.browser.labelled(label).get_attribute("value"), OWNER[name], f"B-T7: {label}")
    _, me = walk.browser.ask("GET", "/me")
    walk.check.demand("password" not in json.dumps(me).lower(), "B-T7: /me speaks of the password")


def change_password(walk):
    """B-T8: the change of a password asks the present one."""
    logged_in(walk)
    browser, new = walk.browser, "another red bicycle, in snow"

    def change(present, fresh):
        browser.open("/account")
        browser.fill("Present password", present)
        browser.fill("New password", fresh)
        browser.press("Change password", "form")

    change(WRONG, new)
    refused = until(lambda: browser.wrong, 15)
    walk.check.demand(refused, "B-T8: a wrong present password is accepted")
    for present, fresh in ((OWNER["password"], new), (new, OWNER["password"])):
        change(present, fresh)
        walk.check.demand(browser.shows("The password is changed", 15), "B-T8: the right present password is refused")


def confirmation(walk):
    """B-T9: a new password is typed once, as it is shown; a known one is hidden until it is asked for."""
    logged_in(walk)
    browser = walk.browser
    browser.open("/account")
    for label, kind in (("Present password", "password"), ("New password", "text")):
        field = browser.labelled(label)
        walk.check.same(field.get_attribute("type"), kind, f"B-T9: the field {label}")
        browser.driver.execute_script("arguments[0].parentElement.querySelector('button').click()", field)
        walk.check.same(field.get_attribute("type"), {"password": "text", "text": "password"}[kind], f"B-T9: {label} after a tap on its button")


def add_board(walk):
    """Adds an HTTP device with the page's dialog, unless it is there; its name."""
    browser, name = walk.browser, "board"
    if walk.balcony.http_device(name):
        return name
    browser.open("/devices")
    browser.press("Add an HTTP device")
    browser.fill("Short name", name)
    browser.fill("Address", walk.balcony.http_place())
    browser.press("Add it", "dialog")
    added = until(lambda: walk.balcony.http_device(name), 10)
    walk.check.demand(added, f"an HTTP device is not added by the page: {browser.text('dialog')[:200]}")
    walk.check.demand(browser.shows("answering", 15), "a new HTTP device is not shown as answering")
    return name


def change_board(walk, name):
    """The dialog that changes an HTTP device."""
    walk.browser.open("/devices")
    button = walk.browser.find(f"button[aria-label='Change {name}']")
    walk.browser.script("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()


def board_address(walk):
    """B-T10: the address of a board can be changed."""
    needs_owner(walk)
    browser, check = walk.browser, walk.check
    name = add_board(walk)
    before, place = walk.balcony.http_device(name)["location"], walk.balcony.http_place()
    change_board(walk, name)
    browser.fill("Address", "http://8.8.8.8/")
    browser.press("Save", "dialog")
    check.demand(until(lambda: browser.wrong, 10), "B-T10: an address of the internet is accepted")
    check.demand("local network" in browser.text("dialog"), "B-T10: the refusal does not name the local network")
    browser.fill("Address", place)
    browser.press("Save", "dialog")
    check.demand(browser.shows(place, 10), "B-T10: the new address is not shown")
    check.demand(place not in before, "B-T10: the address is the one before")
    moved = until(lambda: (walk.balcony.http_device(name) or {}).get("state") == "answering", 15)
    check.demand(moved, "B-T10: the device does not answer at its new address")
    check.demand(place in walk.balcony.http_device(name)["location"], "B-T10: the station asks another address")


def board_interval(walk):
    """B-T11: the interval of a board is kept."""
    needs_owner(walk)
    browser, check = walk.browser, walk.check
    name = add_board(walk)
    change_board(walk, name)
    browser.script("""const slider = document.querySelector('dialog input[type=range]');
        slider.value = 90; slider.dispatchEvent(new Event('input', {bubbles: true}));""")
    check.demand(browser.shows("1 min 30 s", 5, "dialog"), "B-T11: the slider does not say its interval")
    browser.press("Save", "dialog")
    check.demand(until(lambda: not browser.script("return !!document.querySelector('dialog input')"), 30),
                 f"B-T11: the interval is refused: {browser.text('dialog')[:200]}")
    browser.open("/devices")
    check.demand(browser.shows("1 min 30 s"), "B-T11: the new interval is not shown")
    station = walk.balcony.station
    station.stop()
    station.start()
    until(station.status, 20)
    kept = until(lambda: (walk.balcony.http_device(name) or {}).get("intervalSeconds") == 90, 15)
    check.demand(kept, "B-T11: the interval is not kept through a restart")
    walk.balcony.live()


def needs_owner(walk):
    if walk.has_accounts:
        logged_in(walk)
    else:
        walk.browser.open("/")


def station_data(walk):
    """B-T12: the page shows what the station says."""
    needs_owner(walk)
    browser = walk.browser
    browser.open("/")
    value = browser.script("return document.querySelector('.reading .value b').innerText")
    walk.check.demand(any(value == f"{float(one['value']):.1f}" for one in readings(walk)),
                      f"B-T12: {value} on the page is no value of the station")
    browser.open("/more")
    walk.check.demand(browser.shows(walk.balcony.station.name), "B-T12: the station's name is not shown")
    walk.check.same(browser.script("return [...document.querySelectorAll('.more h2')].map((one) => one.innerText)"), ["What needs you", "What was measured", "Where values go", "The station"], "B-T12: the groups of More")
    browser.open("/devices")
    walk.check.demand(browser.shows("It measures every", 10, ".device"), f"B-T12: how a part measures: {browser.text('.device')}")
    value = browser.script("return document.querySelector('.device .value b').innerText")
    walk.check.demand(any(value == f"{float(one['value']):.1f}" for one in readings(walk)), f"B-T12: {value} on Devices is no value of the station")
    walk.check.demand(until(lambda: browser.script("return !!document.querySelector('.device .spark svg')"), 15), "B-T12: no curve on Devices")
    browser.open("/health")
    sentence = browser.text(".verdict strong")
    walk.check.demand(sentence in ("Nothing is wrong.", "One thing is wrong.") or sentence.endswith(" things are wrong."), f"B-T12: Health says {sentence!r}")
    walk.check.same(browser.text("h1"), sentence, "B-T12: the title of Health")
    walk.check.demand(browser.shows("parts of the program run", 5), "B-T12: the parts of the program are not folded under a sentence")


def readings(walk):
    """The latest values and those of the last seconds, as the page may be a second behind."""
    station = walk.balcony.station
    recent = [one for one in station.ask("readings", "--last", "30s") if one.get("value") is not None]
    return [*station.values().values(), *recent]


def period(walk):
    """B-T13: the period of the history can be chosen."""
    needs_owner(walk)
    walk.browser.open("/history")
    if walk.browser.shows("This station does not offer it", 1):
        raise Missing("no history over the API yet")
    headings = set()
    for name in ("Day", "Week", "Month", "Year"):
        walk.browser.press(name)
        walk.browser.ready()
        until(lambda wanted=name.lower(): f"range={wanted}" in walk.browser.path, 5)
        walk.check.demand(f"range={name.lower()}" in walk.browser.path, f"B-T13: {name} is not in the address")
        headings.add(walk.browser.text(".history h2"))
    walk.check.same(len(headings), 4, "B-T13: the headings of four periods")


def reconnect(walk):
    """B-T14: a sensor that is unplugged is called so, and comes back by itself."""
    needs_owner(walk)
    browser = walk.browser
    walk.balcony.live()
    browser.open("/")
    walk.balcony.unplug()
    gone = until(lambda: browser.script("return !!document.querySelector('.reading.stale')"), 60)
    walk.check.demand(gone, "B-T14: the value of an unplugged sensor is not greyed in 60 s")
    walk.check.demand(browser.shows("unplugged", 15), "B-T14: the page does not say unplugged")
    walk.balcony.plug()
    back = until(lambda: not browser.script("return !!document.querySelector('.reading.stale')"), 90)
    walk.check.demand(back, "B-T14: the sensor does not come back on the page in 90 s")


def no_board(walk):
    """B-T15: a station without a sensor says so, and what to do."""
    station = Station(walk.check, "bare", devices=[])
    station.start()
    dashboard = Dashboard(walk.check, station, "--open")
    dashboard.start()
    until(station.status, 20)
    browser = walk.browser
    browser.driver.get(dashboard.address + "/")
    browser.ready()
    walk.check.demand(browser.shows("No sensor found"), f"B-T15: {browser.text()[:200]}")
    walk.check.demand(browser.shows("Plug a sensor in"), "B-T15: no word of what to do")
    walk.check.same(browser.driver.find_elements(By.CSS_SELECTOR, ".reading"), [], "B-T15: cards of readings")


def back_after_log_out(walk):
    """B-T16: Back after a log-out shows nothing private."""
    logged_in(walk)
    browser = walk.browser
    browser.open("/")
    browser.open("/account")
    browser.press("Log out")
    browser.shows("Password forgotten")
    browser.driver.back()
    browser.ready()
    walk.check.demand(browser.shows("Log in"), "B-T16: no Log in after Back")
    is_private = browser.script("return !!document.querySelector('.reading')")
    walk.check.demand(not is_private and OWNER["email"] not in browser.text("body"), "B-T16: Back shows what is private")


def back_while_logged_in(walk):
    """B-T17: Back while logged in leads to the page before, and never to Log in."""
    needs_owner(walk)
    browser = walk.browser
    browser.open("/")
    browser.press("Devices", "nav")
    until(lambda: browser.path == "/devices", 5)
    browser.ready()
    title = browser.text("h1")
    browser.driver.back()
    until(lambda: browser.path == "/", 5)
    browser.ready()
    walk.check.same((browser.path, browser.shows("Is all well?", 5)), ("/", True), "B-T17: the page after Back")
    browser.driver.forward()
    until(lambda: browser.path == "/devices", 5)
    browser.ready()
    shown = (browser.text("nav [aria-current=page]"), browser.text("h1"))
    walk.check.same(shown, ("Devices", title), "B-T17: the page after Forward")


def today(walk):
    """B-T18: the history opens on today."""
    needs_owner(walk)
    browser = walk.browser
    browser.open("/history")
    if browser.shows("This station does not offer it", 1):
        raise Missing("no history over the API yet")
    wanted = browser.script(
        """return new Intl.DateTimeFormat('en-GB', {weekday: 'short', day: 'numeric', month: 'short', year: 'numeric',
          timeZone: arguments[0]}).format(Date.now())""", walk.zone())
    walk.check.same(browser.text(".history h2"), wanted, "B-T18: the heading of the history")
    walk.check.same(browser.text(".history [aria-pressed=true]"), "Day", "B-T18: the period of the history")


# B-T1 comes before the walk; those that end sessions come last.
CASES = {
    "B-T1": claim, "B-T12": station_data, "B-T13": period, "B-T18": today, "B-T17": back_while_logged_in,
    "B-T10": board_address, "B-T11": board_interval, "B-T14": reconnect, "B-T6": location, "B-T7": user_information,
    "B-T9": confirmation, "B-T8": change_password, "B-T2": taken_address, "B-T3": log_in_right, "B-T5": log_out,
    "B-T16": back_after_log_out, "B-T4": log_in_wrong, "B-T15": no_board,
}
