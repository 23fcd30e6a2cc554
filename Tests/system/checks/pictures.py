"""The pictures of docs/guide, made anew from the real pages.

A simulated SDS011 at 1 Hz with its dashboard, after a day of values that were put into its store, and the dashboard of a simulated month's card; Chromium takes the
pictures. Look at them before you commit them.
"""

import math
import os
import re
import struct
import subprocess
import sys
import time
from datetime import datetime, timedelta, timezone

from ..browser.files import WWW
from ..check import ROOT, Failed, Skipped, until
from ..station import Part, Station, end
from . import browser as suite

PRODUCTS = ("roost", "roostd", "roost-web", "roost-lab")
NEEDS = "chromium, chromium-driver, the network once"
FOLDER = os.path.join(ROOT, "docs", "guide", "pictures")
DAY_MINUTES = 24 * 60
LIVE_SECONDS = 40  # So that the card of a channel has a line to draw.


def serve(check, *words):
    with open(check.path("web.log"), "ab") as log:
        process = subprocess.Popen(
            [check.program("roost-web"), "--listen", "127.0.0.1:0", "--name", "balcony", "--www", WWW, *words],
            stdout=subprocess.PIPE, stderr=log, text=True)
    check.ends(Server(process))
    line = process.stdout.readline()
    if not line.startswith("listening"):
        raise Failed(f"roost-web does not start: {line}")
    return f"http://127.0.0.1:{line.split()[-1]}"


class Server:
    def __init__(self, process):
        self.process = process

    def close(self):
        end(self.process)
        self.process.stdout.close()


def card(check):
    """The store of a simulated month with every kind of fault."""
    done = subprocess.run(
        [check.program("roost-lab"), "simulate", "--scenario", "everything", "--for", "30d", "--seed", "7",
         "--no-shrink", "--keep"], capture_output=True, text=True, check=False)
    found = re.search(r"files are in (\S+)", done.stdout + done.stderr)
    if not found:
        raise Failed(f"the simulated month left no files: {done.stderr[-300:]}")
    return found.group(1)


def yesterday(check):
    """A store with the last day of a device `dust`: a value each minute, two meals and a lull between them."""
    rows = []
    for minute in range(DAY_MINUTES):
        hour = minute / 60
        dust = 25 + 8 * math.sin(minute / 47) + 5 * math.sin(minute / 11)
        for meal, width, height in ((4.5, 0.5, 70), (11, 0.8, 130), (20, 1.2, 35)):
            dust += height * math.exp(-((hour - meal) / width) ** 2)
        rows.append((round(dust), round(dust * 1.5 + 20)))
    series, store = check.path("day.u16"), check.path("store")
    with open(series, "wb") as file:
        file.write(b"".join(struct.pack("<HH", *row) for row in rows))
    start = datetime.now(timezone.utc) - timedelta(minutes=DAY_MINUTES + 1)
    check.roost("store", "replay", series, "--into", store, "--interval", "60s", "--megabytes", "4", "--device", "dust",
                "--start", start.strftime("%Y-%m-%dT%H:%M:%SZ"), status=0)
    return store


def run(check, options):
    if not all(os.path.exists(path) for path in ("/usr/bin/chromium", "/usr/bin/chromedriver")):
        raise Skipped("there is no chromium with its driver: apt install chromium chromium-driver")
    suite.PACKAGES.demand()
    sys.path.insert(0, suite.PACKAGES.library)
    from ..browser.browser import Browser
    os.makedirs(FOLDER, exist_ok=True)
    sensor = Part(check, "sds011", "--air", "waves", link=check.path("sensor"))
    station = Station(check, "pictures")
    station.name = "balcony"
    station.configure(
        detect=False, mode="live", devices=[{"name": "dust", "type": "sds011", "port": sensor.place}],
        store={"folder": yesterday(check), "megabytes": 4})
    station.start()
    if not until(station.values, 30):
        raise Failed("no value")
    station.trust_clock()
    live = serve(check, "--socket", station.socket, "--open", "--simulated")
    past = serve(check, "--store", card(check))
    time.sleep(LIVE_SECONDS)
    for address, path, name, width, height in (
            (live, "/", "now", 360, 760), (live, "/", "now-wide", 1280, 900),
            (past, "/history?channel=sds011/pm25&range=week", "history", 1280, 760),
            (past, "/proof", "proof", 1280, 760)):
        page = Browser(check, address, suite.PACKAGES.library)
        page.view(width, height)
        page.open(path)
        page.driver.save_screenshot(os.path.join(FOLDER, name + ".png"))
        check.say(f"{name}.png, {os.path.getsize(os.path.join(FOLDER, name + '.png')) // 1024} kB")
