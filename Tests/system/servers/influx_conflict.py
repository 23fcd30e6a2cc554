"""A database that has a field of Roost's with another type, and refuses each point with it for ever."""

import json
import re
import shutil
import time

from ..check import Failed, until
from ..courier import Courier, LineServer
from .influx import Influx
from ..station import Part, Station

FIELD = "pm25"
# Of InfluxDB 2.7.11, and of InfluxData's *write_lp* of InfluxDB 3.
WORDS = ('partial write: field type conflict: input field "pm25" on measurement "roost" is type float, '
         "already exists as type integer")
WORDS_3 = "invalid column type for column 'pm25', expected iox::column_type::field::integer, got iox::column_type::field::float"
ADDED = 4  # Requests besides one for each sample: the first of each lane, what was refused, a look.
LOOK_SECONDS = 10


def has_field(line):
    return f"{FIELD}=" in line.rsplit(" ", 2)[1]


def as_two(lines):
    """The points that InfluxDB 2 keeps, and its answer."""
    kept = [line for line in lines if not has_field(line)]
    words = f"failure writing points to database: {WORDS} dropped={len(lines) - len(kept)}"
    return kept, kept != lines and (422, json.dumps({"code": "unprocessable entity", "message": words}))


def as_three(lines):
    """The points that InfluxDB 3 keeps, and its answer."""
    bad = [{"original_line": line, "line_number": number, "error_message": WORDS_3}
           for number, line in enumerate(lines, 1) if has_field(line)][:100]
    answer = {"error": "partial write of line protocol occurred", "data": bad}
    return [line for line in lines if not has_field(line)], bad and (400, json.dumps(answer))


class Database:
    """A real InfluxDB 1 whose `pm25` is an integer."""

    def __init__(self, check, program):
        self.check, self.influx = check, Influx(check, program, "clash")
        # A type holds for the time of one shard.
        self.influx.query("CREATE DATABASE clash WITH DURATION INF SHARD DURATION 520w")
        status = self.influx.write("clash", "roost,device=old,station=old pm25=12i")
        check.same(status, 204, "the answer of InfluxDB to an integer")
        status = self.influx.write("clash", "roost,device=old,station=old pm25=12.5")
        check.same(status, 400, "the answer of InfluxDB to another type")

    def count(self, field, device):
        text = self.influx.query(f"SELECT count({field}) FROM clash.autogen.roost WHERE device='{device}'")
        series = json.loads(text)["results"][0].get("series")
        return series[0]["values"][0][1] if series else 0


def points(server):
    """How many points of each device a server of the check's own has, without the refused field."""
    series = [series for series, time in list(server.points)]
    return sum(",device=dust" in one for one in series), sum(",device=tube" in one for one in series)


def agreed(check, courier, name, count, when):
    """What was delivered is there: both are looked at until no sample is under way."""
    looks = []

    def agree():
        before, delivered = count(), courier.target(name)["samples"]["delivered"]
        looks.append((before, delivered, count()))
        return len(set(looks[-1])) == 1 and before > 0

    check.demand(until(agree, 20), f"{name}, {when}: at the server, delivered, again: {looks[-4:]}")
    return looks[-1][0] if looks else 0


def refused(check, courier, name, words):
    """It is named by status and log, the others arrive, nothing waits, and no request is in vain."""
    if not until(lambda: f"channel {FIELD}" in (courier.target(name).get("why") or ""), 40):
        raise Failed(f"{name} does not say what is refused: {courier.target(name)} {courier.log()[-600:]}")
    flushed = courier.roost("outbox", "flush", name, "--for", "30s", status=0).stdout
    target = courier.target(name)
    check.same((target["state"], target["code"]), ("idle", "refuses"), f"{name}: state and code, after {flushed!r}")
    check.demand(words in target["why"], f"{name}: {target['why']}")
    check.demand(f"channel {FIELD}" in courier.roost("outbox").stdout, f"{name}: `roost outbox` does not say it")
    check.same(target["samples"]["leftOut"].get("refused", 0), 0, f"{name}: samples left out")
    logged = [line for line in courier.log().splitlines() if f"channel {FIELD}" in line and re.search(rf"\b{name}\b", line)]
    check.demand(logged and words in logged[0].replace('\\"', '"'), f"{name}: the log says {logged[:3]}")
    first = courier.target(name)
    time.sleep(LOOK_SECONDS)
    last = courier.target(name)
    requests = last["requestCount"] - first["requestCount"]
    samples = last["samples"]["delivered"] - first["samples"]["delivered"]
    check.demand(LOOK_SECONDS <= samples and requests <= samples + ADDED,
                 f"{name}: {requests} requests for {samples} samples in {LOOK_SECONDS} s")
    check.demand(last["samples"]["waiting"] <= 4, f"{name}: {last['samples']} wait")
    return f"{name}: {requests} requests for {samples} samples"


def repaired(check, courier, database):
    """Its owner drops what has the wrong type: the field arrives at once, `prove --repair` sends what is missing."""
    check.same(courier.roost("outbox", "prove", "one").returncode, 1, "the status of prove while a field is refused")
    database.influx.query("DROP MEASUREMENT roost", "clash")
    courier.roost("outbox", "retry", "one", status=0)
    check.demand(until(lambda: database.count(FIELD, "dust"), 20), f"no {FIELD} after the repair: {courier.target('one')}")
    check.same(courier.target("one").get("why"), None, "the report after the repair")
    proof = courier.roost("outbox", "prove", "one", "--repair", status=0).stdout
    courier.roost("outbox", "flush", "one", "--for", "30s", status=0)
    agreed(check, courier, "one", lambda: database.count("pm10", "dust") + database.count("cpm", "tube"), "repaired")
    check.demand(until(lambda: database.count(FIELD, "dust") == database.count("pm10", "dust"), 20),
                 f"of {database.count('pm10', 'dust')} points {database.count(FIELD, 'dust')} have {FIELD}: {proof}")


def conflict(check):
    """InfluxDB 1, if it is here, and the answers of 2 and 3 by a server of the check's own."""
    program = shutil.which("influxd")
    database = Database(check, program) if program else None
    if database is None:
        check.skip("InfluxDB is not here (apt install influxdb)")
    servers = {"two": LineServer(check), "three": LineServer(check)}
    servers["two"].conflict, servers["three"].conflict = as_two, as_three
    dust, tube = Part(check, "sds011", link=check.path("dust")), Part(check, "part", "mightyohm-geiger", link=check.path("tube"))
    station = Station(check, "conflict", store={"folder": check.path("conflict-store")}, mode="live", devices=[
        {"name": "dust", "type": "nova-sds011", "port": dust.place},
        {"name": "tube", "type": "mightyohm-geiger", "port": tube.place}])
    station.start()
    if not until(lambda: {"dust/pm25", "tube/cpm"} <= set(station.values()), 40):
        raise Failed(f"the station has no values: {station.values()} {station.log()[-600:]}")
    station.trust_clock()
    common = {"token": {"secret": "influx"}, "local": True}
    targets = [
        {"id": "two", "type": "influx2", "url": f"http://127.0.0.1:{servers['two'].port}", "org": "home", "bucket": "air",
         **common},
        {"id": "three", "type": "influx3", "url": f"http://127.0.0.1:{servers['three'].port}", "database": "air", **common}]
    if database is not None:
        targets.append({"id": "one", "type": "influx1", "url": f"http://127.0.0.1:{database.influx.port}",
                        "database": "clash", "local": True})
    courier = Courier(check, station, targets=targets)
    courier.secret("influx", "a brown hare")
    courier.start()
    said = []
    for name, server in servers.items():
        said.append(refused(check, courier, name, WORDS if name == "two" else WORDS_3))
        agreed(check, courier, name, lambda server=server: sum(points(server)), "refused")
        check.demand(min(points(server)) > 0, f"{name}: points of dust and tube: {points(server)}")
        check.same([fields for fields in server.points.values() if f"{FIELD}=" in fields], [], f"{name}: what it keeps")
    if database is not None:
        said.append(refused(check, courier, "one", WORDS))
        agreed(check, courier, "one", lambda: database.count("pm10", "dust") + database.count("cpm", "tube"), "refused")
        check.same(database.count(FIELD, "dust"), 0, f"one: points with {FIELD}")
        repaired(check, courier, database)
    check.same(courier.stop(), 0, "the exit status of the courier beside a refused field")
    check.say(f"a field that a database has with another type: {'; '.join(said)}")
