"""The page Map: tiles of a server that the owner chose, on that page alone.

Needs the packages libjs-leaflet and libjs-leaflet.markercluster, or their files in the folder ROOST_LEAFLET; the tiles
are a server's of the check.
"""

import http.server
import os
import struct
import threading
import urllib.error
import urllib.request
import zlib

from ..check import until
from ..courier import Server
from .dashboard import Dashboard
from .outbox import SIZES

LEAFLET = os.environ.get("ROOST_LEAFLET", "/usr/share/javascript/leaflet")
POLICY = "content-security-policy"


def png(colour):
    """A picture of 256 px in one colour."""
    def part(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    rows = (b"\0" + bytes(colour) * 256) * 256
    head = struct.pack(">IIBBBBB", 256, 256, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b"")


class Tiles:
    """A server of tiles; `asked` has path and referrer of each request."""

    def __init__(self, check):
        self.asked, picture = [], png((0xE6, 0xEC, 0xE4))
        owner = self

        class Answers(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                owner.asked.append((self.path, self.headers.get("Referer")))
                self.send_response(200)
                self.send_header("Content-Type", "image/png")
                self.send_header("Content-Length", str(len(picture)))
                self.end_headers()
                self.wfile.write(picture)

        self.server = Server(("127.0.0.1", 0), Answers)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        check.ends(self)

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def heads(address, path):
    try:
        with urllib.request.urlopen(address + path, timeout=10) as answer:
            return answer.status, answer.headers
    except urllib.error.HTTPError as problem:
        return problem.code, problem.headers


def without_tiles(walk, dashboard):
    """Nothing is served and no policy is loosened where nobody chose a server."""
    check = walk.check
    check.same(heads(dashboard.address, "/map")[0], 404, "/map without tiles")
    check.same(heads(dashboard.address, "/map/leaflet.min.js")[0], 404, "Leaflet without tiles")
    check.same(walk.browser.ask("GET", "/map"), [200, {"host": None, "tiles": None, "credit": None, "creditURL": None}], "/api/v1/map")


def by_setting(walk, one, courier, address):
    """A server that the owner chose on the page Settings is in use at once, and until it is taken back."""
    check = walk.check
    dashboard = Dashboard(check, one.station, "--open", "--courier", courier.socket, "--leaflet", LEAFLET)
    dashboard.start()
    try:
        check.same(heads(dashboard.address, "/map")[0], 404, "/map before a server is chosen")
        one.station.roost("settings", "set", "tiles", "http://a.org/{z}", status=1)
        one.station.roost("settings", "set", "tiles", address + "/{z}/{x}/{y}.png", status=0)
        status, headers = heads(dashboard.address, "/map")
        check.same(status, 200, "/map with the setting")
        check.demand(f"img-src 'self' data: {address};" in (headers[POLICY] or ""), f"/map: {headers[POLICY]}")
        check.same(heads(dashboard.address, "/map/leaflet.min.js")[0], 200, "Leaflet with the setting")
        check.same(heads(dashboard.address, "/map/leaflet-src.js")[0], 404, "another file of the package")
        one.station.roost("settings", "set", "tiles", "--default", status=0)
        check.same(heads(dashboard.address, "/map")[0], 404, "/map after the setting was taken back")
    finally:
        dashboard.close()


def run(walk, one, courier):
    """With the stage of the page Sites, whose feeds have places; True where Leaflet is installed."""
    browser, check = walk.browser, walk.check
    without_tiles(walk, one.dashboard)
    if not os.path.exists(os.path.join(LEAFLET, "leaflet.markercluster.min.js")):
        check.say(f"the page Map is not tried: {LEAFLET} has no Leaflet (libjs-leaflet, libjs-leaflet.markercluster)")
        return False
    tiles = Tiles(check)
    by_setting(walk, one, courier, tiles.address)
    dashboard = Dashboard(check, one.station, "--open", "--courier", courier.socket, "--leaflet", LEAFLET,
                          "--tiles", tiles.address + "/{z}/{x}/{y}.png")
    dashboard.start()
    before, browser.address = browser.address, dashboard.address
    try:
        for path in ("/", "/sites", "/api/v1/me"):
            policy = heads(dashboard.address, path)[1][POLICY]
            check.demand(tiles.address not in policy and "trusted-types roost" in policy, f"{path}: the policy is {policy}")
        policy = heads(dashboard.address, "/map")[1][POLICY]
        check.demand(f"img-src 'self' data: {tiles.address};" in policy and "require-trusted-types-for" in policy, f"/map: {policy}")
        browser.view(1280)
        browser.open("/sites")
        check.demand(browser.shows("pictures are from", 10), f"Sites says nothing of the tiles: {browser.text()[:400]}")
        check.same(tiles.asked, [], "tiles before the map is opened")
        for width, dark, language in SIZES:
            browser.language(language)
            browser.view(width, dark=dark)
            browser.driver.get(dashboard.address + "/map")
            shown = "return [...document.querySelectorAll('.leaflet-marker-icon')].map((one) => one.title || one.innerText)"
            marks = until(lambda: browser.script(shown), 15, 0.2) or []
            check.demand("west" in marks and ("north" in marks or width < 400), f"/map at {width} px: marks {marks}, {browser.text('body')[:300]}")
            loaded = "return [...document.querySelectorAll('img.leaflet-tile-loaded')].length"
            check.demand(until(lambda: browser.script(loaded), 15, 0.2), f"/map at {width} px: no tile is shown")
            check.same(browser.messages(), [], f"/map at {width} px: console messages")
            check.same(browser.wider(), [], f"/map at {width} px: parts wider than the screen")
            if walk.shots:
                browser.driver.save_screenshot(os.path.join(walk.shots, f"map-{width}-{'dark' if dark else 'light'}-{language}.png"))
            check.same(browser.findings(), [], f"/map at {width} px: findings of axe")
            browser.messages()
        browser.language("en")
        browser.view(1280)
        browser.driver.get(dashboard.address + "/map")
        until(lambda: "north" in browser.script(shown), 15, 0.2)
        browser.script("document.querySelector('.leaflet-marker-icon[title=north]').click();")
        check.demand(browser.shows("PSI", 5, ".leaflet-popup"), f"the popup: {browser.text('body')[:400]}")
        check.demand(all(referrer == dashboard.address + "/" for _, referrer in tiles.asked), f"referrers: {tiles.asked[:2]}")
        if walk.shots:
            browser.driver.save_screenshot(os.path.join(walk.shots, "map-popup-1280-light-en.png"))
        check.same(browser.messages(), [], "the popup: console messages")
    finally:
        browser.address = before
        dashboard.close()
        tiles.close()
    return True
