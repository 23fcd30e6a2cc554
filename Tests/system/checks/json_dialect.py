"""Every command of `roost` with --json prints what docs/reference/json.md says.

The list of commands is the program's own (--experimental-dump-help): one that has no example here
fails. A simulated SDS011 on a pseudo-terminal, a running `roostd` and its store stand behind them.
"""

import json
import os
import re
import subprocess

from ..check import ROOT, until
from ..station import Part, Station, end

PRODUCTS = ("roost", "roostd")
LISTS = {"ledger", "profiles list"}  # An array in place of an object: still to be changed.
OTHERS = {"demo-node", "help", "export", "profiles show", "profiles rules",
          "web", "outbox", "courier", "secret", "subscribers", "target", "receiver", "reset",
          "stations"}  # No report, their own format, or `roost-courier`'s.
# Numbers as text are ids here, not measurements.
IDS = {"id", "firmware", "serial", "version", "bootID", "vendorID", "productID", "logHash", "usb",
       "pin", "identity", "file", "path", "seed"}
PROSE = {"sentence", "sentences", "nextStep", "why", "trouble", "lastTrouble", "reason", "words",
         "discussion", "asks", "problems", "notes", "findings", "lastExit", "next", "details",
         "name", "summary", "text"}
NAME = re.compile(r"[a-z][A-Za-z0-9]*\Z")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z\Z")
DATED = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:")
NUMBER = re.compile(r"-?\d+(\.\d+)?( ?(s|ms|min|h|B|KB|KiB|MiB|MB|%))?( ago)?\Z")


def problems(value, path="", key=""):
    """What is not of the dialect in a value."""
    if isinstance(value, dict):
        for name, item in value.items():
            if not NAME.match(name) and key not in ("endings", "notices"):  # Counted by kind, and by seconds between two.
                yield f"{path}: the name {name!r}"
            yield from problems(item, f"{path}.{name}", name)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from problems(item, f"{path}[{index}]", key)
    elif value is None:
        yield f"{path}: null"
    elif isinstance(value, str):
        is_time = key == "time" or key.endswith("Time") or DATED.match(value)
        if not value:
            yield f"{path}: empty text"
        elif key not in PROSE and is_time and not TIME.match(value):
            yield f"{path}: {value!r} is no time"
        elif key not in PROSE | IDS and NUMBER.match(value):
            yield f"{path}: {value!r} is a number as text"


def leaves(command, words=()):
    own = [one for one in command.get("subcommands", []) if one["commandName"] != "help"]
    if not own:
        yield words, {n["name"] for a in command.get("arguments", []) for n in a.get("names") or []}
    for one in own:
        yield from leaves(one, words + (one["commandName"],))


def first_line(check, *words):
    """What a command says first that runs until it is stopped."""
    child = subprocess.Popen([check.program("roost"), *words], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True)
    line = child.stdout.readline()
    end(child, 10)
    child.stdout.close()
    return line


def judge(check, command, output):
    """Demands that every line of an output is of the dialect."""
    lines = output.splitlines()
    check.demand(lines, f"{command}: prints nothing")
    seen = set()
    for number, line in enumerate(lines, 1):
        try:
            value = json.loads(line)
        except ValueError:
            return check.demand(False, f"{command}: line {number} is no JSON: {line[:80]}")
        check.demand(isinstance(value, dict) or command in LISTS,
                     f"{command}: line {number} is no object")
        seen.update(problems(value))
    for one in sorted(seen)[:6]:
        check.demand(False, f"{command}{one}")
    return True


def examples(check, station):
    """What stands behind each command; a tuple alone takes the station's socket."""
    fixtures = os.path.join(ROOT, "Tests", "StoreTests", "Fixtures")
    day = os.path.join(fixtures, "2017-09-03_sds011_sensor_5331.csv")
    series = check.path("series.u16")
    with open(series, "wb") as file:
        file.write(bytes([123, 0, 200, 0]) * 3_600)
    store = station.config["store"]["folder"]
    asks = ["--socket", station.socket]
    reads = ["--store", store, *asks]
    copy = ["--store", check.path("imported")]
    rules = check.path("rules.json")
    with open(rules, "w", encoding="utf-8") as file:
        file.write("[]")
    return {
        "sites list": reads, "sites regions": reads, "sites references": reads, "sites clusters": ["pm25", *reads],
        "status": asks, "tree": asks, "devices list": asks, "watch": ["--for", "3s", *asks],
        "live": ["--for", "3s", *asks], "readings": reads, "events": reads, "ledger": reads,
        "mode": ["live", "--for", "1h", *asks], "mute": ["dust", "--for", "1h", *asks],
        "unmute": ["dust", *asks],
        "note": ["windows opened", *asks],
        "clock show": asks, "clock trust": asks,
        "doctor": [], "demo": ["--for", "4s"],
        "import": [day, "--as", "sensor-community", "--megabytes", "4", *copy],
        "store plan": [], "store status": [store], "store series": reads,
        "store check": [check.path("imported")],
        "store compact-copy": [*copy, "--into", check.path("copied")],
        "store replay": [series, "--into", check.path("replayed"), "--megabytes", "4"],
        "profiles list": [], "profiles graph": ["nova-sds011"], "profiles check": [],
        # Refused by this station, which detects nothing: the answer is on standard error.
        "devices adopt": None, "devices ignore": None, "devices rename": None, "devices forget": None,
        # This machine may have no header: scripts/check net reads what it says of simulated pins.
        "devices pins": None, "devices try": None,
        "settings list": asks, "settings set": ["zone", "Europe/Rome", *asks], "devices record": ["dust", "off", *asks],
        "devices add": ["court", "--at", "192.168.77.20", *asks],
        "devices set": ["court", "--every", "30s", *asks], "devices remove": ["court", *asks],
        "alerts list": asks, "alerts rules": asks, "alerts check": [rules], "alerts replay": ["--last", "1h", *reads],
        "alerts silence": ["who-24h:dust/pm25", "--for", "1h", *asks], "alerts unsilence": ["who-24h:dust/pm25", *asks],
        "update describe": [],
        # Nothing is raised here, no counter and no image; `roost-eyes` has no ring: their own checks read what they say.
        "alerts test": None, "alerts ack": None, "dose": None, "settings new-id": None, "update status": None,
        "update install": None, "update rollback": None, "update confirm": None, "provision": None,
        "records list": None, "records get": None, "records delete": None, "records export": None,
        "camera list": None, "camera set": None, "camera undo": None, "camera try": None,
        # Asks the dashboard: scripts/check accounts reads what it says.
        "claim": None,
        # Theirs are in scripts/check net, rules and backup of scripts/check browser.
        "alerts add": None, "alerts remove": None, "alerts on": None, "alerts off": None, "backup": None, "restore": None,
        # Needs a partition: scripts/check partition reads what it says.
        "store partition": None,
        "simulator sds011": "first line", "simulator part": ["plantower-pms"],
        "simulator http": "first line",
    }


def station_with_store(check):
    part = Part(check, "sds011", link=check.path("port"))
    station = Station(
        check, "json", detect=False, mode="live",
        store={"folder": check.path("store"), "megabytes": 4, "lossWindowSeconds": 10},
        devices=[{"name": "dust", "type": "sds011", "port": part.place}])
    station.start()
    check.demand(until(lambda: len(station.ask("readings")) > 20, 30, 1),
                 "the station has no readings after 30 s")
    return station


def run(check, options):
    table = json.loads(check.roost("--experimental-dump-help").stdout)["command"]
    station = station_with_store(check)
    known, count = examples(check, station), 0
    commands = [(" ".join(w), o) for w, o in leaves(table) if w and not {w[0], " ".join(w)} & OTHERS]
    late = {"store check": 1, "store compact-copy": 1}
    for command, names in sorted(commands, key=lambda one: late.get(one[0], 0)):
        check.demand("json" in names, f"{command}: does not take --json")
        check.demand(command in known, f"{command}: has no example in {os.path.relpath(__file__, ROOT)}")
        rest = known.get(command)
        if rest is None:
            continue
        words = [*command.split(), *([] if rest == "first line" else rest), "--json"]
        is_endless = words[0] == "simulator"
        judge(check, command, first_line(check, *words) if is_endless else check.roost(*words).stdout)
        count += 1
    return f"{count} commands speak the dialect"
