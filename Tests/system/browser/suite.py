"""The walk: pages in every size, the keyboard, the cases."""

import json
import os
import re
import shutil
import sqlite3
import time
import urllib.request
from contextlib import closing

from ..check import Failed, until
from . import backup, bad, bus, cameraform, catalogue, devices, dose, entries, events, files, first, gaps, injection, livepicture, network, notices, outbox, pins, proof, records, rules, settings, shown, sites, states, stations, update, wrong
from .browser import Browser
from .cases import CASES, Missing, logged_in
from .dashboard import Balcony, Dashboard
from .webkit import WebKit

ALONE = ("claim", "login")  # Seen without a session.
ENGINES = {"chromium": Browser, "webkit": WebKit}
SHORT = [(360, False, "en"), (1280, False, "en")]
SMALL = [(360, False, "en")]
SMALL_NAMES = ("B-T1", "pages", "keyboard", "catalogue-small")
USUAL = [*SHORT, (360, True, "en"), (320, False, "de")]
WEBKIT = [(360, False, "en"), (1280, False, "en"), (320, False, "de")]
# Without a console and a second theme; the cases that need no tools of Chromium.
WEBKIT_NAMES = ("B-T1", "pages", "keyboard", "B-T12", "B-T13", "B-T18", "B-T17", "B-T6", "B-T7", "B-T9", "B-T3", "B-T5",
                "B-T16", "B-T4")
FULL = [(width, dark, name) for name in ("en", "de") for dark in (False, True) for width in (320, 360, 768, 1280)]


class Walk:
    """What the parts of the suite share."""

    def __init__(self, check, options, library):
        self.check, self.options = check, options
        self.shots = options.folder
        if self.shots:
            os.makedirs(self.shots, exist_ok=True)
        self.has_accounts = Dashboard.offers(check, "--claim-socket")
        self.balcony = Balcony(check)
        words = () if self.has_accounts else ("--open",)
        self.dashboard = Dashboard(check, self.balcony.station, *words)
        self.dashboard.start()
        self.browser = ENGINES[options.engine](check, self.dashboard.address, library)
        self.results = {}

    def zone(self):
        _, station = self.browser.ask("GET", "/station")
        return ((station or {}).get("station") or {}).get("zone") or "UTC"

    def case(self, name):
        """One case by name: `passed`, `failed`, or the reason why it is skipped."""
        before = len(self.check.problems)
        self.browser.view(360)
        try:
            CASES[name](self)
        except Missing as reason:
            self.results[name] = f"skipped: {reason}"
        except Failed as failure:
            self.check.problems.append(f"{name}: {failure}")
        if len(self.check.problems) > before:
            self.results[name] = "failed"
        self.results.setdefault(name, "passed")
        self.browser.messages()
        what = CASES[name].__doc__.split(": ", 1)[1].rstrip(".")
        self.check.say(f"{name}: {self.results[name]} ({what})")

    def look(self, path, name, width, dark, language):
        """One page in one size, theme and language: clean, narrow enough, and with a picture."""
        browser, where = self.browser, f"{path} at {width} px{', dark' if dark else ''}, {language}"
        browser.view(width, dark=dark)
        browser.open(path)
        self.check.same(browser.messages(), [], f"{where}: console messages")
        self.check.same(browser.reports(), [], f"{where}: reports of the content policy")
        self.check.same(browser.wider(), [], f"{where}: parts wider than the screen")
        self.check.demand(browser.text("h1"), f"{where}: no heading")
        if self.shots:
            shot = f"{name}-{width}-{'dark' if dark else 'light'}-{language}.png"
            browser.picture(os.path.join(self.shots, shot), width, dark)
        self.check.same(browser.findings(), [], f"{where}: findings of axe")
        browser.messages()

    def pages(self):
        """Every page in every size that was asked for."""
        options = self.options
        sizes = FULL if options.full else SHORT if options.short else SMALL if options.small else USUAL
        if self.browser.engine == "webkit":
            sizes = WEBKIT
        known = [(path, name) for path, name in files.pages() if name not in ALONE]
        if not self.has_accounts:
            known = [(path, name) for path, name in known if name != "account"]
        self.browser.open("/")
        for width, dark, language in sizes:
            self.browser.language(language)
            self.dates(language)
            for path, name in known:
                self.look(path, name, width, dark, language)
        self.browser.language("en")
        return len(known) * len(sizes) + (self.doors(sizes) if self.has_accounts else 0)

    def doors(self, sizes):
        """The pages before a session: Claim of a station without an owner, then Log in."""
        browser, address = self.browser, self.browser.address
        browser.forget()
        unowned = Dashboard(self.check, self.balcony.station)
        unowned.start()
        for place, name in ((unowned.address, "claim"), (address, "login")):
            browser.address = place
            browser.driver.get(place + "/")
            for width, dark, language in sizes:
                browser.language(language)
                self.look("/", name, width, dark, language)
                shown = browser.script("return !!document.querySelector(arguments[0])", f".page.{name}")
                self.check.demand(shown, f"{name} at {width} px: another page is shown")
            browser.language("en")
        browser.address = address
        unowned.close()
        logged_in(self)
        return 2 * len(sizes)

    def dates(self, language):
        """The first heading of the history is a date in the page's language."""
        browser, locale = self.browser, {"en": "en-GB"}.get(language, language)
        browser.open("/history")
        wanted = browser.script(
            """return new Intl.DateTimeFormat(arguments[0], {weekday: 'short', day: 'numeric', month: 'short',
              year: 'numeric', timeZone: arguments[1]}).format(Date.now())""", locale, self.zone())
        self.check.same(browser.text(".history h2"), wanted, f"the date of the history, {language}")

    def keyboard(self):
        """The navigation and the skip link with Tab and Enter alone, the chart with arrows."""
        browser, check = self.browser, self.check
        browser.view(1280)
        browser.open("/")
        browser.script("document.activeElement.blur(); document.body.focus()")
        browser.keys("TAB")
        check.same(browser.script("return document.activeElement.id"), "skip", "the first stop of Tab")
        for wanted in ("/history", "/events", "/devices", "/more"):
            browser.open("/")
            for _ in range(12):
                browser.keys("TAB")
                if browser.script("return document.activeElement.getAttribute('href')") == wanted:
                    break
            # Without a window manager WebKit's window has no focus, and then nothing in it is outlined.
            outline = browser.script(
                "return document.hasFocus() ? getComputedStyle(document.activeElement).outlineStyle : 'unknown'")
            check.demand(outline != "none", f"{wanted}: no outline in the navigation")
            browser.keys("ENTER")
            browser.ready()
            check.same(browser.path, wanted, "the page after Enter in the navigation")
            check.same(browser.script("return document.activeElement.tagName"), "H1", f"{wanted}: the focus after it")
        browser.open("/history")
        if browser.script("return !!document.querySelector('.chart svg')"):
            browser.script("document.querySelector('.history .chart').focus()")
            browser.keys("END", "ARROW_LEFT", "ARROW_LEFT")
            check.demand(":" in browser.text(".readout"), "arrow keys read nothing from the chart")

    def choices(self):
        """The language by its list, and the station's time or the browser's by a tap on the zone."""
        browser, check = self.browser, self.check
        browser.view(360)
        browser.open("/more")
        for value, wanted in (("de", "Mehr"), ("it", "Altro"), ("es", "Más"), ("fr", "Plus"), ("en", "More")):
            browser.script("""const list = document.querySelector('select'); list.value = arguments[0];
                list.dispatchEvent(new Event('change'));""", value)
            said = until(lambda words=wanted: browser.text("h1") == words, 10)
            check.demand(said, f"the heading in {value} is {browser.text('h1')!r}, not {wanted!r}")
        browser.command("Emulation.setTimezoneOverride", timezoneId="Pacific/Chatham")
        browser.open("/events?severity=info")
        here = browser.text(".events time")
        check.demand(browser.script("return !document.querySelector('#zone').hidden"), "no choice of the zone")
        browser.find("#zone").click()
        moved = until(lambda: browser.text(".events time") not in ("", here), 10)
        check.demand(moved, f"the events of a browser in Chatham stay at {here}")
        browser.find("#zone").click()
        back = until(lambda: browser.text(".events time") == here, 10)
        check.demand(back, f"the events do not go back to the station's time {here}")
        browser.command("Emulation.setTimezoneOverride", timezoneId="")
        check.same(browser.messages(), [], "choices: console messages")

    def copy(self):
        """The history as an SQLite database, by the button beside the exports."""
        browser, check = self.browser, self.check
        if not self.has_accounts:
            return
        browser.view(360)
        browser.open("/measurements")
        folder = check.path("downloads")
        browser.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=folder, eventsEnabled=True)
        browser.press("Make a copy")
        check.demand(browser.shows("kept for an hour", 60), f"copy: the page says {browser.text()[-300:]}")

        def copies():
            names = os.listdir(folder) if os.path.isdir(folder) else []
            return [os.path.join(folder, name) for name in names if name.endswith(".db")]
        until(copies, 20)
        for path in copies():
            with closing(sqlite3.connect(path)) as database:
                found = database.execute("SELECT count(*) FROM sqlite_master WHERE type = 'table'").fetchone()[0]
                check.demand(found >= 2, f"copy: {found} tables")
        check.same(len(copies()), 1, "copy: the files that were downloaded")
        check.same(browser.findings(), [], "copy: findings of axe")
        check.same(browser.messages(), [], "copy: console messages")

    def restarts(self):
        """A page that stays open while roost-web, then roostd, go and come back."""
        browser, check = self.browser, self.check
        if self.has_accounts:
            logged_in(self)
        browser.view(360)
        browser.open("/")
        browser.script("window.wasHere = true")
        self.dashboard.stop()
        check.demand(browser.shows("Not connected since", 45), "a lost roost-web is not called so in 45 s")
        self.dashboard.start()
        gone = until(lambda: browser.script("return document.querySelector('#lost').hidden"), 45)
        check.demand(gone, "the page does not come back with roost-web in 45 s")
        self.balcony.station.stop()
        check.demand(browser.shows("The station's program does not run", 45), "a lost roostd is not called so in 45 s")
        self.balcony.station.start()
        until(self.balcony.station.status, 20)
        self.balcony.live()
        check.demand(browser.shows("Measuring", 90),
                     f"the page does not come back with roostd in 90 s: {browser.text()[:200]}")
        check.demand(browser.script("return window.wasHere === true"), "the page was loaded anew on the way")
        browser.messages()

    def renewal(self):
        """A page that is open over an update of roost-web loads the new client by itself, once."""
        browser, check = self.browser, self.check
        web, copy = Dashboard(check, self.balcony.station, "--open"), check.path("later-www")
        shutil.copytree(files.WWW, copy)
        place = os.path.join(copy, "strings", "en.json")
        with open(place, encoding="utf-8") as file:
            texts = json.load(file)
        with open(place, "w", encoding="utf-8") as file:
            json.dump({**texts, "now.values": f"Later {texts['now.values']}"}, file)
        web.start()
        browser.address = web.address
        browser.open("/")
        browser.script("window.wasHere = true")
        web.stop()
        web.words = (*web.words, "--www", copy)
        web.start()
        renewed = until(lambda: browser.script("return !window.wasHere && document.body.innerText.includes('Later')"), 45)
        check.demand(renewed, f"renewal: the page keeps its old client: {browser.text()[:200]}")
        browser.script("window.wasHere = true")
        self.balcony.live()
        check.demand(browser.shows("Measuring", 30), f"renewal: the new page shows {browser.text()[:200]}")
        check.demand(browser.script("return window.wasHere"), "renewal: the page was loaded again and again")
        browser.address = self.dashboard.address
        browser.messages()
        web.close()

    def latency(self):
        """From a reading of the station to the page, in milliseconds; the greatest of ten."""
        self.balcony.live()
        self.browser.open("/")
        self.balcony.wait_for_value()
        found = self.browser.driver.execute_async_script(
            """const done = arguments[0], found = [];
            const stream = new EventSource('/api/v1/live');
            stream.addEventListener('reading', (item) => {
              found.push(JSON.parse(item.data).ageSeconds * 1000);
              if (found.length === 10) { stream.close(); done(Math.max(...found)); } });
            setTimeout(() => done(null), 40000);""")
        if self.check.demand(found is not None, "no ten readings in 40 s of live mode"):
            self.check.demand(found < 1000, f"a reading reaches the page {found:.0f} ms late")
            self.check.say(f"a reading reaches the page within {found:.0f} ms")

    def tabs(self):
        """Nine windows of one browser follow over one live connection; a browser has six to a host."""
        browser, driver = self.browser, self.browser.driver
        self.balcony.live()
        browser.open("/")
        first = driver.current_window_handle

        def clients():
            text = driver.execute_async_script("fetch('/metrics').then((answer) => answer.text()).then(arguments[0])")
            return int(re.search(r"^roost_live_clients (\d+)", text, re.MULTILINE).group(1))

        def moves():
            return browser.script("const card = document.querySelector('main .values'); return card && card.innerText")
        for _ in range(8):
            driver.switch_to.new_window("window")
            began = time.monotonic()
            browser.open("/")
            before = until(moves, 10)
            changed = until(lambda: moves() != before, 8)
            self.check.demand(before and changed, f"a window shows no new value in {time.monotonic() - began:.0f} s")
        seen = until(lambda: clients() == 1, 10)
        self.check.demand(seen, f"nine windows of one browser have {clients()} live connections")
        # The last one has the stream, or had it: the others go on without it.
        for handle in [one for one in driver.window_handles if one != first]:
            driver.switch_to.window(handle)
            driver.close()
        driver.switch_to.window(first)
        before = moves()
        self.check.demand(until(lambda: moves() != before, 10), "the first window stands still when the others are closed")
        self.check.same(until(lambda: clients() == 1, 10), True, "one live connection is left")
        return 9

    def heads(self):
        """What every answer says to the browser."""
        with urllib.request.urlopen(self.dashboard.address + "/", timeout=10) as answer:
            policy = answer.headers.get("Content-Security-Policy") or ""
            for words in ("default-src 'none'", "require-trusted-types-for 'script'", "trusted-types roost"):
                self.check.demand(words in policy, f"/: the content policy has no {words}")
            self.check.same(answer.headers.get("X-Content-Type-Options"), "nosniff", "/: X-Content-Type-Options")


# What the suite does besides the cases, in this order; `--short` leaves out the second half.
PARTS = {"pages": Walk.pages, "keyboard": Walk.keyboard, "latency": Walk.latency, "renewal": Walk.renewal, "tabs": Walk.tabs, "outbox": outbox.run, "entries": entries.run, "backup": backup.run, "first": first.run, "sites": sites.run,
         "stations": stations.run, "records": records.run, "live": livepicture.run, "camera-form": cameraform.run, "dose": dose.run, "update": update.run, "network": network.run, "devices": devices.run, "bad": bad.run, "pins": pins.run, "bus": bus.run, "proof": proof.run,
         "notices": notices.run, "rules": rules.run, "events": events.run, "settings": settings.run, "shown": shown.run, "wrong": wrong.run, "catalogue-small": catalogue.small}
LONG_PARTS = {"catalogue": catalogue.run, "choices": Walk.choices, "copy": Walk.copy, "injection": injection.run, "gaps": gaps.run,
              "restarts": Walk.restarts, "states": states.run}


def chosen_names(options):
    """Cases, parts and states that were asked for, in the order of a whole run."""
    long_parts = {} if options.short else LONG_PARTS
    cases = [name for name in CASES if name != "B-T1"]
    whole = ["B-T1", *PARTS, *cases, *long_parts]
    named = {state.__name__.replace("_", "-") for state in states.STATES}
    unknown = [name for name in options.only or [] if name not in {*CASES, *PARTS, *LONG_PARTS, *named}]
    if unknown:
        raise Failed(f"there is no part {' '.join(unknown)}; there are {', '.join([*whole, *sorted(named)])}")
    if options.small and not options.only:
        return list(SMALL_NAMES), ()
    if not options.only:
        return list(WEBKIT_NAMES) if options.engine == "webkit" else whole, ()
    chosen = [name for name in (*CASES, *PARTS, *LONG_PARTS) if name in options.only]
    return chosen, tuple(named.intersection(options.only))


def perform(walk, names):
    """Each part by itself: what one throws does not keep the next from running."""
    parts = {**PARTS, **LONG_PARTS}
    for name in names:
        if name in CASES:
            walk.case(name)
            continue
        began = time.monotonic()
        try:
            if walk.has_accounts:
                logged_in(walk)
            count = parts[name](walk)
        except Failed as failure:
            walk.check.problems.append(f"{name}: {failure}")
            continue
        how = f"{count} in " if count is not None else ""
        walk.check.say(f"{name}: {how}{time.monotonic() - began:.0f} s")


def run(check, options, library):
    names, state_names = chosen_names(options)
    walk = Walk(check, options, library)
    walk.balcony.wait_for_value()
    walk.heads()
    if walk.has_accounts and "B-T1" not in names:
        walk.case("B-T1")
    perform(walk, names)
    if state_names and "states" not in names:
        states.run(walk, state_names)
    noise = sorted(set(walk.browser.noise))
    if noise:
        check.say(f"not offered by the server: {json.dumps(noise)[:600]}")
    skipped = sum(result.startswith("skipped") for result in walk.results.values())
    where = f"; pictures in {walk.shots}" if options.folder else ""
    return f"{len(walk.results) - skipped} cases, {skipped} skipped{where}"
