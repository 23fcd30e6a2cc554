"""Every text of every page is a text of the catalogue, in each language.

The pages get catalogues whose texts stand between marks, and so do their placeholders. What is in a page and not
between marks was made elsewhere: it has to be a number, a date in the page's language, a unit, or a name that a person
or a device has given. A name that stands alone, and what another program said, is marked `translate="no"` in the page.
Looked at are texts, those of drawings included, the attributes that are read or shown, and the title.
"""

import json
import os
import re
import shutil
import time

from ..check import until
from ..net.stage import Stage, Web
from . import files, gaps, rehearsal
from .dashboard import Dashboard

LANGUAGES = ("de", "it", "es", "fr")
ALONE = ("claim", "login")
START, END, OPEN, SHUT = "\ue000", "\ue001", "\ue002", "\ue003"
# Symbols that are the same in every language, besides the units that the station gives.
SYMBOLS = "B kB MB GB TB m km N cpm µSv/h µSv CSV JSON NDJSON csv ndjson json curl Roost"
# Names are what stands below these keys of an answer.
NAMES = {"name", "id", "device", "source", "channel", "email", "actor", "by", "author", "target", "host", "url", "zone", "version", "profile", "model", "node",
         "identity", "usb", "address", "unit", "quantity", "type", "location", "key", "line", "holder"}
ASKED = ("/station", "/devices", "/channels", "/me", "/members", "/sessions", "/tokens", "/outbox", "/sites?last=72h", "/stations", "/rules", "/profiles", "/pins", "/tree",
         "/alerts", "/surveys", "/notes", "/settings", "/records", "/events?limit=200", "/audit", "/map")
CLICKS_MAX = 30  # Buttons of a page that are pressed.

# What is not between marks, as [place, text]: nodes that are marked as no text of the page are left out.
COLLECT = """
const [START, END, OPEN, SHUT] = ['\\ue000', '\\ue001', '\\ue002', '\\ue003'], found = [];
const left = (text) => {
  const modes = ['made'], parts = [''];
  for (const sign of text) {
    if (sign === START) { modes.push('text'); parts.push(''); } else if (sign === OPEN) { modes.push('made'); parts.push(''); }
    else if (sign === END || sign === SHUT) { modes.pop(); parts.push(''); } else if (modes.at(-1) === 'made') parts[parts.length - 1] += sign;
  }
  return parts.map((part) => part.trim()).filter(Boolean);
};
const add = (place, text) => { for (const part of left(text ?? '')) if (/\\p{L}{2}/u.test(part)) found.push([place, part, text.includes(START)]); };
const isOff = (node) => node.closest('[translate=no], script, style, noscript');
const place = (node) => `${node.tagName.toLowerCase()}.${node.getAttribute('class') ?? ''}`;
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walk.nextNode()) if (!isOff(walk.currentNode.parentElement)) add(place(walk.currentNode.parentElement), walk.currentNode.data);
for (const node of document.querySelectorAll('body *')) {
  for (const name of ['title', 'aria-label', 'aria-valuetext', 'aria-roledescription', 'placeholder', 'alt']) {
    if (node.hasAttribute(name) && !isOff(node)) add(`${place(node)} ${name}`, node.getAttribute(name));
  }
}
add('title', document.title);
const dates = new Set(), locale = document.documentElement.lang === 'en' ? 'en-GB' : document.documentElement.lang;
for (let day = 0; day < 366; day += 1) for (const month of ['long', 'short']) {
  const at = new Date(Date.UTC(2026, 0, 1 + day, 12));
  for (const options of [{ weekday: 'short', day: 'numeric', month, year: 'numeric' }, { weekday: 'long' }, { month, year: 'numeric' }, { month }]) {
    for (const word of new Intl.DateTimeFormat(locale, options).format(at).match(/\\p{L}+/gu) ?? []) dates.add(word);
  }
}
return [found, [...dates], window.shownZone ?? ''];"""


def names_of(value, key=""):
    """The names in an answer."""
    if isinstance(value, dict):
        return {name for member, item in value.items() for name in names_of(item, member) | ({member} if key in ("values", "counts") else set())}
    if isinstance(value, list):
        return {name for item in value for name in names_of(item, key)}
    return {str(value)} if key in NAMES and isinstance(value, str) and value else set()


def marked(check):
    """A copy of the client whose catalogues are marked."""
    folder = check.path("marked-www")
    if os.path.isdir(folder):
        return folder
    shutil.copytree(files.WWW, folder)
    for name in os.listdir(os.path.join(folder, "strings")):
        place = os.path.join(folder, "strings", name)
        with open(place, encoding="utf-8") as file:
            texts = json.load(file)
        texts = {key: START + re.sub(r"\{\w+\}", lambda found: OPEN + found.group() + SHUT, text) + END for key, text in texts.items()}
        with open(place, "w", encoding="utf-8") as file:
            json.dump(texts, file)
    return folder


class Reader:
    """Walks the pages of one dashboard, and keeps what is no text of the catalogue."""

    def __init__(self, walk, address):
        self.walk, self.browser, self.address = walk, walk.browser, address
        self.found, self.count, self.names = {}, 0, set()

    def learn(self):
        """The names that the station gives."""
        for path in ASKED:
            status, content = self.browser.ask("GET", path)
            if status == 200:
                self.names |= names_of(content)
        self.names |= names_of(rehearsal.answers()) | {part for name in self.names for part in re.split(r"[/:]", name)}
        self.names |= {name.replace("_", " ") for name in self.names}

    def foreign(self, text, dates, is_mixed):
        """What of a text no name, date or symbol explains."""
        if is_mixed or text in self.names:
            for name in sorted(self.names, key=len, reverse=True):
                if len(name) > 1:
                    text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", text)
        units = {part for name in self.names for part in [name] if len(name) < 8}
        words = re.findall(r"[^\W\d_][\w./³²₂-]*", text)
        known = {*dates, *SYMBOLS.split(), *units, "GMT", "UTC", "CET", "CEST", "MEZ", "MESZ"}
        return [word for word in words if word not in known and word.rstrip(".") not in known and len(word) > 1]

    def look(self, where):
        found, dates, _ = self.browser.script(COLLECT)
        self.count += 1
        for place, text, is_mixed in found:
            if "aria-label" in place or "title" in place or place.startswith("option"):
                is_mixed = True
            if self.foreign(text, dates, is_mixed):
                self.found.setdefault(f"{place}: {text[:90]!r}", where)

    def pages(self, who, language, presses):
        browser = self.browser
        for path, name in files.pages():
            if name in ALONE:
                continue
            where = f"{path}, {who}, {language}"
            browser.open(path)
            self.look(where)
            # What is opened may have more to open.
            for _ in range(2):
                browser.script("for (const one of document.querySelectorAll('main details')) one.open = true;")
                time.sleep(0.1)
            self.look(where)
            if presses:
                self.press(path, where)

    def press(self, path, where):
        """Presses each button of the page, looks at what comes of it, and closes what it opened."""
        browser, number = self.browser, 0
        while number < CLICKS_MAX:
            pressed = browser.script(
                """const all = [...document.querySelectorAll('main button')].filter((one) => !one.disabled && one.checkVisibility());
                const one = all[arguments[0]]; one?.click(); return Boolean(one);""", number)
            if not pressed:
                return
            number += 1
            time.sleep(0.15)
            self.look(f"{where}, button {number}")
            # Once more in a dialog: what a form says of an empty or refused request.
            if browser.script("const one = [...document.querySelectorAll('dialog button.first, dialog form button')].at(-1); one?.click(); return Boolean(one);"):
                time.sleep(0.15)
                self.look(f"{where}, dialog of button {number}")
            browser.script("for (const one of document.querySelectorAll('dialog')) one.close();")
            if browser.script("return location.pathname") != path or "change=" in browser.path:
                browser.open(path)


def report(walk, reader, what):
    for text, where in sorted(reader.found.items()):
        walk.check.say(f"no text of the catalogue: {text} ({where})")
    walk.check.same(len(reader.found), 0, f"texts of {what} outside the catalogue")
    return reader.count


def add_scripts(walk):
    return [walk.browser.command("Page.addScriptToEvaluateOnNewDocument", source=rehearsal.script())["identifier"]]


def visit(walk, reader, rounds, also=None):
    """Each round: who, language, whether answers are rehearsed, whether buttons are pressed."""
    browser, before = walk.browser, walk.browser.address
    scripts = add_scripts(walk)
    browser.address = reader.address
    browser.view(360)
    proof = Reader(walk, reader.address)
    browser.driver.get(reader.address + "/trust")
    browser.ready()
    browser.script("document.body.append('Something in English'); document.querySelector('main').title = `${arguments[0]}text ${arguments[1]}oddity${arguments[2]}${arguments[3]} afterwards`;",
                   START, OPEN, SHUT, END)
    proof.learn()
    proof.look("/trust")
    walk.check.same(len(proof.found), 3, "texts that were put beside the catalogue are found")
    try:
        for who, language, is_rehearsed, presses, enter in rounds:
            browser.driver.get(reader.address + "/trust")
            browser.script("sessionStorage.setItem('rehearsal', arguments[0])", "on" if is_rehearsed else "off")
            enter(who)
            browser.language(language)
            browser.open("/trust")
            reader.learn()
            if who is None:
                for path in ("/login", "/trust"):
                    browser.open(path)
                    reader.look(f"{path}, a stranger, {language}")
                continue
            reader.pages(who, language, presses)
            if also:
                also(walk, reader)
    finally:
        for script in scripts:
            browser.command("Page.removeScriptToEvaluateOnNewDocument", identifier=script)
        browser.language("en")
        browser.messages()
        browser.address = before


def small(walk):
    """Each page once in one language, with answers in which everything stands."""
    dashboard = Dashboard(walk.check, walk.balcony.station, "--open", "--www", marked(walk.check))
    dashboard.start()
    reader = Reader(walk, dashboard.address)
    visit(walk, reader, [("owner", "de", True, False, lambda _: None)])
    dashboard.close()
    return report(walk, reader, "a page")


def causes(walk, reader):
    """Each cause of a gap on a card without its station, by the sheet that a tap opens."""
    for cause, (channel, first, seconds) in gaps.longest(walk.browser).items():
        margin = max(seconds, 30)
        query = f"channel={channel}&from={gaps.rfc3339(first - margin)}&to={gaps.rfc3339(first + seconds + margin)}"
        walk.browser.open(f"/history?{query}")
        opened = walk.browser.script("const one = document.querySelector('.gaps button'); one?.click(); return Boolean(one);")
        if opened and until(lambda: walk.browser.script("return document.querySelectorAll('dialog .page > *').length > 1"), 5, 0.05):
            reader.look(f"the sheet of {cause}, {walk.browser.path}")


def card(walk):
    """The pages of a card without its station, and why its gaps are."""
    store = gaps.planted(walk.check)
    web = Web(walk.check, "--store", store, "--name", "card", "--open")
    web.www = marked(walk.check)
    web.start()
    reader = Reader(walk, f"http://127.0.0.1:{web.port}")
    visit(walk, reader, [("owner", "es", False, False, lambda _: None)], causes)
    web.close()
    shutil.rmtree(store)
    return report(walk, reader, "a card's page")


def run(walk):
    """Each page for each role and language, as a whole station answers and with answers in which everything stands."""
    check, browser = walk.check, walk.browser
    stage = Stage(check)
    stage.web.www = marked(check)
    stage.start()
    address = f"http://127.0.0.1:{stage.web.port}"
    reader = Reader(walk, address)

    def enter(who):
        browser.forget()
        if who:
            name, _, value = stage.web.cookies[who].partition("=")
            browser.driver.execute_cdp_cmd("Network.setCookie", {"name": name, "value": value, "url": address, "httpOnly": True})

    # What buttons show has the same marks in every language: they are pressed in one.
    rounds = [("owner", language, is_rehearsed, is_rehearsed and language == "de", enter) for language in LANGUAGES for is_rehearsed in (False, True)]
    rounds += [("viewer", "de", True, True, enter), (None, "de", False, False, enter)]
    visit(walk, reader, rounds)
    browser.forget()
    return report(walk, reader, "a page") + card(walk)
