"""Recorded SDS011 bytes through a pseudo-terminal into roostd give the values of their listing.

Two recordings, both in Tests/DevicesTests/Fixtures with their origin: a capture of a real sensor, and
every frame and stream that documents and issue threads show. Values must come out exactly as listed,
and as many heads must be rejected as a decoder written here, apart from the project, rejects.
"""

import json
import os

from ..check import ROOT, until
from ..station import Part, Station

PRODUCTS = ("roost", "roostd")
FIXTURES = os.path.join(ROOT, "Tests", "DevicesTests", "Fixtures")
LIMIT = 60  # seconds until a recording must be through


def decode(data):
    """Measurements (tenths) and rejected heads of a byte stream; a bad head costs one byte."""
    measurements, rejected, index = [], 0, 0
    while index < len(data):
        if data[index] != 0xAA:
            index += 1
            continue
        frame = data[index:index + 10]
        if len(frame) > 1 and frame[1] not in (0xC0, 0xC5):
            rejected, index = rejected + 1, index + 1
            continue
        if len(frame) < 10:
            break
        if frame[9] != 0xAB or sum(frame[2:8]) & 255 != frame[8]:
            rejected, index = rejected + 1, index + 1
            continue
        if frame[1] == 0xC0:
            measurements.append((frame[2] | frame[3] << 8, frame[4] | frame[5] << 8))
        index += 10
    return measurements, rejected


def capture():
    """The recorded capture: file, bytes, listed values."""
    path = os.path.join(FIXTURES, "SDS01x.hexdump")
    with open(path, encoding="ascii") as file:
        data = b"".join(
            bytes.fromhex(line.split(": ", 1)[1].split("  ", 1)[0]) for line in file)
    with open(os.path.join(FIXTURES, "SDS01x.csv"), encoding="utf-8") as file:
        rows = [line.split(",") for line in file.read().split("\n")[1:] if line]
    return path, data, [(float(row[1]), float(row[2])) for row in rows]


def frames():
    """The listed frames and streams: file, bytes, listed values."""
    path = os.path.join(FIXTURES, "sds011-frames.json")
    with open(path, encoding="utf-8") as file:
        listing = json.load(file)
    data, listed = b"", []
    for frame in listing["frames"]:
        data += bytes.fromhex(frame["hex"])
        if "pm25" in frame:
            listed.append((frame["pm25"], frame["pm10"]))
    for stream in listing["streams"]:
        data += bytes.fromhex(stream["hex"])
        for text in stream["valid_frames"]:
            measurements, _ = decode(bytes.fromhex(text))
            listed += [(a / 10, b / 10) for a, b in measurements]
    return path, data, listed


def samples(readings):
    """(PM2.5, PM10) of each sample; None where there is no value."""
    values = {"dust/pm25": [], "dust/pm10": []}
    for reading in readings:
        value = reading.get("value")
        values[reading["channel"]].append((reading.get("noData"), value and float(value)))
    pairs = []
    for (reason, pm25), (_, pm10) in zip(values["dust/pm25"], values["dust/pm10"]):
        # Zeros after a wake are not a value: no sensor measures them.
        if reason == "warmingUp":
            pairs.append((0.0, 0.0))
        elif reason is None:
            pairs.append((pm25, pm10))
    return pairs


def play(check, recording):
    path, data, listed = recording
    _, rejected = decode(data)
    name = os.path.basename(path)
    part = Part(check, "sds011", "--replay", path, "--pace", "200ms", link=check.path(name))
    # The frames come from several parts, replies of sleeping ones among them: after each of those the
    # station would wake the part and leave its warm-up out.
    station = Station(check, name.split(".")[0], detect=False, mode="live", devices=[
        {"name": "dust", "type": "sds011", "port": part.place, "warmUpSeconds": 0}])
    station.start()
    found = []

    def is_through():
        found[:] = samples(station.ask("readings"))
        return len(found) >= len(listed)

    until(is_through, LIMIT)
    devices = [device for report in station.ask("devices") for device in report["devices"]]
    facts = {key: value for device in devices for key, value in device["facts"].items()}
    status = station.stop()
    check.demand(found == listed, f"{name}: values differ:\n  listed {listed}\n  found  {found}")
    check.same(facts.get("rejectedCount"), rejected, f"{name}: heads rejected (a plain decoder)")
    check.demand(status == 0, f"{name}: roostd ended with {status}\n{station.log()}")
    check.say(f"{name}: {len(found)} samples, {facts.get('rejectedCount')} heads rejected")


def run(check, options):
    for recording in (capture, frames):
        play(check, recording())
    return "both recordings as listed"
