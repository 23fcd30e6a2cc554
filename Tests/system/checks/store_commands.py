"""import, export, compact-copy, ledger and replay as processes, on stores of their own.

Imports Sensor.Community days and `periods` files twice, with broken rows and into wrong places; copies
the store into another size; exports it in every format and reads that with Python's own csv, json and
sqlite3; adds up the ledger of what was imported and of a series that was replayed.
"""

import csv
import glob
import io
import json
import os
import random
import resource
import sqlite3
import struct
import subprocess
import time

from ..check import COMMAND_SECONDS, ROOT

PRODUCTS = ("roost",)
FIXTURES = os.path.join(ROOT, "Tests", "StoreTests", "Fixtures")
DAYS = [os.path.join(FIXTURES, f"2017-09-0{day}_sds011_sensor_5331.csv") for day in (3, 2)]
HOURS = sorted(glob.glob(os.path.join(FIXTURES, "Periods", "hourly", "*.csv")))
EXPORT_KIBIBYTES_MAX = 40 << 10  # Resident, however much is exported.


def roost(check, *words, code=0, says=None):
    """What a command prints; its exit status and what standard error has to say are checked."""
    return check.roost(*words, status=code, says=says).stdout


def report(check, *words, **wanted):
    text = roost(check, *words, "--json", **wanted)
    return json.loads(text) if text.startswith(("{", "[")) else {}


def resident(check, *words):
    """The most memory that a command held, KiB; its output goes nowhere."""
    child = subprocess.Popen([check.program("roost"), *words], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    check.same(child.returncode, 0, " ".join(words))
    return usage.ru_maxrss


def exported(check, store, *words):
    """Every sample of a store: device and time to its values as text."""
    text = roost(check, "export", "--format", "ndjson", "--store", store, *words)
    found = {}
    for line in text.splitlines():
        sample = json.loads(line, parse_float=str, parse_int=str)
        values = {name: c["value"] for name, c in sample["channels"].items() if "value" in c}
        found[sample["device"], sample["time"]] = values
    check.demand(len(found) == len(text.splitlines()), "a sample was exported twice")
    return found


def sensor_community(paths):
    found = {}
    for path in paths:
        with open(path, newline="") as file:
            for row in csv.DictReader(file, delimiter=";"):
                key = f"sensor-community:{row['sensor_id']}", row["timestamp"] + ".0Z"
                found[key] = {"pm10": row["P1"], "pm25": row["P2"]}
    return found


def periods(paths, device):
    found = {}
    for path in paths:
        with open(path, newline="") as file:
            for name, value, words in csv.reader(file):
                at = time.strftime("%Y-%m-%dT%H:%M:%S.0Z", time.strptime(words))
                found.setdefault((device, at), {})[name.lower().replace(".", "")] = value
    return found


def importing(check):
    store = check.path("store")
    first = ["import", *DAYS, "--as", "sensor-community", "--store", store]
    wanted = sensor_community(DAYS)
    roost(check, *first, code=1, says="make one with --megabytes")
    check.demand(not os.path.exists(store), "a refused import made a folder")
    dry = report(check, *first, "--megabytes", "4", "--dry-run")
    check.same((dry.get("samples"), dry.get("isDryRun")), (len(wanted), True), "dry run")
    check.demand(not os.path.exists(store), "a dry run made a folder")
    done = report(check, *first, "--megabytes", "4")
    check.same((done.get("samples"), done.get("known")), (len(wanted), 0), "import")
    check.same(exported(check, store), wanted, "samples of Sensor.Community")
    for again in (first, first[:2] + first[3:]):
        known = len(wanted) if again is first else len(sensor_community(DAYS[:1]))
        done = report(check, *again)
        check.same((done.get("samples"), done.get("known")), (0, known), "the same files again")
    more = ["import", *HOURS, "--as", "periods", "--source", "old", "--store", store]
    mine = periods(HOURS, "periods:old")
    for samples, known in ((len(mine), 0), (0, len(mine))):
        done = report(check, *more)
        check.same((done.get("samples"), done.get("known")), (samples, known), "import of periods")
    wanted.update(mine)
    check.same(exported(check, store), wanted, "samples of both")
    own_copy(check, store, wanted)
    return store, wanted


def own_copy(check, store, wanted):
    """What was exported comes back into another station's history, known by its content; a history says what to do."""
    copy, other = check.path("copy.csv"), check.path("other-station")
    with open(copy, "w", encoding="utf-8") as file:
        file.write(roost(check, "export", "--format", "csv", "--store", store))
    for samples, known in ((len(wanted), 0), (0, len(wanted))):
        done = report(check, "import", copy, "--store", other, "--megabytes", "4")
        check.same((done.get("samples"), done.get("known")), (samples, known), "import of a copy")
    found = {("roost:" + device, at): values for (device, at), values in wanted.items()}
    check.same(exported(check, other), found, "samples of the copy")
    for form in ("ndjson", "json", "sqlite"):
        copy = check.path(f"copy.{form}")
        roost(check, "export", "--format", form, "--store", store, "--output", copy)
        done = report(check, "import", copy, "--store", other)
        check.same((done.get("samples"), done.get("known")), (0, len(wanted)), f"import of a copy as {form}")
    roost(check, "import", os.path.join(store, "history.db"), "--store", other, code=1, says="--format csv")


def broken(check, store, wanted):
    with open(DAYS[0]) as file:
        lines = file.read().splitlines()[:6]
    lines = [line.replace("2017-", "2018-") for line in lines]
    lines[3] = lines[3].replace("SDS011;", "SDS011;no such place;")
    path, bad = check.path("broken.csv"), check.path("bad.csv")
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")
    with open(bad, "w") as file:
        file.write("\n".join([lines[0], lines[3]]) + "\n")
    words = ["--as", "sensor-community", "--store", store]
    done = report(check, "import", path, *words, says=f"{path}:4")
    file = done.get("files", [{}])[0]
    check.same((done.get("samples"), file.get("rows"), file.get("badRows")), (4, 5, 1),
               "a file with a broken row")
    report(check, "import", bad, *words, code=1, says=f"{bad}:2")
    roost(check, "import", check.path("absent.csv"), *words, code=1, says="absent.csv")
    other = check.path("other.csv")
    with open(other, "w", encoding="utf-8") as file:
        file.writelines(f"{row},of,another\n" for row in range(200))
    summary = report(check, "import", DAYS[0], other, *words, code=1, says="all its 200 rows are bad")
    check.same([file["isForeign"] for file in summary.get("files", [])], [False, True],
               "a foreign file among good ones")
    roost(check, "import", DAYS[0], "--as", "periods", "--store", store, code=64, says="--source")
    roost(check, "import", DAYS[0], "--as", "sensor-community", "--store", path, "--megabytes", "4",
              code=1, says=path)
    lines.pop(3)
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")
    wanted.update(sensor_community([path]))
    check.same(exported(check, store), wanted, "samples after a broken row")


def exporting(check, store, wanted):
    rows = list(csv.DictReader(io.StringIO(roost(check, "export", "--format", "csv", "--store", store))))
    check.same({(r["device"], r["time"], r["channel"], r["value"]) for r in rows},
               {(*key, name, value) for key, values in wanted.items()
                for name, value in values.items()}, "csv")
    whole = json.loads(roost(check, "export", "--format", "json", "--store", store))
    samples = whole if isinstance(whole, list) else whole["samples"]
    check.same(len(samples), len(wanted), "json")
    day = exported(check, store, "--from", "2017-09-03", "--to", "2017-09-04")
    check.same(day, sensor_community(DAYS[:1]), "one day of ndjson")

    database = check.path("plain.db")
    sqlite = ["export", "--format", "sqlite", "--store", store]
    roost(check, *sqlite, code=64, says="--output")
    roost(check, *sqlite, "--output", database)
    roost(check, *sqlite, "--output", database, code=1, says="--force")
    roost(check, *sqlite, "--output", database, "--force")
    roost(check, *sqlite, "--output", check.path("absent", "plain.db"), code=1, says="absent")
    with sqlite3.connect(database) as plain:
        check.same(plain.execute("SELECT count(*) FROM readings").fetchone()[0], len(rows), "sqlite")
        check.same(plain.execute("PRAGMA integrity_check").fetchone()[0], "ok", "sqlite")

    without_room(check, store)
    folders = check.path("folders")
    words = ["export", "--format", "periods", "--store", store, "--device", "periods:old"]
    roost(check, *words, code=64, says="--output")
    roost(check, *words, "--output", folders)
    for kind in ("hourly", "daily"):
        found = sorted(os.listdir(os.path.join(folders, kind)))
        check.same(found, sorted(os.listdir(os.path.join(FIXTURES, "Periods", kind))), kind)
        for name in found:
            with open(os.path.join(folders, kind, name), "rb") as mine, \
                    open(os.path.join(FIXTURES, "Periods", kind, name), "rb") as theirs:
                check.demand(mine.read() == theirs.read(), f"{kind}/{name} differs from Python's")
    for format in ("csv", "ndjson", "json"):
        child = subprocess.Popen([check.program("roost"), "export", "--format", format, "--store", store],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        child.stdout.read(10)
        child.stdout.close()
        errors = child.stderr.read().decode()
        check.demand("failed" not in errors, f"{format} to a reader that leaves: {errors}")
        check.same(child.wait(COMMAND_SECONDS), 0, f"{format} to a reader that leaves")


def without_room(check, store):
    """An export that finds no room leaves the file of before, and nothing beside it."""
    words = [check.program("roost"), "export", "--format", "ndjson", "--store", store, "--output"]
    folder = check.path("full")
    os.mkdir(folder)
    path = os.path.join(folder, "samples")
    subprocess.run([*words, path], check=True, timeout=COMMAND_SECONDS, capture_output=True)
    with open(path, "rb") as file:
        before = file.read()
    limit = len(before) // 2
    check.demand(limit > 1 << 15, f"{limit} bytes are less than the commands need themselves")
    # Python ignores SIGXFSZ, and so does the command: a write beyond the limit fails.
    done = subprocess.run([*words, path], timeout=COMMAND_SECONDS, capture_output=True, text=True,
                          restore_signals=False,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    check.same((done.returncode, "samples: cannot be written" in done.stderr), (1, True), done.stderr)
    check.same(os.listdir(folder), ["samples"], "what an export without room leaves")
    with open(path, "rb") as file:
        check.demand(file.read() == before, "an export without room changed the file of before")


def copying(check, store, wanted):
    copy = check.path("copy")
    words = ["store", "compact-copy", store, "--into", copy, "--megabytes", "8"]
    done = report(check, *words)
    check.same(done.get("findings"), [], "findings in the copy")
    check.same(done.get("byteCount"), os.path.getsize(os.path.join(copy, "history.db")), "its size")
    check.same(exported(check, copy), wanted, "samples of the copy")
    check.same(exported(check, store), wanted, "samples of the original after it")
    roost(check, *words, code=1, says="is there already")
    roost(check, "store", "compact-copy", check.path("absent"), "--into", check.path("new"), code=1,
              says="there is no history")
    roost(check, "store", "check", copy)
    done = report(check, "import", *DAYS, "--as", "sensor-community", "--store", copy)
    check.same(done.get("samples"), 0, "import into the copy of what it has")


def lines(check, store, *words):
    """The ledger's lines, each checked to add up."""
    found = {}
    for line in report(check, "ledger", "--store", store, *words).get("items", []):
        gaps = sum(gap["seconds"] for gap in line["gaps"])
        check.same(round(line["coveredSeconds"] + gaps, 1), line["elapsedSeconds"], line["channel"])
        found[line["channel"]] = line
    return found


def ledger(check, store, wanted):
    found = lines(check, store)
    check.same(sorted(found), sorted(f"{device}/{name}" for device in {d for d, _ in wanted}
                                     for name in ("pm10", "pm25")), "streams of the ledger")
    for channel, line in found.items():
        times = sorted(at for device, at in wanted if channel.startswith(device + "/"))
        check.same(line["valueCount"], len(times), f"values of {channel}")
        first, last = (time.mktime(time.strptime(at, "%Y-%m-%dT%H:%M:%S.0Z"))
                       for at in (times[0], times[-1]))
        check.same(line["elapsedSeconds"], round(last - first), f"time of {channel}")
        check.demand({gap["cause"] for gap in line["gaps"]} <= {"notImported"},
                    f"causes of {channel}: {line['gaps']}")
        check.demand(line["coveredSeconds"] > 0, f"{channel} covers nothing")
    day = lines(check, store, "--from", "2017-09-02T12:00:00", "--to", "2017-09-03T12:00:00")
    check.same(day["sensor-community:5331/pm25"]["elapsedSeconds"], 86_400, "a day of the ledger")


def replay(check):
    dice, level, series, store = random.Random(1), 120, check.path("series.u16"), check.path("replay")
    count = 3 * 3_600
    with open(series, "wb") as file:
        for _ in range(count):
            level = min(max(5, level + dice.randint(-3, 3)), 3_000)
            file.write(struct.pack("<HH", level, level + dice.randint(0, 20)))
    roost(check, "store", "replay", series, "--into", store, "--megabytes", "4")
    found = lines(check, store)
    check.same({line["valueCount"] for line in found.values()}, {count}, "values of the series")
    with open(series, "rb") as file:
        rows = list(struct.iter_unpack("<HH", file.read()))
    stored = [(v["pm25"], v["pm10"]) for _, v in sorted(exported(check, store).items())]
    check.same(stored, [(f"{a // 10}.{a % 10}", f"{b // 10}.{b % 10}") for a, b in rows], "series")
    month = check.path("month")
    roost(check, "store", "replay", series, "--into", month, "--megabytes", "8", "--repeat", "48")
    for format in ("csv", "ndjson", "json"):
        words = ["export", "--format", format, "--store"]
        few, many = resident(check, *words, store), resident(check, *words, month)
        check.demand(many < EXPORT_KIBIBYTES_MAX and many < few + 4_096,
                    f"{format} of 48 times as much takes {many} KiB in place of {few}")
    # A page of the history overwritten: it is found, named, and the rest is served.
    with open(os.path.join(store, "history.db"), "r+b") as file:
        file.seek(0)
        file.write(b"\xa5" * 8_192)
    roost(check, "store", "check", store, code=1)
    roost(check, "export", "--format", "csv", "--store", store, code=1, says="store check")


def asking(check):
    """What cannot be taken back asks first, before it needs a station."""
    for answer in ("", "no\n"):
        check.roost("settings", "new-id", input=answer, status=1, says="Type yes to go on")
    check.roost("settings", "new-id", "--yes", status=69)


def run(check, options):
    os.environ.update(TZ="UTC", ROOST_SOCKET=check.path("no-station"))
    time.tzset()
    store, wanted = importing(check)
    for step in (broken, exporting, copying, ledger):
        step(check, store, wanted)
    replay(check)
    asking(check)
    return f"{check.count} checks of import, export, compact-copy, ledger and replay"
