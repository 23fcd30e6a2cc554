"""A real courier beside a real station: faults of a server, kill -9, a wrong secret, the sum at every look.

A simulated SDS011 at a real roostd, a real roost-courier, and a server of the check's own that takes line protocol and
has moods: busy, a captive portal, an answer that is lost, nothing listening, a log-in that is refused. After each mood
everything that was recorded is at the server, each point once. Both programs are killed again and again; the sum
delivered + waiting + left out = recorded holds at every look, and no secret is in any log or report.
An alert of the station arrives at webhooks once, also after kills, and its states at a real mosquitto.
With influxd at hand (apt install influxdb, or --influxd PROGRAM) the same against InfluxDB 1, read back by
`roost outbox prove`, and a day of samples at a database that keeps two hours; with victoria-metrics (apt install victoria-metrics, or --victoria PROGRAM) its count of samples.
"""

import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from datetime import datetime

from ..browser.dashboard import free_port
from ..check import Failed, until
from ..courier import Courier, LineServer, PostBox
from ..servers.influx import Influx, retention
from ..servers.relay import Relay
from ..station import Part, Station, end

PRODUCTS = ("roost", "roostd", "roost-courier")
SECRET = "s3cr3t-4f9a7b21c0"
BACK_SECONDS = 60  # Until both programs work again after a kill; a busy machine needs more than some seconds.
MOODS = ("busy", "portal", "moved", "cut before", "cut after", "unauthorised")


def arguments(parser):
    parser.add_argument("--kills", type=int, default=6, help="how often a program is killed (6)")
    parser.add_argument("--seed", type=int, default=1, help="of the moments of killing (1)")
    parser.add_argument("--influxd", help="the program of InfluxDB 1; by default as the shell finds it")
    parser.add_argument("--victoria", help="the program of VictoriaMetrics; by default as the shell finds it")


def demand_sum(check, courier, name, when):
    """The sum, which is never off; returns the samples of the report."""
    samples = courier.target(name).get("samples")
    if not check.demand(samples is not None, f"{when}: {name} has no samples in the report"):
        return {"delivered": 0, "waiting": 0, "leftOut": {}}
    return samples


def flush(check, courier, name, when):
    answer = courier.roost("outbox", "flush", name, "--for", "40s")
    check.demand(answer.returncode == 0, f"{when}: flush left something: {answer.stdout[-400:]}{answer.stderr[-200:]}")
    return demand_sum(check, courier, name, when)


def same_points(check, courier, server, when):
    """The server has each delivered sample, once by its key.

    The sensor goes on: for a moment a sample is at the server and not in the report yet. So both are looked at until no
    sample is under way; a sample too many or too few stays.
    """
    looks = []

    def agree():
        before, samples = len(server.points), demand_sum(check, courier, "lines", when)
        looks.append((before, samples["delivered"], len(server.points)))
        return len(set(looks[-1])) == 1

    check.demand(until(agree, 20), f"{when}: points at the server, delivered, points again: {looks[-5:]}")


def moods(check, courier, server):
    for mood in MOODS:
        before = server.begin(mood)
        time.sleep(4)
        target = courier.target("lines")
        if mood != "cut after":
            check.same(len(server.points), before, f"{mood}: points that came")
        check.demand(target.get("why"), f"{mood}: the report says nothing is wrong: {target}")
        if mood in ("portal", "moved"):
            check.demand("another server answers" in (target.get("why") or ""), f"{mood}: {target.get('why')}")
        if mood == "unauthorised":
            check.same(target.get("state"), "held", "the state of a refused log-in")
            check.same(courier.roost("outbox").returncode, 2, "the status of `roost outbox` with a held target")
        server.begin("well")
        flush(check, courier, "lines", mood)
        same_points(check, courier, server, mood)
    server.shut()
    refused = until(lambda: "refuses" in (courier.target("lines").get("why") or ""), 20)
    check.demand(refused, f"nothing listens: {courier.target('lines')}")
    server.open()
    flush(check, courier, "lines", "nothing listened")
    same_points(check, courier, server, "nothing listened")


def kills(check, options, station, courier, server):
    chance, longest = random.Random(options.seed), 0.0
    for number in range(options.kills):
        victim = chance.choice(("courier", "station", "both"))
        time.sleep(chance.uniform(0.2, 2.5))
        if victim != "station":
            courier.kill()
        if victim != "courier":
            station.kill()
            station.start()
        if victim != "station":
            courier.start()
        began = time.monotonic()
        until(lambda: courier.report() and station.status(), BACK_SECONDS)
        when = f"kill {number + 1} of {options.kills} ({victim})"
        if not until(lambda: (courier.target("lines").get("samples") or {}).get("waiting") is not None, BACK_SECONDS):
            raise Failed(f"{when}: the courier does not come back: {courier.log()[-600:]}")
        longest = max(longest, time.monotonic() - began)
        if (number + 1) % 50 == 0:
            check.say(f"{number + 1} of {options.kills} kills, back after {longest:.1f} s at most")
    samples = flush(check, courier, "lines", "after the kills")
    check.say(f"{options.kills} kills, back after {longest:.1f} s at most: {samples}")
    if "mirror-missing" in station.log():
        # Where /run is on a disk, a killed station loses what it had not written and the server has already.
        check.say("/run is not in memory here: a killed station forgets samples that the server has")
        count = len(server.points)
        check.demand(count >= samples["delivered"], f"after the kills: {count} points for {samples}")
    else:
        same_points(check, courier, server, "after the kills")
    check.demand(not any(samples["leftOut"].get(reason) for reason in ("refused", "expired", "unknown")),
                 f"after the kills something is left out: {samples}")


def secrets(check, courier, server):
    """A wrong secret holds the target in words; the right one and a SIGHUP go on, with nothing lost."""
    server.token = f"Token {SECRET}"
    courier.secret("token", "wrong-" + SECRET)
    courier.configure(targets=[entry(server), {
        "id": "two", "type": "influx2", "url": f"http://127.0.0.1:{server.port}", "org": "home", "bucket": "air",
        "token": {"secret": "token"}, "local": True}])
    courier.process.send_signal(signal.SIGHUP)
    held = until(lambda: courier.target("two").get("state") == "held", 20)
    check.demand(held, f"a wrong secret: {courier.target('two')}")
    courier.secret("token", SECRET)
    courier.process.send_signal(signal.SIGHUP)
    check.demand(until(lambda: courier.target("two").get("state") == "idle", 30), f"repaired: {courier.target('two')}")
    shown = courier.roost("courier", "send", "two", "--dry-run", "--config", courier.config_path).stdout
    check.demand("Token •••" in shown, f"a dry run: {shown[:300]}")
    everything = courier.log() + str(courier.report()) + shown + courier.station.log()
    everything += courier.station.roost("events", "--last", "1h").stdout
    check.demand(SECRET not in everything, "a secret is in a log, a report or an event")
    os.chmod(os.path.join(courier.secrets, "token"), 0o644)
    courier.process.send_signal(signal.SIGHUP)
    broken = until(lambda: courier.target("two").get("state") == "broken", 20)
    check.demand(broken and "chmod 600" in courier.target("two")["why"], f"a secret for all: {courier.target('two')}")
    server.token = None


def entry(server):
    return {"id": "lines", "type": "influx1", "url": f"http://127.0.0.1:{server.port}", "database": "air", "local": True}


def influx(check, options, courier, server):
    program = options.influxd or shutil.which("influxd")
    if program is None:
        return check.skip("InfluxDB is not here (apt install influxdb)")
    if "ROOST_MOMENT" in os.environ:
        return check.skip("InfluxDB and VictoriaMetrics go by the machine's clock, which scripts/at does not move for them")
    database = Influx(check, program)
    courier.configure(targets=[entry(server), {
        "id": "influx", "type": "influx1", "url": f"http://127.0.0.1:{database.port}", "database": "air", "local": True}])
    courier.process.send_signal(signal.SIGHUP)
    until(lambda: courier.target("influx"), 20)
    flush(check, courier, "influx", "InfluxDB")
    proof = courier.roost("outbox", "prove", "influx")
    check.demand(proof.returncode == 0 and "proved" in proof.stdout, f"prove: {proof.stdout}{proof.stderr}")
    database.query("DELETE FROM roost WHERE time < now() - 10s")
    check.same(courier.roost("outbox", "prove", "influx").returncode, 1, "the status of prove after points were deleted")
    check.same(courier.roost("outbox", "prove", "influx", "--repair").returncode, 0, "the status of prove --repair")
    return None


class Victoria:
    """A VictoriaMetrics in a folder of the check."""

    def __init__(self, check, program):
        self.port = free_port()
        with open(check.path("victoria.log"), "ab") as log:
            self.process = subprocess.Popen(
                [program, f"-storageDataPath={check.path('victoria')}", f"-httpListenAddr=127.0.0.1:{self.port}",
                 "-memory.allowedBytes=64MB"], stdout=log, stderr=log)
        check.ends(self)
        until(lambda: self.get("/health") is not None, 20)

    def get(self, path):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=10) as answer:
                return answer.read().decode()
        except (urllib.error.URLError, OSError):
            return None

    def count(self, name):
        """Samples of a metric, once what came is visible."""
        self.get("/internal/force_flush")
        lines = (self.get("/api/v1/export?" + urllib.parse.urlencode({"match[]": name})) or "").splitlines()
        return sum(len(json.loads(line)["values"]) for line in lines)

    def close(self):
        end(self.process)


def victoria(check, options, courier, server):
    program = options.victoria or shutil.which("victoria-metrics")
    if program is None:
        return check.skip("VictoriaMetrics is not here (apt install victoria-metrics)")
    if "ROOST_MOMENT" in os.environ:
        return None  # As said of InfluxDB.
    database = Victoria(check, program)
    courier.configure(targets=[entry(server), {
        "id": "victoria", "type": "influx1", "url": f"http://127.0.0.1:{database.port}", "database": "air", "local": True}])
    courier.process.send_signal(signal.SIGHUP)
    until(lambda: courier.target("victoria"), 20)
    samples = flush(check, courier, "victoria", "VictoriaMetrics")
    until(lambda: database.count("roost_pm25") >= samples["delivered"], 10)  # Visible a moment after it came.
    # It goes on while both are asked: what is there lies between two reports.
    count, later = database.count("roost_pm25"), demand_sum(check, courier, "victoria", "VictoriaMetrics")
    check.demand(samples["delivered"] <= count <= later["delivered"] + later["waiting"] + 1,
                 f"VictoriaMetrics has {count} samples, not {samples} to {later}")
    check.demand(count > 10, f"VictoriaMetrics has {count} samples")
    return check.say(f"VictoriaMetrics has {count} samples of {later['delivered']} delivered a moment later")


def notices(check):
    """An alert of a real station, at a webhook and byte for byte as the seed's clients take it; once, restarts or not."""
    part = Part(check, "sds011", "--air", "80.0/160.0", link=check.path("bad-air"))
    station = Station(check, "notices", store={"folder": check.path("alerts")}, mode="live",
                      alerts={"use": ["sample-levels"]},
                      devices=[{"name": "dust", "type": "nova-sds011", "port": part.place}])
    box = PostBox(check)
    receiver = {"severities": ["notice", "warning", "critical"], "local": True}
    courier = Courier(check, station, receivers=[
        {"id": "hook", "type": "webhook", "url": {"secret": "hook"}, "waitSeconds": 2, **receiver},
        {"id": "seed", "type": "seed", "url": {"secret": "seed"}, "waitSeconds": 2, **receiver}])
    courier.secret("hook", f"http://127.0.0.1:{box.port}/hook")
    courier.secret("seed", f"http://127.0.0.1:{box.port}/seed")
    station.start()
    station.trust_clock()
    courier.start()
    if not until(lambda: len(box.at("/seed")) >= 2 and box.at("/hook"), 60):
        raise Failed(f"no notice arrives: {box.posts} {courier.report()} {courier.log()[-600:]}")
    seeds = sorted(box.at("/seed"))
    for text, pollutant, value in zip(seeds, ("PM10", "PM2.5"), ("160.0", "80.0")):
        form = rf'\{{"time": "\d\d:\d\d [AP]M", "pollutant": "{re.escape(pollutant)}", "value": "{re.escape(value)}"\}}'
        check.demand(re.fullmatch(form, text), f"the seed's webhook: {text}")
    hook = json.loads(box.at("/hook")[0])
    check.demand("80.0" in hook["subtitle"] and "160.0" in hook["body"], f"both alerts in one notice: {hook}")
    # A notice whose delivery is not written down yet would rightly go out again.
    check.demand(until(lambda: {"hook", "seed"} <= station.cursors(), 20), f"no position is kept: {station.cursors()}")
    for _ in range(2):
        courier.kill()
        courier.start()
        until(courier.report, 20)
    time.sleep(5)
    check.same((len(box.at("/seed")), len(box.at("/hook"))), (2, 1), "notices after two kills")
    courier.stop()
    for name in ("hook", "seed"):
        dry_run(check, courier, box, name)


def dry_run(check, courier, box, name):
    """What a dry run shows is what is sent then, byte for byte but for the clock's digits."""
    options = ("--config", courier.config_path, "--socket", courier.station.socket, "--secrets", courier.secrets)
    shown = courier.roost("courier", "send", name, "--dry-run", *options, status=0).stdout
    known = len(box.at(f"/{name}"))
    courier.roost("courier", "send", name, *options, status=0)
    sent = box.at(f"/{name}")
    check.same(len(sent), known + 1, f"tests of {name} that came")
    times = [re.sub(r"\d\d:\d\d(:\d\d)?", "hh:mm", text) for text in (shown.split("\n\n", 1)[1].rstrip("\n"), sent[-1])]
    check.same(times[0], times[1], f"the bytes of a dry run of {name}")


def broker(check):
    """The station at a real mosquitto: retained status, states, and offline at the end."""
    program = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")
    if program is None or shutil.which("mosquitto_sub") is None:
        return check.skip("mosquitto is not here (apt install mosquitto mosquitto-clients)")
    port = free_port()
    with open(check.path("mosquitto.log"), "ab") as log, open(check.path("topics.log"), "ab") as topics:
        check.ends(Process(subprocess.Popen([program, "-p", str(port)], stdout=log, stderr=log)))
        check.demand(until(lambda: is_open(port), 20), "mosquitto does not listen within 20 s")
        check.ends(Process(subprocess.Popen(
            ["mosquitto_sub", "-p", str(port), "-t", "#", "-F", "%U %t %p"], stdout=topics, stderr=log)))
    part = Part(check, "sds011", link=check.path("third"))
    relay = Relay(port)
    check.ends(relay)
    station = Station(check, "broker", store={"folder": check.path("broker-store")}, mode="live",
                      devices=[{"name": "dust", "type": "nova-sds011", "port": part.place}])
    courier = Courier(check, station, targets=[
        {"id": "ha", "type": "mqtt", "url": f"mqtt://127.0.0.1:{relay.port}", "homeAssistant": True, "local": True}])
    station.start()
    until(station.values, 30)
    courier.start()

    def heard():
        with open(check.path("topics.log"), encoding="utf-8") as file:
            return file.read()

    check.demand(until(lambda: heard().count("/dust/state {") >= 3, 40), f"no states at the broker: {heard()[-500:]}")
    check.demand("/status online" in heard() and "homeassistant/device/" in heard(), f"retained: {heard()[:500]}")
    # At once, and again for a Home Assistant that subscribes after it has read the announcement.
    check.demand(until(lambda: heard().count("/health {") >= 2, 20), f"faults are not repeated: {heard()[:500]}")
    check.demand("/dust/state {" in heard() and '"age":' in heard(), f"states without a date: {heard()[-500:]}")
    station.trust_clock()
    outage(check, relay, heard)
    courier.stop()
    check.demand(until(lambda: "/status offline" in heard(), 10), f"an orderly end: {heard()[-300:]}")
    return None


def outage(check, relay, heard):
    """The broker is away for 20 s: the present comes first, and what is older than 3 s is late."""
    relay.close()
    time.sleep(20)
    relay.open()
    back = time.time()

    def messages(end):
        rows = [line.split(" ", 2) for line in heard().splitlines() if f"/dust/{end} {{" in line]
        return [(float(at), json.loads(text)) for at, _, text in rows]

    def states():
        return [row for row in messages("state") if row[0] > back]

    check.demand(until(lambda: states() and messages("late"), 60), f"nothing came late: {heard()[-500:]}")
    check.demand(states()[0][0] - back <= 15, f"the first state came {states()[0][0] - back:.1f} s after the broker")
    for at, sample in states():
        if "t" in sample:
            age = at - datetime.fromisoformat(sample["t"].replace("Z", "+00:00")).timestamp()
            check.demand(age <= 8, f"a state was {age:.1f} s old: {sample}")
    print(f"  broker back: first state after {states()[0][0] - back:.1f} s, {len(messages('late'))} late")


class Process:
    """Something that is ended with the check."""

    def __init__(self, process):
        self.process = process

    def close(self):
        end(self.process)


def is_open(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def run(check, options):
    part = Part(check, "sds011", link=check.path("sensor"))
    station = Station(check, "outbox", store={"folder": check.path("store")}, mode="live",
                      devices=[{"name": "dust", "type": "nova-sds011", "port": part.place}])
    station.start()
    if not until(station.values, 30):
        raise Failed(f"the station has no values: {station.log()[-600:]}")
    station.trust_clock()
    server = LineServer(check)
    courier = Courier(check, station, targets=[entry(server)])
    courier.start()
    if not until(lambda: len(server.points) > 3, 30):
        raise Failed(f"nothing arrives: {courier.log()[-600:]}{courier.report()}")
    flush(check, courier, "lines", "at first")
    same_points(check, courier, server, "at first")
    moods(check, courier, server)
    kills(check, options, station, courier, server)
    secrets(check, courier, server)
    influx(check, options, courier, server)
    victoria(check, options, courier, server)
    check.same(courier.stop(), 0, "the exit status of an orderly stop")
    retention(check, options, Part(check, "sds011", link=check.path("short-sensor")))
    notices(check)
    broker(check)
