"""Every gap of a simulated station says why over HTTP, and the proof is `roost ledger` to the digit.

`roost-lab simulate` lives 60 days of a station with all kinds of faults, and 20 of each of three others with their
own: an owner who renames, a bad card, a sensor that wears out; and `roost-lab plant` writes what no such life has: a
ring that has turned, a card that stalled for hours. `roost-web --store` shows the card of each. The figures of /api/v1/proof must be those of `roost ledger --json`, to the tenth of a second. Then, for each cause that
the proof names, gaps of that cause in three channels are looked for with /api/v1/ledger and opened with
/api/v1/gaps: each must have the same cause, a sentence and an end, and where something can be done, the next step.
`--store FOLDER` takes a card that is there already.
"""

import json
import os
import re
import shutil
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from collections import Counter
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from itertools import chain

from ..browser.dashboard import free_port
from ..browser.files import WWW, swift_cases
from ..check import Failed
from ..station import end

PRODUCTS = ("roost", "roost-lab", "roost-web")
# All of docs/reference/ledger.md but what only an import or a device of events has.
WANTED = set(swift_cases("Events", "GapCause.swift")) - {"notImported", "notScheduled"}
# Causes without a next step: nothing is to be done, or it was meant.
IDLE = {
    "warmingUp", "starting", "nodeStopped", "notScheduled", "notDue", "late", "gated", "notMeasured",
}
LIVES = (("everything", 60), ("owner", 20), ("bad-card", 20), ("dying-sensor", 20))
HALVINGS = 40  # Until a stretch of a cause is alone.
FAULTS = 25  # Gaps of one channel or more that a life has at least.
CHANNELS = 3  # In which a gap of each cause is opened.


def arguments(parser):
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--store", help="a card that is there already")


class Card:
    """roost-web before a store, without a station."""

    def __init__(self, check, store):
        self.port = free_port()
        command = [check.program("roost-web"), "--store", store, "--listen", f"127.0.0.1:{self.port}", "--www", WWW,
                   "--idle", "0"]
        with open(check.path("web.log"), "ab") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        check.ends(self)
        if "listening" not in self.process.stdout.readline():
            raise Failed("roost-web does not start; see web.log")

    def ask(self, path, **query):
        """An answer with its numbers as they were written; None where there is nothing."""
        words = "?" + urllib.parse.urlencode(query) if query else ""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/v1/{path}{words}", timeout=60) as answer:
                return json.loads(answer.read(), parse_float=Decimal)
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return None
            raise Failed(f"/{path}{words}: {error.code} {error.read()[:300]}") from error

    def close(self):
        end(self.process)
        self.process.stdout.close()


def simulate(check, scenario, days, seed):
    """Lives a station's life; returns the folder of its card."""
    done = subprocess.run(
        [check.program("roost-lab"), "simulate", "--scenario", scenario, "--for", f"{days}d",
         "--seed", str(seed), "--no-shrink", "--keep"], capture_output=True, text=True, check=False)
    places = re.findall(r"the card's files are in (\S+)", done.stderr + done.stdout)
    if done.returncode != 0 or not places:
        raise Failed(f"the simulation ended with {done.returncode}: {done.stderr[-300:]}")
    store = check.path("card-" + scenario)
    shutil.move(places[-1], store)
    return store


def plant(check):
    """The folder of a store that has each cause."""
    store = check.path("planted")
    done = subprocess.run([check.program("roost-lab"), "plant", store], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(f"roost-lab plant ended with {done.returncode}: {done.stderr[-300:]}")
    return store


def tenths(seconds):
    return int(Decimal(seconds) * 10)


def figures(channel):
    return {name: value for name, value in channel.items() if name != "unit"}


def compare(check, proof, store):
    """Holds the proof against the command line, channel by channel."""
    answer = check.roost("ledger", "--store", store, "--json", status=0)
    lines = {line["channel"]: line for line in json.loads(answer.stdout, parse_float=Decimal)["items"]}
    proven = {channel["channel"]: channel for channel in proof["channels"]}
    check.same(sorted(proven), sorted(lines), "the channels of proof and ledger")
    for name in sorted(set(proven) & set(lines)):
        check.same(figures(proven[name]), figures(lines[name]), f"the figures of {name}")
    return len(lines)


def wall(tenths_since_1970):
    moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=tenths_since_1970 / 10)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{tenths_since_1970 % 10}Z"


def ledger(card, channel, **query):
    """A channel's ledger; None where it has none."""
    answer = card.ask("ledger", channel=channel, **query)
    return answer and answer["items"][0]


def find(card, channel, cause, answer):
    """The longest stretch of a cause that is a gap of its own; halves the time where finer ones were merged."""
    for _ in range(HALVINGS):
        found = [(tenths(to) - tenths(start), tenths(start), tenths(to))
                 for start, to, name in answer["stretches"] if name == cause]
        if found and (not answer["isMerged"] or max(found)[0] > 0):
            return max(found)[1:]
        if not answer["isMerged"] or not answer["stretches"]:
            return None
        start, to = tenths(answer["stretches"][0][0]), tenths(answer["stretches"][-1][1])
        middle = (start + to) // 2
        for half in ((start, middle), (middle, to)):
            answer = ledger(card, channel, **{"from": wall(half[0]), "to": wall(half[1])})
            if answer and any(gap["cause"] == cause for gap in answer["gaps"]):
                break
    return None


def open_gap(check, card, channel, cause, stretch):
    """Asks for the gap as a tap on it would; returns its sentence."""
    start, to = stretch
    moment = wall((start + to) // 2)
    gap = card.ask(f"gaps/{channel}/{moment}")
    what = f"{channel} at {moment}"
    if gap is None:
        check.demand(False, f"{what}: {cause} in the ledger, and no gap")
        return ""
    check.same(gap["cause"], cause, f"the cause of {what}")
    for key in ("name", "sentence") + (() if cause in IDLE else ("nextStep",)):
        check.demand(gap.get(key), f"{what}: the gap of {cause} has no {key}")
    check.demand("from" in gap or "to" in gap, f"{what}: the gap has no end")
    return f"{gap['sentence']} {gap.get('nextStep', 'Nothing to do.')}"


def judge(check, store, seen, opened):
    """Compares a card and opens its gaps; returns how many channels and gaps it has."""
    card = Card(check, os.path.abspath(store))
    proof = card.ask("proof")
    count, faults = compare(check, proof, store), Counter()
    for channel in proof["channels"]:
        name, answer = channel["channel"], None
        for gap in channel["gaps"]:
            cause = gap["cause"]
            faults[cause] = max(faults[cause], gap["count"])
            seen.setdefault(cause, "")
            if opened[cause] >= CHANNELS:
                continue
            answer = answer or ledger(card, name)
            stretch = find(card, name, cause, answer)
            if stretch is not None:
                seen[cause] = open_gap(check, card, name, cause, stretch) or seen[cause]
                opened[cause] += 1
    return count, sum(faults.values())


def run(check, options):
    seen, opened, channels, faults = {}, Counter(), 0, 0
    lives = (simulate(check, scenario, days, options.seed) for scenario, days in LIVES)
    for store in [options.store] if options.store else chain([plant(check)], lives):
        count, found = judge(check, store, seen, opened)
        check.say(f"{os.path.basename(store)}: {count} channels, {found} gaps of the channels that have most")
        channels, faults = channels + count, faults + found
    for cause, sentence in sorted(seen.items()):
        check.say(f"{cause}: {sentence or 'no stretch of its own'}")
    if not options.store:
        reached = {cause for cause, sentence in seen.items() if sentence}
        check.same(sorted(WANTED - reached), [], "causes that no gap had")
        check.demand(faults >= FAULTS, f"{faults} gaps are fewer than {FAULTS}")
    return f"{channels} channels equal to roost ledger; {sum(opened.values())} gaps of {len(seen)} causes opened"
