"""The page Sites: regions, a reference station, the own position, what was measured around it, and nothing at all.

Two simulated SDS011, roostd, roost-courier with two feeds from servers of the check, and a dashboard without accounts.
"""

import datetime
import os
import signal
import time

from ..check import until
from ..courier import Courier
from ..servers.feeds import REGIONS, AirServices
from . import tiles
from .outbox import look
from .states import Stage

POSITION = "1.3000, 103.8000"
# Forty places more, the first where the station is, and one 500 km to the east.
CROWD = """const real = window.fetch.bind(window);
window.fetch = async (url, options) => {
  const answer = await real(url, options);
  if (!String(url).includes('/api/v1/sites')) return answer;
  const found = await answer.json(), site = { ...found.items.find((one) => one.kind === 'region'), values: [] };
  for (let n = 0; n < 40; n += 1) found.items.push({ ...site, name: `Station ${n + 1}`, latitude: 1.3 + Math.sin(n * 7) * n / 200, longitude: 103.8 + Math.cos(n * 7) * n / 200 });
  found.items.push({ ...site, name: 'Far', latitude: 1.3, longitude: 103.8 + 4.498 });
  return new Response(JSON.stringify(found), { headers: { 'Content-Type': 'application/json' } });
};"""
OPTIONS = "return [...document.querySelectorAll('.tools option')].map((one) => one.textContent)"
CHOOSE = """const option = [...document.querySelectorAll('.tools option')].find((one) => one.textContent.includes(arguments[0]));
if (!option) return false;
option.parentNode.value = option.value;
option.parentNode.dispatchEvent(new Event('change'));
return true;"""
COVERED = """const all = [...document.querySelectorAll('.sitemap text')].map((one) => [one.textContent, one.getBoundingClientRect()]);
return all.flatMap(([name, a], index) => all.slice(index + 1).filter(([, b]) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3)
  .map(([other]) => `${name} / ${other}`));"""


def stage(walk):
    check = walk.check
    found = Stage(walk, "sites", {"dust": (), "roof": ("--air", "20.0/31.0")}, words=("--courier", check.path("sites", "courier.sock")),
                  store={"folder": check.path("sites-store")})
    found.services = AirServices(check)
    address = found.services.address
    found.courier = Courier(check, found.station, feeds=[
        {"id": "sg", "type": "data.gov.sg", "url": address, "local": True},
        {"id": "mi", "type": "arpa-lombardia", "url": address, "local": True, "sensors": {"10273": "pm10"}}])
    trusted = until(lambda: found.station.roost("clock", "trust").returncode == 0, 30)
    check.demand(trusted, "sites: the clock cannot be trusted")
    return found


def sites(browser):
    status, content = browser.ask("GET", "/sites?last=10d")
    return content["items"] if status == 200 else []


def newest_of(browser, name, quantity):
    """The newest value of a site."""
    return max((value["value"] for site in sites(browser) if site["name"] == name for value in site["values"]
                if value["quantity"] == quantity), default=0)


def regions(walk, one):
    """Each region has its own values: the north's are nobody else's."""
    browser, check = walk.browser, walk.check
    newest = {site["name"]: {value["quantity"]: value["value"] for value in site["values"]}
              for site in sites(browser) if site["kind"] == "region"}
    check.same(set(newest), {*REGIONS, "national"}, "regions")
    base = newest["west"]["pm25"] - REGIONS["west"]
    for name, value in REGIONS.items():
        check.same(newest[name]["pm25"], base + value, f"PM2.5 of {name}")
        if name != "east":
            check.same(newest[name]["psi-24h"], base + value, f"PSI of {name}")
    check.demand("pm25" not in newest["national"], f"national has a PM2.5: {newest['national']}")
    browser.open("/sites")
    check.demand(browser.shows("west", 10) and browser.shows("Milano Pascal", 5), f"the page: {browser.text()[:600]}")
    browser.script("""[...document.querySelectorAll('main button')]
        .find((one) => one.getAttribute('aria-label') === 'All values of west').click();""")
    seen = browser.shows(f"{newest['west']['pm25']:.0f}", 5, "dialog") and browser.shows("Singapore's index", 5, "dialog") \
        and browser.shows("Coarser dust on the scale of the PSI", 5, "dialog")
    check.demand(seen, f"the sheet of the west: {browser.text('dialog')[:400]}")
    if walk.shots:
        browser.driver.save_screenshot(os.path.join(walk.shots, "sites-region-360-light-en.png"))
    check.same(browser.findings(), [], "the sheet: findings of axe")
    browser.script("document.querySelector('dialog summary').click()")
    check.demand(until(lambda: "Singapore's index" not in browser.text("dialog"), 5), "What do these values mean? hides nothing")
    browser.press("Close", "dialog")
    browser.open("/sites")
    browser.script("""[...document.querySelectorAll('main button')]
        .find((one) => one.getAttribute('aria-label') === 'All values of west').click();""")
    check.demand("Singapore's index" not in browser.text("dialog"), "hidden words are there again after loading")
    browser.press("Close", "dialog")
    own_times(walk)
    one.services.shift = 100
    one.courier.process.send_signal(signal.SIGHUP)
    # An hour, or Singapore's day, may begin meanwhile: the values of hours differ by 23 at most.
    is_corrected = until(lambda: newest_of(browser, "west", "pm25") > newest["west"]["pm25"] + 50, 40)
    check.demand(is_corrected, f"the correction does not count: {newest_of(browser, 'west', 'pm25')}")
    check.demand(any(value["correctionCount"] for site in sites(browser) for value in site["values"]), "a correction is not counted")



def own_times(walk):
    """A value of another hour than the newest has its own time beside it, on a phone and on a wide screen."""
    browser, check = walk.browser, walk.check
    browser.script("localStorage.removeItem('roost.sitehints');")
    for width in (1280, 360):
        browser.view(width)
        browser.open("/sites")
        browser.script("""[...document.querySelectorAll('main button')]
            .find((one) => one.getAttribute('aria-label') === 'All values of east').click();""")
        check.demand(browser.shows("PSI sub-index", 5, "dialog") or browser.shows("PM10 sub-index", 5, "dialog"), "the sheet of the east")
        times = browser.script("""return [...document.querySelectorAll('dialog tbody tr')]
            .filter((row) => row.querySelector('td .quiet')).map((row) => row.querySelector('th').textContent);""")
        check.same(times, ["PSI, 24 hours"], "values with a time of their own")
        wide = browser.script("const one = document.querySelector('dialog'); return one.scrollWidth - one.clientWidth;")
        check.demand(wide <= 1, f"the sheet is {wide} px too wide at {width}")
        if walk.shots:
            browser.driver.save_screenshot(os.path.join(walk.shots, f"sites-east-{width}-light-en.png"))
        browser.press("Close", "dialog")


def drawing(walk):
    """Names that do not cover each other, distances and directions, for six places and for forty-two, one of them far away."""
    browser, check = walk.browser, walk.check
    for is_full in (False, True):
        browser.open("/sites")
        browser.shows("west", 10)
        if is_full:
            browser.script(CROWD)
            browser.press("Refresh")
            check.demand(browser.shows("Station 40", 10), f"forty places: {browser.text()[:600]}")
        for width in (360, 1920):
            browser.view(width)
            check.same(until(lambda: browser.script(COVERED) == [], 5) or browser.script(COVERED), True, f"names that cover each other, {width} px")
            said = browser.script("return document.querySelector('.sitemap').getAttribute('aria-label')")
            check.demand("the farthest is" in said and ", " in said, f"the drawing says of itself: {said}")
            if is_full:
                drawn = browser.script("return document.querySelector('.sitemap').textContent")
                # On a phone its number in the list may stand for it.
                check.demand(width == 360 or "\u2068Far\u2069 500 km" in drawn, f"a place 500 km away is not drawn: {drawn[-300:]}")
                check.demand("500 km, east" in browser.text(), "the list lacks the way to a place 500 km away")
                check.demand("at the same place" in browser.text(), "the list lacks that a place is the station's own")
        check.same(browser.findings(), [], "the drawing: findings of axe")
    if walk.shots:
        for width, dark in ((360, False), (1920, True)):
            browser.picture(os.path.join(walk.shots, f"sites-forty-{width}-{'dark' if dark else 'light'}-en.png"), width, dark)
    browser.view(360)
    browser.messages()


def compare(walk):
    """On History the time before, another sensor, and a region beside one's own curve, with the difference as a sentence."""
    browser, check = walk.browser, walk.check
    for width, name, said in ((360, "the same time before", "the same time before had no values at the same time"), (1280, "PM2.5 · roof", "lower than PM2.5 · roof. Both had values for"), (360, "west", "west")):
        browser.view(width)
        browser.open("/history?channel=dust/pm25")
        check.demand(until(lambda option=name: browser.script(CHOOSE, option), 10), f"nothing to compare with is called {name}: {browser.script(OPTIONS)}")
        sentence = "return document.querySelector('.history .legend + p').textContent"
        check.demand(until(lambda words=said: words in browser.script(sentence), 15), f"{name}: {browser.script(sentence)}")
        check.same(browser.findings(), [], f"{name}: findings of axe")
        if walk.shots:
            browser.picture(os.path.join(walk.shots, f"compare-{name.split()[-1]}-{width}-light-en.png"), width, False)
    dashes = browser.script("return [...document.querySelectorAll('.legend line')].map((one) => one.getAttribute('stroke-dasharray'))")
    check.demand(len(dashes) == 2 and dashes[0] != dashes[1], f"dashes of two curves: {dashes}")
    check.demand(until(lambda: browser.script(CHOOSE, "nothing"), 10), "the comparison cannot be left")
    check.demand(until(lambda: browser.script("return document.querySelectorAll('.legend line').length") == 1, 10), "a second curve stays")
    browser.view(360)
    check.same(browser.messages(), [], "comparing: console messages")


def chosen_days(walk):
    """The means of days that a person chooses, of clusters, regions and stations."""
    browser, check = walk.browser, walk.check
    today = datetime.date.today()
    browser.view(360)
    browser.open("/sites")
    set_day = """const [name, day] = arguments, label = [...document.querySelectorAll('main label')].find((one) => one.innerText === name);
        document.getElementById(label.htmlFor).value = day;"""
    browser.script(set_day, "from", (today + datetime.timedelta(days=1)).isoformat())
    browser.press("Show")
    check.demand(browser.shows("must come after", 5), f"days in the wrong order: {browser.text()[:900]}")
    for first, shows in ((today - datetime.timedelta(days=40), False), (today - datetime.timedelta(days=1), True)):
        browser.script(set_day, "from", first.isoformat())
        browser.press("Show")
        check.demand(browser.shows(f"{first.day} {first:%b} {first.year} to", 10), f"from {first}: {browser.text()[:1500]}")
        # Regions are shown for up to a month: before that they stay as they were.
        check.same(browser.text().count(f"{first.day} {first:%b} {first.year} to") > 1, shows, f"from {first}: days of regions")
    check.same(browser.messages(), [], "chosen days: console messages")


def follow(walk):
    """A person's own place is on the drawing while they want it, and moves along."""
    browser, check = walk.browser, walk.check
    command = browser.driver.execute_cdp_cmd
    command("Browser.grantPermissions", {"origin": browser.address, "permissions": ["geolocation"]})
    place = {"latitude": 1.31, "longitude": 103.81, "accuracy": 20}
    command("Emulation.setGeolocationOverride", place)
    browser.open("/sites")
    at = "return document.querySelector('.sitemap .site.you circle')?.getAttribute('cx')"
    check.same(browser.script(at), None, "a browser's place that nobody asked for")
    browser.press("Follow this browser")
    first = until(lambda: browser.script(at), 10, 0.2)
    check.demand(first, f"the browser's place is not drawn: {browser.text()[:300]}")
    check.same(browser.findings(), [], "following: findings of axe")
    browser.press("Follow this browser")
    check.demand(until(lambda: browser.script(at) is None, 10, 0.2), "the browser's place stays")
    # Chromium gives a watch no second place of its override: from here on a stand-in does.
    browser.script("""Object.defineProperty(navigator, 'geolocation', { value: {
        watchPosition: (tell) => { window.tellPlace = tell; return 7; }, clearWatch: () => { window.tellPlace = null; } } });""")
    browser.press("Follow this browser")
    places = []
    for east in (103.81, 103.9):
        browser.script("window.tellPlace({ coords: { latitude: 1.31, longitude: arguments[0] } });", east)
        places.append(browser.script(at))
    check.demand(None not in places and places[0] != places[1], f"the browser's place does not move: {places}")
    browser.press("Follow this browser")
    check.same(browser.script("return window.tellPlace"), None, "the watch goes on")
    check.same(browser.messages(), [], "following: console messages")


def run(walk):
    browser, check, address = walk.browser, walk.check, walk.browser.address
    one = stage(walk)
    browser.address = one.dashboard.address
    try:
        browser.view(360)
        browser.open("/sites")
        check.demand(browser.shows("No place is known yet", 10), f"at first: {browser.text()[:300]}")
        check.same(browser.ask("PATCH", "/settings", {"position": "46,17; 9,87"})[0], 412, "a change without If-Match")
        browser.open("/settings")
        browser.fill("Position", "nowhere")
        browser.press("Save")
        check.demand(browser.shows("This is no position.", 10), f"a wrong place: {browser.text()[:600]}")
        browser.fill("Position", POSITION)
        browser.press("Save")
        check.demand(until(lambda: browser.ask("GET", "/sites")[1].get("latitude"), 10), f"no place is kept: {browser.text()[:600]}")
        browser.open("/sites")
        check.demand(browser.shows("this station", 10), f"with a position: {browser.text()[:300]}")
        found = until(lambda: browser.ask("GET", "/clusters/pm25")[1].get("items"), 30)
        if check.demand(found, "what was measured at the station is no cluster"):
            check.same((found[0]["latitude"], found[0]["longitude"]), (1.3, 103.8), "its place")
        begun = time.monotonic()
        one.courier.start()
        # In Singapore's first hours a turn takes seconds: there are more requests than go at once.
        check.demand(until(lambda: all(one.courier.has_fetched(name, begun) for name in ("sg", "mi")), 60),
                     f"nothing is fetched: {one.courier.report().get('feeds')}")
        there = until(lambda: len([site for site in sites(browser) if site.get("latitude")]) >= 6, 60)
        check.demand(there, f"no places of feeds: {sites(browser)} {one.courier.log()[-300:]}")
        regions(walk, one)
        drawing(walk)
        chosen_days(walk)
        compare(walk)
        follow(walk)
        look(walk, "/sites", "sites")
        tiles.run(walk, one, one.courier)
        one.services.mood = "gone"
        browser.open("/sites")
        check.demand(browser.shows("west", 10), "without the internet the regions are gone")
        check.same([text for text in browser.messages() if "503" not in text], [], "sites: console messages")
    finally:
        browser.address = address
        one.courier.close()
        one.close()
    return 2
