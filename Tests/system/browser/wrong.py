"""Wrong values in the fields of the forms: each is named at its field, in the person's language, and nothing is saved.

The page is German. Each field gets each value that it may not take, the others what is right; a value that a person could
not type comes as a script or a paste would bring it. Asked before and after is all that the forms could have changed.
"""

import glob
import json
import os

from ..check import Failed, until
from ..courier import Courier
from . import files
from .cases import logged_in
from .states import Stage

LANGUAGE = "de"
SAYS_SECONDS = 10
PASSWORD = "zq-password-x7k2"
CONTROL, MARKS = "a\u0007b", "a\u202eb\u202c"
# Sets a value that typing would not give: too long for the field, or with characters that have no key.
PUT = """const [field, value] = arguments, own = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value');
if (own) own.set.call(field, value); else field.value = value;
for (const kind of ['input', 'change']) field.dispatchEvent(new Event(kind, { bubbles: true }));"""
SUBMIT = """arguments[0].closest('form').querySelector('button[type=submit]').click();"""
# The sentence at a field, and the words of its program beside it, which are marked as no text of the page.
SAID = """const field = arguments[0], id = field.getAttribute('aria-describedby')?.split(' ').at(-1);
return [field.getAttribute('aria-invalid') === 'true', document.getElementById(id)?.innerText ?? ''];"""


class Wrong:
    """A form: how it is opened, the values that are right, and those of each field that are not."""

    def __init__(self, path, presses, right, wrong):
        self.path, self.presses, self.right, self.wrong = path, presses, right, wrong


def words():
    """The German texts of the pages by their keys."""
    found = {}
    for path in sorted(glob.glob(os.path.join(files.WWW, "strings", "**", f"*{LANGUAGE}.json"), recursive=True)):
        with open(path, encoding="utf-8") as file:
            found |= json.load(file)
    return found


def address_with_password(scheme="http"):
    return f"{scheme}://anna:{PASSWORD}@192.168.1.20/"


def open_forms(t):
    """Those of a station whose page needs no account."""
    server, station = t["entry.url"], t["setting.title"]
    name, limit, lasting = t["rules.name"], t["rules.limit"], t["rules.for"]
    device, place = t["devices.id"], t["devices.field.address"]
    entry = t["entry.id"]
    names = ["", ".", "/", "x" * 65, CONTROL, MARKS]
    ids = ["", "Ä", "x" * 33, "a b", CONTROL, MARKS]
    web = ["", "x", "ftp://192.168.1.20/", "http://", "http://a b/", CONTROL]
    return [
        Wrong("/settings", [], {}, {station: ["x" * 65, CONTROL],
              t["setting.position"]: ["Norden", "91, 0", "46.1", "46,1; 9,8", "46.1, 9.8, 3", CONTROL, "x" * 65]}),
        Wrong("/alerts", [t["rules.add"]], {name: "staubig", limit: "90", lasting: "5"},
              {name: names, limit: ["", "e"], lasting: ["-1", "1e", "99999999"]}),
        Wrong("/devices", [t["devices.http.add"]], {device: "hof", place: "192.168.1.20:3000"},
              {device: names, place: [one for one in (*web, address_with_password()) if one != "x"]}),
        Wrong("/devices", [t["devices.change"]], {}, {t["devices.name"]: ["x" * 65, CONTROL]}),
        Wrong("/outbox?add=influx2", [t["entry.more"]], {
            entry: "haus", server: "http://192.168.1.5:8086", t["entry.org"]: "haus", t["entry.bucket"]: "luft",
            t["entry.token"]: PASSWORD},
            {entry: ids, server: [*web, address_with_password()], t["entry.org"]: ["", CONTROL], t["entry.bucket"]: ["", CONTROL],
             t["entry.timeoutSeconds"]: ["0", "601", "1e", "-5"], t["entry.streams"]: ["staub"]}),
        Wrong("/alerts?add=ntfy", [t["entry.more"]], {entry: "telefon"},
              {entry: ids, t["entry.waitSeconds"]: ["-1", "3601", "1e"]}),
    ]


def account_forms(t):
    """Those of a person."""
    present, new = t["account.presentPassword"], t["account.newPassword"]
    good = "nine silver spoons"
    return [
        Wrong("/account", [], {}, {t["account.name"]: ["", " ", "x" * 65, CONTROL], t["account.email"]: ["", "anna", "@", "a@b@c", "x" * 255],
                                   t["account.location"]: ["x" * 129, CONTROL]}),
        Wrong("/account", [], {present: "not it at all", new: good}, {present: ["", "wrong one here"]}),
        Wrong("/account", [], {present: good, new: good}, {new: ["", "short"]}),
        Wrong("/account", [t["account.token.add"]], {}, {t["account.tokenName"]: ["", " ", "x" * 65, CONTROL]}),
    ]


class Forms:
    """The forms of one station, and what they could change."""

    def __init__(self, walk, t, asked):
        self.browser, self.check, self.t, self.asked, self.count = walk.browser, walk.check, t, asked, 0
        # Sentences of the page: what stands before the first value in each text.
        self.sentences = {text.split("{")[0].strip() for text in t.values() if len(text.split("{")[0].strip()) > 5}

    def content(self):
        """What the API says, without what moves by itself."""
        found = {}
        for path, part in self.asked.items():
            status, answer = self.browser.ask("GET", path)
            if status != 200:
                raise Failed(f"wrong: GET {path} is {status}")
            found[path] = part(answer)
        return found

    def put(self, label, value):
        field = self.browser.labelled(label)
        if field.get_attribute("type") == "number":
            field.clear()
            field.send_keys(value)
        else:
            self.browser.script(PUT, field, value)
        return field

    def shown(self, form):
        self.browser.open(form.path)
        for press in form.presses:
            self.browser.shows(press, selector="main")
            self.browser.press(press)

    def hold(self, form):
        before = self.content()
        for label, values in form.wrong.items():
            for value in values:
                self.one(form, label, value)
        self.check.same(self.content(), before, f"wrong: what the form of {form.path} changes")

    def one(self, form, label, value):
        """One wrong value in a form that is right otherwise."""
        browser, where = self.browser, f"wrong: {form.path}, {label}: {value[:40]!r}"
        self.count += 1
        try:
            self.shown(form)
            for other, right in form.right.items():
                if other != label:
                    self.put(other, right)
            field = self.put(label, value)
        except Failed as failure:
            self.check.demand(False, f"{where}: {failure}")
            return
        browser.script(SUBMIT, field)
        said = until(lambda: (found := self.said(field)) and found[0] and found[1] and found, SAYS_SECONDS, 0.05)
        if not self.check.demand(said, f"{where} is not named at its field: {browser.text('form .wrong')!r} {browser.text()[-300:]!r}"):
            return
        self.check.demand(any(said[1].startswith(one) for one in self.sentences), f"{where}: the sentence is not German: {said[1]!r}")
        self.check.demand(PASSWORD not in browser.text("body"), f"{where}: a password is on the page: {browser.text()[-300:]!r}")

    def said(self, field):
        try:
            return self.browser.script(SAID, field)
        except Exception:  # The form is gone: it was saved.
            return None


def ids(key):
    return lambda answer: sorted(one["id"] for one in answer[key])


OPEN = {"/settings": lambda answer: answer["values"], "/rules": lambda answer: sorted(one["id"] for one in answer["alerts"]),
        "/devices": lambda answer: sorted((one["name"], one.get("title")) for one in answer["devices"]),
        "/outbox": lambda answer: [sorted(one["id"] for one in answer[key]) for key in ("targets", "receivers", "leftOut")]}
ACCOUNT = {"/me": lambda answer: {key: answer.get(key) for key in ("name", "email", "location")},
           "/tokens": lambda answer: len(answer.get("tokens", answer.get("items", [])))}


def run(walk):
    browser, address, t = walk.browser, walk.browser.address, words()
    browser.view(360)
    browser.language(LANGUAGE)
    own = Forms(walk, t, ACCOUNT)
    one, courier = None, None
    try:
        for form in account_forms(t):
            own.hold(form)
        one = Stage(walk, "wrong", {"dust": ()}, words=("--courier", walk.check.path("wrong", "courier.sock")),
                    store={"folder": walk.check.path("wrong-store")})
        courier = Courier(walk.check, one.station)
        courier.start()
        one.station.trust_clock()
        browser.address = one.dashboard.address
        browser.open("/")
        browser.language(LANGUAGE)
        forms = Forms(walk, t, OPEN)
        for form in open_forms(t):
            forms.hold(form)
        own.count += forms.count
    finally:
        browser.language("en")
        browser.address = address
        for part in (courier, one):
            if part:
                part.close()
    browser.open("/")
    browser.language("en")
    logged_in(walk)
    browser.messages()
    return own.count
