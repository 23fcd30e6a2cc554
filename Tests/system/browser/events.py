"""The page Events: what is one entry, what it says and hides, its filters, and a day of ten thousand events.

The answers are made here and are cut as the station cuts them, because no station has a day of each kind at hand.
"""

import json
import re
from datetime import datetime, timezone

from ..check import until
from . import rehearsal

DAY = 1_775_606_400  # 2026-04-08, midnight in UTC.
SIZES = (320, 360, 768, 1280, 1920)
SEVERITIES = ("debug", "info", "notice", "warning", "error")

ANSWER = """(() => {
  const all = %s, severities = %s, real = window.fetch.bind(window), places = new Map(all.map((event, place) => [event.id, place]));
  window.fetch = async (url, options) => {
    const { pathname, searchParams: query } = new URL(url, location.href);
    if (pathname !== '/api/v1/events' || sessionStorage.getItem('events') !== 'on') return real(url, options);
    // As little work as can be: the page is timed with it.
    const [kinds, without] = ['kind', 'without'].map((name) => new Set(query.getAll(name))), source = query.get('source'), limit = Number(query.get('limit') ?? 100);
    const least = severities.indexOf(query.get('severity')), cursor = query.get('cursor'), page = [];
    for (let at = cursor ? places.get(cursor) + 1 : 0; at < all.length && page.length <= limit; at += 1) {
      const event = all[at];
      if ((!kinds.size || kinds.has(event.kind)) && !without.has(event.kind) && (!source || event.source === source) && severities.indexOf(event.severity) >= least) page.push(event);
    }
    const next = page.length > limit ? page[limit - 1].id : null;
    return new Response(JSON.stringify({ items: page.slice(0, limit), next }), { headers: { 'Content-Type': 'application/json' } });
  };
})();"""

# The modules by themselves: entries as [sentence, phase, parts, topic, whether they are small].
GROUP = """const [events, done] = arguments, base = document.querySelector('script[src]').src.replace(/roost\\.js$/, '');
(async () => {
  const i18n = await import(base + 'i18n.js'), groups = await import(base + 'eventgroups.js');
  await (window.ready ??= i18n.loadLanguage().then(() => i18n.loadMore('facts')));
  const work = groups.grouping(events);
  let step = work.next();
  while (!step.done) step = work.next();
  done(step.value.map((one) => [groups.partSentence(one) + (one.parts.length > 1 ? ` · ${i18n.plural('events.times', one.parts.length)}` : ''), one.phase, one.parts.length, one.topic, one.isSmall]));
})().catch((problem) => done(String(problem)));"""


def event(seconds, kind, severity="info", source="dust", /, **details):
    """An event so many seconds after the midnight of the day."""
    time = f"{datetime.fromtimestamp(DAY + seconds, timezone.utc):%Y-%m-%dT%H:%M:%SZ}"
    return {"id": f"0-{seconds}000000000-{kind}", "time": time, "isSure": True, "bootID": "0", "instantSeconds": seconds, "source": source, "kind": kind,
            "severity": severity, "details": details}


def alert(seconds, change, severity, /, **details):
    return event(seconds, f"alert {change}", severity, "alerts", key="who-24h:dust/pm25", **details)


RAISED = {"n": 7, "kind": "mean", "level": "1", "value": "16.2", "unit": "µg/m³", "limit": 15, "overSeconds": 86400, "severity": "warning"}
# Oldest first: the events of a case, and its entries, newest first.
CASES = {
    "a beginning and its end": (
        [event(60, "sensor not answering", "error"), event(2100, "sensor answering again", "notice", afterSeconds=2040)],
        [["The sensor “dust” did not answer for 34 min", "over", 1, "sensors", False]]),
    "an end alone": ([event(2100, "sensor answering again", "notice", afterSeconds=2040)], [["The sensor “dust” answers again after 34 min", "over", 1, "sensors", False]]),
    "a beginning alone": ([event(60, "sensor not answering", "error", reason="nothing came from ttyUSB0")], [["The sensor “dust” does not answer", "began", 1, "sensors", False]]),
    "two ends of one beginning": (
        [event(60, "device away", "warning"), event(70, "device unusable", "warning"), event(180, "device back", "notice")],
        [["“dust” was unplugged for 2 min", "over", 1, "sensors", False]]),
    "other devices": (
        [event(60, "device away", "warning", "a"), event(70, "device away", "warning", "b"), event(180, "device back", "notice", "a")],
        [["“a” was unplugged for 2 min", "over", 1, "sensors", False], ["“b” was unplugged", "began", 1, "sensors", False]]),
    "an alert begins": ([alert(60, "raised", "warning", **RAISED)], [["PM2.5 of “dust” is too high: 16.2 µg/m³, mean of 24 h, limit 15", "began", 1, "air", False]]),
    "a test of a rule": ([event(60, "alert raised", "warning", "alerts", **RAISED, key="dust-high:test", flags="test to:phone")], [["A test notice of “dust-high” went out", None, 1, "station", False]]),
    "an alert gets worse": (
        [alert(60, "raised", "warning", **RAISED), alert(120, "level", "error", **{"raise": 7}, level="2", was="1", value="40")],
        [["PM2.5 of “dust” got worse: 40 µg/m³, mean of 24 h", "worse", 1, "air", False]]),
    "an alert ends": (
        [alert(60, "raised", "warning", **RAISED), alert(3660, "resolved", "notice", why="over", lastedSeconds=3600, worst=19.4)],
        [["PM2.5 of “dust” was too high for 1 h; the worst was 19.4 µg/m³", "over", 1, "air", False]]),
    "visits at a door": (
        [one for start in (0, 60, 120, 6000) for one in (event(start, "motion", source="door"), event(start + 5, "motion ended", source="door", seconds=5))],
        [["“door” saw motion for 5 s", "over", 1, "door", True], ["“door” saw motion for 15 s · 3 times", "over", 3, "door", True]]),
    "notes": ([event(60, "note", "notice", "control", author="Ada", text="a"), event(90, "note", "notice", "control", author="Ada", text="b")],
              [["Ada wrote a note", None, 1, "air", False]] * 2),
    "a name from right to left": ([event(60, "motion", source="\u05d1\u05d9\u05ea")], [["“\u2068\u05d1\u05d9\u05ea\u2069” saw a motion", "began", 1, "door", True]]),
    "a device after a start": ([event(60, "device back", "notice", profile="sds011")], [["“dust” is back", "over", 1, "sensors", True]]),
    "a kind of another version": ([event(60, "sky turned green", "notice")], [["sky turned green", None, 1, "station", False]]),
}


def many():
    """Ten thousand events of one day, newest first: a door, and things that each happen often."""
    found = []
    for number in range(4_000):
        start = number * 21
        found += [event(start, "motion", source="door"), event(start + 4, "motion ended", source="door", seconds=4, pulseCount=1)]
    for number in range(500):
        start = number * 170
        found += [event(start + 1, "sensor not answering", "error", reason="no reply"), event(start + 2, "remedy tried", "notice", remedy="reopen"),
                  event(start + 40, "sensor answering again", "notice", afterSeconds=39), event(start + 50, "outbox refused", "notice", "courier", target=f"target{number % 40}")]
    return sorted(found, key=lambda one: -one["instantSeconds"])


def day():
    """A day with one of each case, newest first."""
    found = [one for number, (events, _) in enumerate(CASES.values()) for one in
             ({**event(one["instantSeconds"] + number * 7000, one["kind"], one["severity"], one["source"]), "details": one["details"]} for one in events)]
    return sorted(found, key=lambda one: -one["instantSeconds"])


# Presses the button for earlier events, if there are any.
EARLIER = """const one = [...document.querySelectorAll('.eventlist > .row button')].find((one) => one.checkVisibility());
if (one && !one.disabled) one.click();
return Boolean(one);"""


def groups(walk):
    browser, check = walk.browser, walk.check
    browser.open("/trust")
    for name, (events, wanted) in CASES.items():
        check.same(browser.driver.execute_async_script(GROUP, events[::-1]), wanted, f"events, {name}")
    # Each kind has a sentence with a verb, alone and with its end; nothing of a placeholder is left.
    found = browser.driver.execute_async_script(GROUP, rehearsal.events())
    bare = [words for words, *_ in found if re.search(r"[{}\[\]–]|\w[a-z]+[A-Z]\w+Seconds", words) or len(words.split()) < 3]
    check.same([words for words in bare if "–" not in words or "lasted" in words], [], "sentences of events that are none")
    return len(CASES) + len(found)


def page(walk):
    browser, check = walk.browser, walk.check
    rows = "return [...document.querySelectorAll('.events > .list > li')].map((one) => one.querySelector('summary, .line').textContent)"
    browser.open("/events")
    check.demand(until(lambda: len(browser.script(rows)) > 5, 10), f"events: {browser.text()[:300]}")
    whole = browser.script(rows)
    check.demand(any(re.search(r"small ones: .*motions", words) for words in whole), f"the small ones are not folded: {whole}")
    check.demand(not any("saw motion" in words for words in whole), "motions stand among the others")
    browser.script("for (const one of document.querySelectorAll('.events details')) one.open = true;")
    check.demand(browser.shows("“door” saw motion", 5), "the small ones do not open")
    check.demand(browser.shows("in its own words", 5), "no words of others behind an entry")
    raw = re.findall(r"\b[a-z]+(?:[A-Z][a-z]+)+\b", browser.text(".events"))
    check.same(raw, [], "names of details on the page")
    browser.press("Door")
    check.demand(until(lambda: "about=door" in browser.script("return location.search") and browser.shows("3 times", 5), 5), f"the door: {browser.text()[:300]}")
    check.demand(until(lambda: all("motion" in words for words in browser.script(rows)), 5), f"more than the door: {browser.script(rows)}")
    browser.press("All")
    check.demand(until(lambda: len(browser.script(rows)) == len(whole), 5), "all again")
    browser.script("const one = document.querySelector('input[type=search]'); one.value = 'ADA'; one.dispatchEvent(new Event('input'));")
    check.demand(until(lambda: len(browser.script(rows)) == 2 and "note" in browser.script(rows)[0], 5), f"a search for Ada: {browser.script(rows)}")
    browser.script("const one = document.querySelector('input[type=search]'); one.value = 'nowhere'; one.dispatchEvent(new Event('input'));")
    check.demand(browser.shows("fits the filter", 5), "a search without an entry says nothing")
    for size in SIZES:
        browser.view(size)
        browser.open("/events")
        check.demand(until(lambda: len(browser.script(rows)) == len(whole), 10), f"events at {size} px")
        browser.script("for (const one of document.querySelectorAll('.events details')) one.open = true;")
        check.same(browser.wider(), [], f"events at {size} px, wider than the page")
    browser.view(360)
    check.same(browser.findings(), [], "events, axe")
    return len(SIZES) + 8


def filled(browser, events):
    """Has each page get these events; the result ends that."""
    source = ANSWER % (json.dumps(events), json.dumps(SEVERITIES))
    script = browser.command("Page.addScriptToEvaluateOnNewDocument", source=source)["identifier"]
    browser.open("/trust")
    browser.script("sessionStorage.setItem('events', 'on')")

    def end():
        browser.script("sessionStorage.removeItem('events')")
        browser.command("Page.removeScriptToEvaluateOnNewDocument", identifier=script)
    return end


def now(walk):
    """The first page joins what is over, and leaves out what is small."""
    browser, check = walk.browser, walk.check
    silent, away = (CASES[name][0] for name in ("a beginning and its end", "other devices"))
    late = [event(9600, "outbox late", "warning", "courier", target="map"), event(10140, "outbox in time", "notice", "courier", target="map")]
    end = filled(browser, [*late[::-1], *away[::-1], *silent[::-1], event(30, "clock trusted", "notice", cause="ntp"), event(20, "courier started", "info", "courier")])
    browser.open("/")
    rows = "return [...document.querySelectorAll('.happened li')].map((one) => [one.querySelector('.mark').classList[2] ?? one.querySelector('.mark').classList[1], one.lastElementChild.textContent])"
    wanted = [["good", "“map” did not get its values for 9 min"], ["good", "“a” was unplugged for 2 min"], ["moderate", "“b” was unplugged"], ["good", "The sensor “dust” did not answer for 34 min"]]
    check.demand(until(lambda: browser.script(rows) == wanted, 15), f"what happened in a day: {browser.script(rows)}")
    end()
    return len(wanted)


def crowd(walk):
    """Ten thousand events: the page has few rows of them, and all are in these."""
    browser, check = walk.browser, walk.check
    end = filled(browser, many())
    browser.open("/events?about=door")
    check.demand(until(lambda: not browser.script(EARLIER), 60, 0.05), "the page does not come to the end of a day")
    check.demand(until(lambda: "4,000 times" in browser.text(".events") or browser.script("return document.querySelectorAll('.events > .list > li').length") in range(1, 60), 10),
                 "a day at the door has more than 60 rows")
    browser.open("/events")
    check.demand(browser.shows("did not answer", 10), f"ten thousand: {browser.text()[:300]}")
    count = browser.script("return document.querySelectorAll('.events > .list > li').length")
    check.demand(count < 60, f"{count} rows at first")
    end()
    return 3


def run(walk):
    browser = walk.browser
    browser.view(360)
    count = groups(walk)
    end = filled(browser, day())
    count += page(walk)
    end()
    count += now(walk) + crowd(walk)
    walk.check.same(browser.messages(), [], "events: console messages")
    return count
