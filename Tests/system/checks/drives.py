"""Logs of bGeigies and measurements of Safecast are imported as an independent reader counts them.

The published logs in Tests/DevicesTests/Fixtures/bgeigie and measurements that are made here go into a store
together, twice, cut up and with other names. Lines, samples, counts and the box around all fixes of each file are
those that a reader of its own in Python finds; the same drive in another file is counted as near-identical, and
nothing is stored twice.
"""

import functools
import json
import operator
import os
import re
from datetime import datetime, timezone

from ..check import ROOT

PRODUCTS = ("roost",)
FIXTURES = os.path.join(ROOT, "Tests", "DevicesTests", "Fixtures", "bgeigie")
LOGS = sorted(os.path.join(FIXTURES, name) for name in os.listdir(FIXTURES) if name.endswith(".log"))
HEADERS = ("BMRDD", "BGRDD", "BNRDD", "BNXRDD", "PNTDD", "CZRDD")
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?$")


def degrees(packed, letter, letters):
    """100 × degrees + minutes with a hemisphere; the sign has no meaning."""
    if letter not in letters or not NUMBER.match(packed) or "." not in packed:
        raise ValueError(packed)
    number = abs(float(packed))
    whole, minutes = divmod(number, 100)
    if minutes >= 60:
        raise ValueError(packed)
    return (whole + minutes / 60) * (-1 if letter in "SW" else 1)


def record(line):
    """Device, time, counts and place of one line; ValueError for one that is none."""
    content, star, rest = line[1:].partition("*")
    if not star or not re.fullmatch(r"[0-9A-Fa-f]{2}[ \t]*", rest):
        raise ValueError("checksum")
    if functools.reduce(operator.xor, content.encode(), 0) != int(rest[:2], 16):
        raise ValueError("checksum")
    items = content.split(",")
    if not 13 <= len(items) <= 16 or items[0] not in HEADERS or {items[6], items[12]} - {"A", "V"}:
        raise ValueError("form")
    time = datetime.strptime(items[2], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)
    if not all(re.fullmatch(r"[0-9]{1,9}", items[place]) for place in (3, 4, 5)) or not NUMBER.match(items[11]):
        raise ValueError("numbers")
    place = degrees(items[7], items[8], "NS"), degrees(items[9], items[10], "EW")
    return (items[1], time.timestamp(), int(items[3]) if items[6] == "A" else None,
            place if items[12] == "A" else None)


def read(path):
    """What a log holds: good and bad lines, and samples by device and time, the first of each."""
    good, bad, samples = 0, 0, {}
    with open(path, "rb") as file:
        text = file.read().decode("latin-1")
    for line in re.split(r"[\r\n]+", text):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            if not line.startswith("$"):
                raise ValueError("start")
            device, time, rate, place = record(line)
        except ValueError:
            bad += 1
            continue
        good += 1
        if rate is not None or place is not None:
            samples.setdefault((device, time), (rate, place))
    return good, bad, samples


def box(samples):
    places = [place for _, place in samples.values() if place]
    if not places:
        return None
    return [min(p[0] for p in places), min(p[1] for p in places), max(p[0] for p in places), max(p[1] for p in places)]


def report(check, store, files, *words, code=0):
    text = check.roost("import", "--as", "safecast", "--store", store, "--json", *words, *files, status=code).stdout
    return json.loads(text)


def compare(check, found, expected, name):
    good, bad, samples = expected
    check.same((found["rows"], found["badRows"]), (good + bad, bad), f"lines of {name}")
    own = box(samples)
    if own is None:
        check.same("box" in found, False, f"a box of {name}")
        return
    edges = [found["box"][edge] for edge in ("south", "west", "north", "east")]
    check.demand(all(abs(a - b) < 1e-6 for a, b in zip(edges, own)), f"box of {name}: {edges}, not {own}")


def measurements(check):
    """Files of the API's form: a list on one line, and an object a line."""
    rows = [{"id": 100 + number, "user_id": 9, "value": 30.5 + number, "unit": "cpm", "latitude": 46.0 + number / 1000,
             "longitude": -11.5, "captured_at": f"2024-05-01T10:00:{number:02d}.000Z",
             "device_id": 52 if number % 2 else None, "location_name": "a \"quoted\" {name}, [twice]"}
            for number in range(40)]
    rows.append({"id": 1, "value": 0.12, "unit": "usv", "latitude": 46, "longitude": 11, "user_id": 9,
                 "captured_at": "2024-05-01T11:00:00.000Z", "device_id": None})
    bad = {"id": 2, "value": "many", "unit": "cpm", "latitude": 46, "longitude": 11, "captured_at": "2024-05-01T12:00:00Z"}
    as_list, as_lines = check.path("measurements.json"), check.path("lines.json")
    with open(as_list, "w", encoding="utf-8") as file:
        json.dump(rows + [bad], file)
    with open(as_lines, "w", encoding="utf-8") as file:
        file.writelines(json.dumps({"measurement": row}) + "\n" for row in rows)
    return rows, as_list, as_lines


def run(check, options):
    store = check.path("store")
    expected = {path: read(path) for path in LOGS}
    dry = report(check, store, LOGS, "--megabytes", "64", "--yes", "--dry-run", code=None)
    check.demand(not os.path.exists(os.path.join(store, "history.db")), "a dry run wrote a history")
    first = report(check, store, LOGS, "--megabytes", "64", "--yes", code=None)
    for found in first["files"]:
        compare(check, found, expected[found["path"]], os.path.basename(found["path"]))
    merged = {}
    # Files come by their first time, of equals the longest first.
    for path in sorted(LOGS, key=lambda path: (min((key[1] for key in expected[path][2]), default=0), path)):
        for key, value in expected[path][2].items():
            merged.setdefault(key, value)
    check.same(first["samples"], len(merged), "samples of all logs")
    check.same(dry["samples"], first["samples"], "samples of the dry run")
    again = report(check, store, LOGS, "--yes", code=None)
    check.same((again["samples"], again["known"]), (0, first["samples"] + first["known"]), "samples of a second time")
    whole = [found for found in again["files"] if found["isNearIdentical"]]
    check.same(len(whole), sum(1 for path in LOGS if expected[path][2]), "near-identical drives of a second time")
    # The same drive with some lines lost, under another name, is one drive all the same.
    with open(os.path.join(FIXTURES, "nano-204-20120920.log"), "rb") as file:
        lines = file.read().split(b"\r\n")
    cut = check.path("ride-again.log")
    with open(cut, "wb") as file:
        file.write(b"\n".join(line for number, line in enumerate(lines) if number % 50))
    twin = report(check, store, [cut], "--yes")
    check.same((twin["samples"], twin["nearIdentical"]), (0, 1), "a drive with lost lines")
    rows, as_list, as_lines = measurements(check)
    third = report(check, store, [as_list, as_lines], "--yes")
    check.same(third["samples"], len(rows), "measurements")
    check.same(sorted((found["rows"], found["badRows"]) for found in third["files"]), [(41, 0), (42, 1)], "rows of JSON")
    check.same(third["nearIdentical"], 1, "the same measurements in another form")
    stored = {}
    text = check.roost("export", "--format", "ndjson", "--store", store, status=0).stdout
    for sample in map(json.loads, text.splitlines()):
        stored.setdefault(sample["device"], []).append(sample["channels"])
    check.same({name: len(found) for name, found in stored.items() if name.startswith("safecast:")},
               {"safecast:52": 20, "safecast:user-9": 21}, "devices of measurements")
    for device in sorted({key[0] for key in merged}):
        own = {key: value for key, value in merged.items() if key[0] == device}
        rates = sum(rate for rate, _ in own.values() if rate is not None)
        found = stored[f"bgeigie:{device}"]
        sums = sum(int(float(one["cpm"]["value"])) for one in found if one.get("cpm", {}).get("value") is not None)
        check.same((len(found), sums), (len(own), rates), f"samples and counts of bgeigie:{device}")
    return f"{len(LOGS)} logs with {first['samples']} samples and {len(rows)} measurements as an independent reader has them"
