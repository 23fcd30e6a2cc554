"""Two sensors are added by the JSON of docs/guide/a-new-sensor.md, and a real roostd reads both.

Two made-up sensors without code of their own: one writes lines on a serial port, one answers over HTTP. Their
profiles are the ones that the page shows, read from it; a simulated part speaks on a pseudo-terminal, a
simulated HTTP device on a loopback port, and a real roostd with nothing but those two files reads both.
A third file is broken on purpose, a fourth is a link to itself: both must be named in the log and keep
no other sensor from measuring. Hidden files that an editor leaves beside them are ignored.
"""

import json
import os
import re
import subprocess

from ..check import ROOT, Failed, until
from ..station import Part, Station

PRODUCTS = ("roost", "roostd")
LIMIT = 40  # seconds until both sensors must have said something
PAGE = os.path.join(ROOT, "docs", "guide", "a-new-sensor.md")


def listings():
    """What the page shows: each JSON text, by the name in the line before it."""
    with open(PAGE) as file:
        page = file.read()
    listing = r"`(?:mine/)?([\w.-]+\.json)`[^\n]*\n+```json\n(.*?)```"
    return {name: text for name, text in re.findall(listing, page, re.S)}


def lay_out(check, texts):
    """A folder of profiles: the two of the page, a broken one, and two links that lead nowhere."""
    profiles = check.path("profiles.d")
    os.mkdir(profiles)
    for name in ("my-meter.json", "my-board.json"):
        with open(os.path.join(profiles, name), "w", encoding="utf-8") as file:
            file.write(texts[name])
        check.roost("profiles", "check", os.path.join(profiles, name), status=0)
    with open(os.path.join(profiles, "broken.json"), "w", encoding="utf-8") as file:
        file.write(texts["my-meter.json"].replace('"°C"', '"degrees"'))
    os.symlink("circle.json", os.path.join(profiles, "circle.json"))
    os.symlink("nowhere", os.path.join(profiles, ".#my-meter.json"))
    return profiles


def run(check, options):
    texts = listings()
    wanted = {"my-meter.json", "my-board.json", "roost.json"}
    if set(texts) != wanted:
        raise Failed(f"the page shows {sorted(texts)} in place of {sorted(wanted)}")
    profiles = lay_out(check, texts)
    meter = Part(check, "part", "my-meter", "--profiles", profiles, link=check.path("meter"))
    board = Part(check, "http", "--profile", "my-board", "--profiles", profiles)
    config = json.loads(texts["roost.json"])
    for device in config["devices"]:
        if "port" in device:
            device["port"] = meter.place
        if "address" in device:
            device["address"] = board.place
    config.update(profiles=profiles)
    station = Station(check, "walk", ("--verbose",), **config)
    station.start()
    expected = {
        f"{device['name']}/{channel['name']}": channel["unit"]
        for device in config["devices"]
        for channel in json.loads(texts[device["type"] + ".json"])["channels"]
    }
    until(lambda: set(station.values()) == set(expected), LIMIT)
    values = station.values()
    for name, unit in expected.items():
        reading = values.get(name)
        check.say(f"{name}: " + (f"{reading['value']} {reading['unit']}" if reading else "nothing"))
        check.demand(reading and reading["unit"] == unit, f"{name}: no value in {unit} in {LIMIT} s")
    answer = subprocess.run([check.program("roostd"), "--check", "--config", station.config_path],
                            capture_output=True, text=True, check=False)
    check.demand(answer.returncode == 78 and "broken.json" in answer.stderr,
                 "roostd --check does not name the broken profile")
    check.same(station.stop(), 0, "the exit status of roostd")
    log = station.log()
    check.demand("profile left out" in log and "broken.json" in log,
                 "the log does not name the broken profile")
    check.demand("circle.json: is a link that leads in a circle" in log,
                 "the log does not name the link to itself")
    check.demand(".#my-meter" not in log, "the log names a hidden file")
    return "two sensors by JSON alone"
