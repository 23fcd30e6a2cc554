"""Measures the courier beside a station of its own: how fast, how often, how much.

paths    A simulated SDS011 in `live`, a webhook, a real mosquitto, and receivers of notices, all on
         loopback: from the frame on the wire (the simulator's trace, to the millisecond) to the
         first byte read at the other end; from a test of a rule to its notice; start to first delivery.
months   An SDS011 in `normal` with a sample each 5 min, two InfluxDB by TLS and a heartbeat: wake-ups
         (voluntary context switches of all threads), CPU and resident memory. In real time.
drain    30 days at 1 Hz from the card to a local InfluxDB 1 (--influxd, or what the shell finds), or
         else to a server that counts lines, while new samples go on: minutes, lag of the new ones
         (a server that counts takes them too), memory; then `roost outbox prove` of all days.
card     The same station twice on ext4 of its own, one with a courier of four targets, side by side:
         bytes and requests at the block device. Needs root.

Budgets are COURIER's (docs/measurements/courier.md). Ends with status 1 when one is not met.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, "Tests"), os.path.join(ROOT, "Benchmarks"), os.path.join(ROOT, "Benchmarks", "wear")]

import card  # noqa: E402
import measure  # noqa: E402
import receivers  # noqa: E402
from system.browser.dashboard import free_port  # noqa: E402
from system.check import Check, swift_build, until  # noqa: E402
from system.checks.courier import Influx  # noqa: E402
from system.courier import Courier  # noqa: E402
from system.station import Connection, Part, Station  # noqa: E402

PARTS = ("paths", "months", "drain", "card")
PRODUCTS = ("roost", "roostd", "roost-courier")
ROUND_SECONDS = 61  # A receiver takes one notice a minute.
DAY_ROWS = 86_400


def note(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def arguments(words):
    parser = argparse.ArgumentParser(
        prog="scripts/bench courier", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="these parts alone")
    parser.add_argument("--samples", type=int, default=120, help="frames of `paths` (120)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of 12 notices, a minute each (5)")
    parser.add_argument("--minutes", type=float, default=20, help="minutes of `months` and of `card` (20)")
    parser.add_argument("--days", type=int, default=30, help="days of `drain` (30)")
    parser.add_argument("--influxd", help="the program of InfluxDB 1; by default as the shell finds it")
    parser.add_argument("--binaries", help="folder with roost, roostd, roost-courier: builds nothing")
    parser.add_argument("--json", action="store_true", help="JSON on standard output, no table")
    return parser.parse_args(words)


def station(check, name, trace=None, air="drifting", **config):
    """A station with one SDS011, its clock trusted."""
    part = Part(check, "sds011", "--air", air, link=check.path(f"{name}-sensor"), trace=trace)
    device = {"name": "dust", "type": "nova-sds011", "port": part.place}
    config = {"store": {"folder": check.path(f"{name}-store")}, "mode": "live", "devices": [device], **config}
    found = Station(check, name, **config)
    found.start()
    until(lambda: found.roost("clock", "trust").returncode == 0, 30)
    return found


def process(courier):
    """The functions of `measure` over a courier that runs."""
    found = measure.Candidate.__new__(measure.Candidate)
    found.process = courier.process
    return found


def memory(courier):
    resident, private = process(courier).memory()
    return {"residentMiB": round(resident / 1024, 2), "privateMiB": round(private / 1024, 2)}


def delays(arrivals, frames):
    """Milliseconds from the newest frame with the last PM2.5 of a text to its arrival; and how many had none."""
    found, strange = [], 0
    for moment, _, text in arrivals:
        values = [round(float(value) * 10) for value in re.findall(r'"pm25": ?(?:\{"v": ?)?([0-9.]+)', text)]
        known = [frame for frame in frames if frame[0] <= moment + 0.001 and values[-1:] == [frame[1]]]
        if known:
            found.append(max(0, (moment - known[-1][0]) * 1000))
        else:
            strange += 1
    return found, strange


def summary(values, unknown=0):
    return {"count": len(values), "unknown": unknown,
            "p50": round(measure.percentile(values, 50), 1), "p99": round(measure.percentile(values, 99), 1)} if values else {
                "count": 0, "unknown": unknown}


def paths(check, options):
    trace = check.path("paths.trace")
    hook, bell = receivers.Receiver(check), receivers.Receiver(check)
    targets = [{"id": "hook", "type": "webhook", "url": f"{hook.url}/hook", "batchSeconds": 0, "local": True}]
    program, topics = shutil.which("mosquitto", path="/usr/sbin:/usr/bin"), None
    if program and shutil.which("mosquitto_sub"):
        port = free_port()
        topics = receivers.Topics(check, program, port)
        targets.append({"id": "broker", "type": "mqtt", "url": f"mqtt://127.0.0.1:{port}", "local": True})
    base = station(check, "paths", trace=trace)
    until(base.values, 30)
    courier = Courier(check, base, targets=targets, receivers=[
        {"id": f"bell{number}", "type": "webhook", "url": {"secret": "bell"}, "waitSeconds": 0, "everySeconds": 60,
         "severities": ["notice", "warning", "critical"], "local": True} for number in range(12)])
    courier.secret("bell", f"{bell.url}/bell")
    began = receivers.now()
    courier.start()
    until(lambda: hook.arrivals, 30, pause=0.005)
    first = hook.arrivals[0][0] - began
    note(f"paths: {options.samples} frames")
    time.sleep(5)
    start = receivers.now()
    time.sleep(options.samples)
    frames = receivers.frames(trace)
    posts = [(moment, path, body.decode()) for moment, path, body in hook.arrivals if moment > start]
    found = {"startToFirstDeliverySeconds": round(first, 3),
             "sampleToWebhookMilliseconds": summary(*delays(posts, frames))}
    if topics:
        states = [one for one in topics.arrivals if one[0] > start and one[1].endswith("/state")]
        found["sampleToBrokerMilliseconds"] = summary(*delays(states, frames))
    found["alertToReceiverMilliseconds"] = alerts(base, bell, options.rounds)
    found.update(memory(courier))
    courier.stop()
    return found


def alerts(base, bell, rounds):
    """From `testAlert` to each receiver."""
    times = []
    for number in range(rounds):
        note(f"paths: notices, round {number + 1} of {rounds}")
        time.sleep(ROUND_SECONDS)
        known = len(bell.arrivals)
        connection = Connection(base.socket)
        began = receivers.now()
        connection.send(command="testAlert", name="who-24h", value=31)
        connection.line()
        connection.close()
        until(lambda: len(bell.arrivals) >= known + 12, 20)
        times += [(moment - began) * 1000 for moment, _, _ in bell.arrivals[known:]]
    return summary(times, 12 * rounds - len(times))


def months(check, options):
    pair = receivers.certificate(check.folder)
    first, second = (receivers.Receiver(check, certificate=pair) for _ in range(2))
    beats = receivers.Receiver(check)
    base = station(check, "months", mode="normal")
    courier = Courier(check, base, targets=[
        {"id": "one", "type": "influx1", "url": first.url, "database": "air", "trust": pair[0], "local": True},
        {"id": "two", "type": "influx1", "url": second.url, "database": "air", "trust": pair[0], "local": True},
        {"id": "beat", "type": "heartbeat", "url": beats.url, "everySeconds": 300, "local": True}])
    courier.start()
    time.sleep(60)  # Past the first sample: 25 s warm-up, 5 s window.
    note(f"months: {options.minutes:g} minutes")
    cpu, switches = process(courier).cost()
    counts = [len(one.arrivals) for one in (first, second, beats)]
    time.sleep(options.minutes * 60)
    later, more = process(courier).cost()
    requests = [len(one.arrivals) - count for one, count in zip((first, second, beats), counts)]
    found = {"minutes": options.minutes, "wakeUpsPerMinute": round((more - switches) / options.minutes, 2),
             "requests": requests, "cpuMillisecondsPerRequest": round((later - cpu) / 1e6 / max(1, sum(requests)), 2),
             **memory(courier)}
    courier.stop()
    return found


def drain(check, options):
    note(f"drain: {options.days} days at 1 Hz into a store")
    folder, rows = check.path("drain-store"), check.path("day.u16")
    with open(rows, "wb") as file:
        file.write(b"".join((50 + index // 60 % 40).to_bytes(2, "little") + (90 + index % 50).to_bytes(2, "little")
                            for index in range(DAY_ROWS)))
    begin = time.gmtime(time.time() - options.days * 86_400 - 3600)
    check.roost("store", "replay", rows, "--into", folder, "--repeat", str(options.days), "--megabytes", "256",
                "--start", time.strftime("%Y-%m-%dT%H:%M:%SZ", begin), timeout=1800, status=0)
    base = station(check, "drain", store={"folder": folder})
    until(base.values, 30)
    count = receivers.Count()
    program = options.influxd or shutil.which("influxd")
    url = f"http://127.0.0.1:{Influx(check, program).port}" if program else receivers.Receiver(check, keep=count).url
    if program:
        note("drain: into InfluxDB")
    courier = Courier(check, base, targets=[
        {"id": "influx", "type": "influx1", "url": url, "database": "air", "local": True}])
    courier.start()
    until(lambda: courier.target("influx").get("samples"), 60)
    before, peak, lags = memory(courier)["residentMiB"], 0, []
    began = receivers.now()
    while True:
        samples = courier.target("influx").get("samples") or {}
        peak = max(peak, memory(courier)["residentMiB"])
        if program:
            lags.append(live_lag(url))
        if samples.get("waiting", 1) < 60:
            break
        if receivers.now() - began > 3600:
            note("drain: not done after an hour")
            break
        time.sleep(2)
    cpu, _ = process(courier).cost()
    seconds = receivers.now() - began
    lags = count.lags if not program else [lag for lag in lags if lag is not None]
    found = {"days": options.days, "into": "InfluxDB" if program else "a server that counts",
             "delivered": samples.get("delivered"), "waiting": samples.get("waiting"), "leftOut": samples.get("leftOut"),
             "minutes": round(seconds / 60, 2), "lagSecondsLongest": round(max(lags), 1) if lags else None,
             "cpuSeconds": round(cpu / 1e9, 1), "residentMiBBefore": before, "residentMiBPeak": peak}
    if program:
        note("drain: prove")
        began = receivers.now()
        proof = courier.roost("outbox", "prove", "influx", "--last", f"{options.days + 1}d", timeout=1800)
        found["proof"] = {"isProved": proof.returncode == 0, "seconds": round(receivers.now() - began, 1),
                          "lines": proof.stdout.splitlines()[-40:]}
    courier.stop()
    return found


def live_lag(url):
    """Age in seconds of the newest point in InfluxDB; None while there is none."""
    query = urllib.parse.urlencode({
        "db": "air", "epoch": "ms", "q": "SELECT * FROM roost WHERE time > now() - 1h ORDER BY time DESC LIMIT 1"})
    with urllib.request.urlopen(f"{url}/query?{query}", timeout=60) as answer:
        series = json.load(answer)["results"][0].get("series")
    return time.time() - series[0]["values"][0][0] / 1000 if series else None


def wear(check, options):
    """The same station twice, each on a card of its own: with four targets, and with none."""
    if os.geteuid() != 0 or not os.path.exists("/dev/loop-control"):
        return {"skipped": "it needs root and loop devices; use sudo"}
    memory_folder = tempfile.mkdtemp(prefix="roost-courier-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    cards = []
    try:
        cards = [card.Card(memory_folder, name) for name in ("without", "with")]
        stations = [station(check, f"card{number}", store={"folder": os.path.join(place.path, "store"), "lossWindowSeconds": 60})
                    for number, place in enumerate(cards)]
        for one in stations:
            until(one.values, 30)
        taker = receivers.Receiver(check, keep=len)
        courier = Courier(check, stations[1], targets=[
            {"id": f"influx{number}", "type": "influx1", "url": taker.url, "database": "air", "batchSeconds": 30, "local": True}
            for number in range(4)])
        courier.start()
        time.sleep(70)
        for place in cards:
            place.start()
        known = len(taker.arrivals)
        note(f"card: {options.minutes:g} minutes")
        time.sleep(options.minutes * 60)
        counts = [place.since_start() for place in cards]
        batches = len(taker.arrivals) - known
        courier.stop()
        for one in stations:
            one.stop()
        return {"minutes": options.minutes, "batches": batches,
                "bytesWithout": counts[0].size, "bytesWith": counts[1].size,
                "writesWithout": counts[0].writes, "writesWith": counts[1].writes,
                "bytesPerBatch": round((counts[1].size - counts[0].size) / max(1, batches), 1)}
    finally:
        check.close()
        for place in cards:
            place.close()
        card.remove_traces(own=True)
        shutil.rmtree(memory_folder, ignore_errors=True)


def budgets(found):
    """Each budget with what was measured: COURIER's figures."""
    rows = []

    def row(name, value, limit):
        if value is not None:
            rows.append({"name": name, "measured": value, "budget": limit, "met": value <= limit})

    for name, key in (("sample to webhook, p99, ms", "sampleToWebhookMilliseconds"),
                      ("sample to broker, p99, ms", "sampleToBrokerMilliseconds")):
        row(name, found.get("paths", {}).get(key, {}).get("p99"), 100)
    row("alert to receiver, p99, ms", found.get("paths", {}).get("alertToReceiverMilliseconds", {}).get("p99"), 2000)
    row("start to first delivery, s", found.get("paths", {}).get("startToFirstDeliverySeconds"), 1)
    row("wake-ups a minute", found.get("months", {}).get("wakeUpsPerMinute"), 3)
    row("CPU a request by TLS, ms", found.get("months", {}).get("cpuMillisecondsPerRequest"), 5)
    row("resident, MiB", found.get("months", {}).get("residentMiB"), 22)
    row("private, MiB", found.get("months", {}).get("privateMiB"), 5)
    row("drain, min", found.get("drain", {}).get("minutes"), 20)
    row("lag while draining, s", found.get("drain", {}).get("lagSecondsLongest"), 5)
    if found.get("drain"):
        row("memory more while draining, MiB",
            round(found["drain"]["residentMiBPeak"] - found["drain"]["residentMiBBefore"], 2), 2)
    row("card: bytes a batch", found.get("card", {}).get("bytesPerBatch"), 64)
    return rows


def main(words):
    options = arguments(words)
    found = {}
    binaries = os.path.realpath(options.binaries) if options.binaries else swift_build(PRODUCTS, "release")
    for name in options.only:
        with tempfile.TemporaryDirectory(prefix="roost-bench-") as folder:
            check = Check("bench", folder, binaries)
            try:
                found[name] = (wear if name == "card" else globals()[name])(check, options)
            finally:
                check.close()
        for problem in check.problems:
            note(problem)
        note(f"{name}: {json.dumps(found[name])}")
    found["budgets"] = budgets(found)
    if options.json:
        print(json.dumps(found, indent=2))
    else:
        for row in found["budgets"]:
            print(f"{row['name']:36} {row['measured']:>10}  of {row['budget']:>5}  {'met' if row['met'] else 'NOT MET'}")
    return 0 if all(row["met"] for row in found["budgets"]) else 1
