"""A drive on real programs: a counter, a receiver that replays a track, a survey, its log, its dose, its upload.

A simulated Geiger counter and a simulated GPS receiver on pseudo-terminals at a real roostd, and a real roost-courier
before a server that keeps Safecast's rules. Answers get lost and the courier is killed in mid-upload; the drive is at
the server once, described, submitted once, with the bytes of `roost export`, and its places are those of the track. A
survey that is kept from uploads is in no request, though the station is killed within it and goes on. `roost dose` says what the log says.
"""

import os
import time

from ..check import ROOT, until
from ..courier import Courier
from ..servers.safecast import DriveServer
from ..station import Part, Station
from .drives import read

PRODUCTS = ("roost", "roostd", "roost-courier")
TRACK = os.path.join(ROOT, "Tests", "DevicesTests", "Fixtures", "bgeigie", "api-malformed_bgeigie.log")
KEY = "k3y-of-ann"
DRIVE_SECONDS, PRIVATE_SECONDS, UPLOAD_SECONDS = 75, 12, 90


def kill_within(check, station, name):
    """Ends the station as a brown-out in the car does: the survey goes on, kept from uploads as before."""
    station.kill()
    station.start()
    back = until(lambda: station.report("status").get("mode", {}).get("name") == name, 30)
    mode = station.report("status").get("mode", {})
    check.demand(back, f"the mode after kill -9: {mode}")
    check.same((mode.get("mode"), mode.get("isPrivate")), ("survey", True), "the mode after kill -9")
    check.demand(0 < mode.get("endsInSeconds", 0) <= 3600, f"the end after kill -9: {mode}")
    events = [event.get("kind") for event in station.ask("events")]
    check.demand("survey goes on" in events, f"the events after kill -9: {events}")


def survey(check, station, name, seconds, *words):
    station.roost("mode", "survey", "--name", name, "--for", "1h", *words, status=0)
    # The counter's first minute is void, and outside of a survey its next value may be minutes away.
    check.demand(until(lambda: "geiger/cpm" in station.values(), 120), f"no counts in the survey {name}")
    if "--no-upload" in words:
        kill_within(check, station, name)
    time.sleep(seconds)
    station.roost("mode", "normal", status=0)


def submitted(server):
    return [made for made in server.imports.values() if made["submissions"]]


def look_at_log(check, station):
    path = check.path("ride.LOG")
    station.roost("export", "--format", "bgeigie", "--survey", "ride", "--place", "gps", "--output", path, status=0)
    _, bad, samples = read(path)
    check.same(bad, 0, "bad lines of the log")
    track = [place for _, place in read(TRACK)[2].values()]
    places = [place for _, place in samples.values() if place]
    check.demand(len(places) >= 8, f"{len(places)} lines with a place")
    apart = max(min(abs(a[0] - b[0]) + abs(a[1] - b[1]) for b in track) for a in places)
    # Steps of the track are 0.0015° apart, and places between two of them are estimated.
    check.demand(apart < 0.012, f"a place is {apart}° off the track")
    return path, samples


def look_at_dose(check, station, samples):
    dose = station.report("dose", "--last", "10m", "--channel", "geiger/cpm")
    rates = [rate for rate, _ in samples.values() if rate is not None]
    low, high = dose.get("least", -1), dose.get("most", -1)
    check.demand(low <= min(rates) and high >= max(rates), f"dose from {low} to {high}, the log {min(rates)} to {max(rates)}")
    rate = dose.get("countRate", {})
    minutes = dose["coveredSeconds"] / 60
    check.demand(abs(rate["error"] - (rate["mean"] * minutes) ** 0.5 / minutes) < 0.01, f"error of counting: {dose}")
    check.demand(abs(dose["doseRate"]["mean"] - rate["mean"] / 334) < 0.001, f"dose rate: {dose}")
    station.roost("dose", "--mark", "--channel", "geiger", status=0)
    since = until(lambda: station.report("dose") or None, 20)
    check.same(since and since["isSinceMark"], True, "the mark of the dose")


def run(check, options):
    counter, receiver = Part(check, "part", "safecast-bgeigie-nano"), Part(check, "part", "nmea-receiver", "--track", TRACK)
    station = Station(check, "car", devices=[
        {"type": "safecast-bgeigie-nano", "name": "geiger", "port": counter.place},
        {"type": "nmea-receiver", "name": "gps", "port": receiver.place}], store={"folder": check.path("store")})
    server = DriveServer(check, KEY)
    courier = Courier(check, station, targets=[
        {"id": "drives", "type": "safecast-drives", "apiKey": {"secret": "safecast"}, "credits": "Ann", "cities": "Trento",
         "position": "gps", "url": f"http://127.0.0.1:{server.port}", "local": True}])
    courier.secret("safecast", KEY)
    check.roost("courier", "check", courier.config_path, status=0)
    dry = check.roost("courier", "send", "drives", "--dry-run", "--config", courier.config_path, status=0).stdout
    check.demand("$BNRDD,0,2026-11-22T04:30:00Z,34," in dry and KEY not in dry, f"the dry run: {dry[-300:]}")
    station.start()
    check.demand(until(lambda: {"gps/latitude", "geiger/latitude"} <= set(station.values()), 100),
                 f"values of both parts: {sorted(station.values())} {station.log()[-600:]}")
    station.trust_clock()
    survey(check, station, "private", PRIVATE_SECONDS, "--no-upload")
    survey(check, station, "ride", DRIVE_SECONDS)
    path, samples = look_at_log(check, station)
    look_at_dose(check, station, samples)
    server.lost = 2
    courier.start()
    check.demand(until(lambda: server.imports, UPLOAD_SECONDS), "no file came")
    courier.kill()
    courier.start()
    check.demand(until(lambda: submitted(server), UPLOAD_SECONDS), f"nothing is submitted: {courier.target('drives')}")
    done = until(lambda: courier.target("drives").get("drives", {}).get("delivered") == 1, 30)
    target = courier.target("drives")
    check.demand(done, f"the report after it: {target}")
    counts = target["samples"]
    check.same((counts["waiting"], counts["leftOut"].get("markedPrivate", 0) > 0), (0, True), "the books")
    check.same(len(server.imports), 1, "imports")
    made = next(iter(server.imports.values()))
    check.same((made["name"], made["cities"], made["submissions"], made["status"]), ("ride", "Trento", 1, "submitted"),
               "the import")
    with open(path, "rb") as file:
        own = file.read()
    check.same(made["data"].count(b"\r\n"), own.count(b"\r\n"), "lines at the server")
    same = sum(a == b for a, b in zip(made["data"].split(b"\r\n"), own.split(b"\r\n")))
    # The upload dates by the line between beginning and end: a second may differ by its rounding.
    check.demand(same >= own.count(b"\r\n") - 2, f"{same} equal lines")
    check.demand(KEY not in courier.log(), "the key is in the log")
    return f"{len(samples)} lines of a drive at the server after {len(server.requests)} requests"
