"""Texts that have broken other programs, in notes and names: the page shows them, and runs none."""

from ..check import until
from .cases import logged_in
from .dashboard import OWNER

TEXTS = (
    "<script>window.wasHit = 1</script>", "<img src=x onerror=window.wasHit=1>", "\"><svg onload=window.wasHit=1>",
    "javascript:window.wasHit=1", "'-window.wasHit=1-'", "</title><script>window.wasHit=1</script>", "<!--", "]]>",
    "&lt;script&gt;", "{{7*7}}", "${window.wasHit=1}", "<%= 7*7 %>", "<style>@import\"//x\"</style>",
    "<base href=//evil.example>", "<iframe srcdoc='<script>parent.wasHit=1</script>'>",
    "<math><mi xlink:href=javascript:window.wasHit=1>", "<a href=\"http://evil.example\">x</a>",
    "data:text/html,<script>x</script>", "__proto__", "{name}", "%00", "\u202eexe.nnA", "Z͑ͫ̓ͪ̂ͫ̽a̴l̶g̷o̸", "👩‍👩‍👧‍👦 日本語 العربية",
    "A" * 180,
)
PAGES = ("/", "/surveys", "/events?severity=info", "/history", "/account", "/more")


def run(walk):
    """Every text as a note, as the owner's name and place, as a survey; returns how many were taken."""
    logged_in(walk)
    browser, check, taken = walk.browser, walk.check, []
    for text in TEXTS:
        status, answer = browser.ask("POST", "/notes", {"text": text})
        check.demand(status in (204, 400), f"a note {text!r}: status {status}, {answer}")
        if status == 204:
            taken.append(text)
    for text in TEXTS:
        for change in ({"name": text}, {"location": text}):
            status, answer = browser.ask("PATCH", "/me", change)
            check.demand(status in (200, 204, 400), f"{change}: status {status}, {answer}")
        if text in (TEXTS[0], TEXTS[-1]):
            look(walk, text)
    for text in TEXTS[:3]:
        browser.ask("POST", "/mode", {"mode": "survey", "name": text})
        look(walk, text)
    browser.ask("POST", "/mode", {"mode": "live", "seconds": 7200})
    browser.ask("PATCH", "/me", {"name": OWNER["name"], "location": ""})
    browser.open("/surveys")
    missing = [text for text in taken
               if not until(lambda wanted=text: has(browser, wanted), 1, 0.1)]
    check.same(missing, [], "notes that the page does not show letter by letter")
    check.demand(len(taken) >= 20, f"only {len(taken)} of {len(TEXTS)} notes are taken")
    check.say(f"injection: {len(taken)} of {len(TEXTS)} texts taken as notes, none was run")
    return len(taken)


def has(browser, text):
    return browser.script(
        "return document.querySelector('main').textContent.includes(arguments[0])", " ".join(text.split()))


def look(walk, text):
    """All pages with what is stored by now: nothing runs, nothing is wider."""
    browser, check = walk.browser, walk.check
    browser.view(360)
    for path in PAGES:
        browser.open(path)  # An open dialog of the browser would raise here.
        where = f"{path} with {text[:30]!r}"
        check.demand(browser.script("return window.wasHit === undefined"), f"{where}: a text was run")
        check.same(browser.reports(), [], f"{where}: reports of the content policy")
        check.same(browser.wider(), [], f"{where}: parts wider than the screen")
        check.same(browser.messages(), [], f"{where}: console messages")
