"""Planted stores: two cards of simulated lives and one with each cause of a gap; the same bytes for the same seed.

Their questions are answered without a station, and each digit of an answer is known.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess

from ..check import Failed
from .facts import facts, parse
from .moments import masked, steady

# Scenario, hours and seed of each life; those with a name leave their card.
LIVES = [("everything", 3, 5, "house"), ("drive", 3, 2, "car"), ("bad-card", 3, 11, None), ("owner", 4, 12, None)]
TEXT_MAX = 12  # Lines of a text that are kept; of the rest a hash.
# What each question asks of which cards. The gaps of `planted` are months of a sample a second.
ALL, LIVED = ("house", "car", "planted"), ("house", "car")
DAY = ["--from", "2026-04-08T12:00:00Z", "--to", "2026-04-08T13:00:00Z"]
COMMANDS = {
    "ledger": (ALL, ["ledger"]), "events": (ALL, ["events", "--from", "2025-01-01"]), "store series": (ALL, ["store", "series"]),
    "readings": (LIVED, ["readings"]), "dose": (("car",), ["dose"]), "alerts replay": (LIVED, ["alerts", "replay", "--last", "3h"]),
    "sites list": (LIVED, ["sites", "list"]), "sites clusters": (("car",), ["sites", "clusters", "cpm"]),
    "sites regions": (("car",), ["sites", "regions"]), "sites references": (("car",), ["sites", "references"]),
}



def lived(check, life):
    """Lives one life; its card lies in the folder of its name. Returns the report."""
    scenario, hours, seed, name = life
    words = ["simulate", "--scenario", scenario, "--for", f"{hours}h", "--seed", str(seed), "--no-shrink", "--json"]
    done = subprocess.run([check.program("roost-lab"), *words, *(["--keep"] if name else [])], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        raise Failed(f"roost-lab {' '.join(words)}: {done.returncode} {done.stderr[-300:]}")
    if name:
        kept = re.search(r"files are in (\S+)", done.stderr)
        if not kept:
            raise Failed(f"the life of {scenario} left no files: {done.stderr[-300:]}")
        shutil.move(kept[1], check.path(name))
    return done.stdout


def live(check, life, goldens):
    """Lives one life; returns what is golden of it."""
    scenario, hours, seed, _ = life
    text = lived(check, life)
    report = json.loads(text)
    if scenario == "everything":
        goldens.look("lives/report", ["$ roost-lab simulate --json", *values_of(check, text, 0)])
    return f"{scenario}, {hours} h, seed {seed}: {report['logHash']}, {report['sampleCount']} samples, {report['eventCount']} events"


def plant(check):
    done = subprocess.run([check.program("roost-lab"), "plant", check.path("planted"), "--json"], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        raise Failed(f"roost-lab plant: {done.returncode} {done.stderr[-300:]}")
    return done.stdout


def plain(check, text):
    """A text without the folder of this run."""
    return text.replace(check.folder, "FOLDER")


def lines_of(check, text):
    found = [f"| {line}".rstrip() for line in plain(check, text).splitlines()]
    rest = found[TEXT_MAX:]
    digest = hashlib.sha256("\n".join(rest).encode()).hexdigest()[:16]
    return [*found[:TEXT_MAX], f"({len(rest)} more lines: {digest})"] if rest else found


def values_of(check, text, limit=40):
    """The facts of an output: one JSON value, or one a line."""
    text = plain(check, text)
    try:
        return facts(parse(text), limit)
    except ValueError:
        return facts([parse(line) for line in text.splitlines()], limit)


def answer(check, words, is_json, limit=40):
    """What a command says: its status, its output, what it says beside it."""
    done = check.roost(*words, *(["--json"] if is_json else []))
    out = values_of(check, done.stdout, limit) if is_json and done.stdout else lines_of(check, done.stdout)
    beside = [f"beside: {line}" for line in plain(check, done.stderr).splitlines() if line]
    return [f"$ roost {plain(check, ' '.join(words))}{' --json' if is_json else ''}", f"status {done.returncode}", *out, *beside, ""]


def question(check, name):
    """One command on each of its cards, as JSON and as text."""
    cards, words = COMMANDS[name]
    found = []
    for card in cards:
        rest = [*words, *(DAY if card == "planted" and words[0] == "readings" else []), "--store", check.path(card)]
        found += answer(check, rest, True) + answer(check, rest, False)
    return found


def status(check):
    found = []
    for card in ALL:
        for is_json in (True, False):
            found += answer(check, ["store", "status", check.path(card)], is_json)
        if card != "planted":
            for is_json in (True, False):
                found += answer(check, ["store", "check", check.path(card)], is_json)
    return found


def export(check):
    found = []
    for format in ("csv", "ndjson", "json"):
        for card in LIVED:
            words = ["export", "--format", format, "--store", check.path(card)]
            text = check.roost(*words, status=0).stdout
            found.append(f"$ roost {plain(check, ' '.join(words))}")
            if format == "csv":
                found += [*lines_of(check, "\n".join(text.splitlines()[:4])), f"({len(text.splitlines())} lines)", ""]
            else:
                found += [*values_of(check, text), ""]
    words = ["export", "--format", "bgeigie", "--survey", "drive 1", "--place", "receiver", "--store", check.path("car")]
    return found + answer(check, words, False)


def copies(check):
    """What copies, imports and replays say; each makes a new folder."""
    days = os.path.join("Tests", "StoreTests", "Fixtures", "2017-09-03_sds011_sensor_5331.csv")
    series = check.path("series.u16")
    with open(series, "wb") as file:
        file.write(bytes([123, 0, 200, 0]) * 3_600)
    found = []
    for number, is_json in enumerate((True, False)):
        into = check.path(f"imported-{number}")
        found += answer(check, ["import", days, "--as", "sensor-community", "--megabytes", "4", "--store", into], is_json)
        found += answer(check, ["store", "compact-copy", into, "--into", into + "-copy", "--megabytes", "8"], is_json)
        # What reached the device, and how fast, is of this machine.
        words = ["store", "replay", series, "--into", check.path(f"replayed-{number}"), "--megabytes", "4"]
        done = check.roost(*words, *(["--json"] if is_json else []))
        found += [f"$ roost {plain(check, ' '.join(words))}{' --json' if is_json else ''}", f"status {done.returncode}",
                  *(steady(done.stdout) if is_json else masked(done.stdout)), ""]
    return found
