"""A real InfluxDB 1 for checks, and what becomes of a day of samples at one that keeps two hours."""

import datetime
import json
import shutil
import struct
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

from ..browser.dashboard import free_port
from ..check import Failed, until
from ..courier import Courier
from ..station import Station, end


class Influx:
    """An influxd in a folder of the check."""

    def __init__(self, check, program, name="influx"):
        self.port, folder = free_port(), check.path(name)
        path = check.path(f"{name}.conf")
        with open(path, "w", encoding="ascii") as file:
            file.write(
                f'reporting-disabled = true\nbind-address = "127.0.0.1:{free_port()}"\n[meta]\n  dir = "{folder}/meta"\n'
                f'[data]\n  dir = "{folder}/data"\n  wal-dir = "{folder}/wal"\n'
                f'[http]\n  bind-address = "127.0.0.1:{self.port}"\n  log-enabled = false\n')
        with open(check.path(f"{name}.log"), "ab") as log:
            self.process = subprocess.Popen([program, "-config", path], stdout=log, stderr=log)
        check.ends(self)
        until(lambda: self.query("CREATE DATABASE air"), 20)

    def query(self, text, database="air"):
        data = urllib.parse.urlencode({"q": text, "db": database}).encode()
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/query", data, timeout=5) as answer:
                return answer.read().decode()
        except (urllib.error.URLError, OSError):
            return None

    def write(self, database, lines):
        """Writes points of now; the status of the answer."""
        place = f"http://127.0.0.1:{self.port}/write?db={database}"
        try:
            with urllib.request.urlopen(place, lines.encode(), timeout=5) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code

    def close(self):
        end(self.process)


def retention(check, options, part):
    """A day of samples each second, and an InfluxDB that keeps two hours of them: they arrive within a minute."""
    program = options.influxd or shutil.which("influxd")
    if program is None:
        return check.say("skipped: InfluxDB is not here (apt install influxdb)")
    database = Influx(check, program, "two-hours")
    database.query("CREATE DATABASE short WITH DURATION 2h")
    rows = 86_400
    with open(check.path("day.u16"), "wb") as file:
        file.write(b"".join(struct.pack("<HH", 100 + second % 50, 200) for second in range(rows)))
    start = datetime.datetime.fromtimestamp(time.time() - rows - 60, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    folder = check.path("day")
    check.roost("store", "replay", check.path("day.u16"), "--into", folder, "--start", start, "--device", "old", status=0)
    station = Station(check, "retention", store={"folder": folder}, mode="live",
                      devices=[{"name": "dust", "type": "nova-sds011", "port": part.place}])
    station.start()
    if not until(station.values, 30):
        raise Failed(f"the station with a day of samples has no values: {station.log()[-600:]}")
    station.trust_clock()
    courier = Courier(check, station, targets=[{
        "id": "influx", "type": "influx1", "url": f"http://127.0.0.1:{database.port}", "database": "short", "local": True}])
    courier.start()
    until(lambda: courier.target("influx").get("samples"), 30)
    begun = time.monotonic()
    until(lambda: courier.target("influx")["samples"]["waiting"] < 10, 120)
    seconds, target = time.monotonic() - begun, courier.target("influx")
    samples = target["samples"]
    check.demand(samples["waiting"] < 10 and seconds < 60, f"after {seconds:.0f} s: {target}")
    check.demand(rows - 7_400 < samples["leftOut"].get("notKept", 0) < rows - 6_900, f"left out: {samples}")
    check.demand(samples["leftOut"].get("refused", 0) == 0, f"left out one by one: {samples}")
    count = json.loads(database.query("SELECT count(pm25) FROM short.autogen.roost"))["results"][0]["series"][0]["values"][0][1]
    check.demand(abs(count - samples["delivered"]) < 10, f"InfluxDB has {count} points of {samples}")
    check.same(courier.stop(), 0, "the exit status of the courier beside a short retention")
    return check.say(f"of {rows} samples a retention of two hours took {samples['delivered']} in {seconds:.0f} s, "
                     f"by {target['requestCount']} requests")
