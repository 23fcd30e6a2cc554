"""Mistakes are planted in a scratch copy, and the tests notice at least 95 % of them (two hours).

The mistakes are in Tests/Support/mutant_table.py: file, text, what stands there instead, what that
breaks, and the suites that should notice. A text that does not stand in its file exactly once is
refused before anything is built. Each is built incrementally and its suites run in debug, without a
network. Two whose suites do not run through each other's file are built together. The test that noticed
a mistake last time runs first, the suites only when it passes. With --jobs the mistakes are shared among
several scratch copies, each with a build folder of its own (1 GB).
"""

import glob
import hashlib
import json
import os
import queue
import re
import sys
import threading
import time

from ..check import ROOT, Failed
from ..scratch import build, execute, synchronise, write_if_changed

sys.path.insert(0, os.path.join(ROOT, "Tests", "Support"))

from mutant_table import MUTANTS  # noqa: E402

GOAL = 0.95
# The sources as they were when the run began: work may go on meanwhile.
PRISTINE = {}
# What suites run through, by how the paths of files begin; the longest name that fits counts.
REACH = {
    "AlertsTests": "Alerts Core",
    "DevicesTests": "Core Devices HardwareIO Profiles Runtime SimulationKit",
    "DevicesTests.PIR": "Core Devices/GPIO/PIR Runtime SimulationKit",
    "DevicesTests.RecoveryPolicy": "Core Devices/Serial/RecoveryPolicy",
    "DevicesTests.TrafficLight": "Core Devices/GPIO/TrafficLight Runtime SimulationKit",
    "LinuxIOTests": "Core Devices HardwareIO LinuxIO Runtime SimulationKit",
    "LinuxIOTests.FileBlock": "HardwareIO LinuxIO",
    "GPIOTests.GPIO": "Core HardwareIO LinuxIO Runtime",
    "LinuxIOTests.Hotplug": "HardwareIO",
    "LinuxIOTests.InstanceLock": "LinuxIO",
    "StationTests": "Alerts Configuration ControlProtocol Core Devices HardwareIO Profiles SQLite "
                    "Runtime SimulationKit Station Store",
    "StationTests.LogBudget": "Core Station/Faults/LogBudget",
    "StationTests.ReadingRing": "Core Station/Readings/Reading",
    "RoostCourierTests": "Alerts ControlProtocol Core CourierSimulation Profiles RoostCourier Runtime "
                         "SimulationKit Store StoreQueries",
    "RoostWebTests": "Camera ControlProtocol Core HardwareIO RoostWeb SQLite Store StoreQueries",
    "SQLiteTests": "SQLite",
    "StoreTests": "Core HardwareIO LinuxIO PowerCut PowerCutWorkloads SQLite SimulationKit Store",
    "StoreTests.CRC32C": "Store/Journal/CRC32C",
    "StoreTests.ClockAnchors": "Core Store/Ledger/Clock",
    "StoreTests.GapLedger": "Core Store/Ledger",
    "StoreTests.Journal": "Core HardwareIO LinuxIO/Process/FileBlock PowerCut SQLite SimulationKit "
                          "Store/Journal",
    "StoreTests.TailMirror": "Store/Journal",
    "RuntimeTests": "Core Runtime SimulationKit",
}


class Patience:
    """How long suites may take before they count as hanging."""

    seconds = 120.0


class Planted:
    """One row with what became of it."""

    def __init__(self, row):
        self.row, self.verdict, self.by, self.seconds = row, None, "", 0.0
        self.last = ""  # The test that noticed it in an earlier run.
        name = max((known for known in REACH if row.suites.startswith(known)), key=len)
        self.place, self.reach = row.file.removeprefix("Sources/"), REACH[name].split()
        self.name = self.place, row.breaks, row.suites
        self.key = hashlib.sha256(repr(tuple(row)).encode()).hexdigest()[:16]

    def is_apart_from(self, other):
        def reaches(one, two):
            return any(two.place.startswith(start) for start in one.reach)

        return not reaches(self, other) and not reaches(other, self)


def check_table(rows):
    """Refuses a table that does not fit the sources any more."""
    wrong = []
    for row in rows:
        if row.file not in PRISTINE:
            with open(os.path.join(ROOT, row.file), encoding="utf-8") as file:
                PRISTINE[row.file] = file.read()
        count = PRISTINE[row.file].count(row.old)
        if count != 1:
            wrong.append(f"{row.file}: {count} times, not once: {row.old!r}")
    # A folder that was renamed would let two mistakes be built together that one suite runs through.
    for suites, places in REACH.items():
        for place in places.split():
            if not any(glob.glob(os.path.join(ROOT, top, place) + "*") for top in ("Sources", "Lab")):
                wrong.append(f"scripts/mutants, REACH of {suites}: no {place}")
    if wrong:
        raise Failed("the table does not fit the sources\n  " + "\n  ".join(wrong))


def plant(work, planted):
    for name in {item.row.file for item in planted}:
        text = PRISTINE[name]
        for item in planted:
            if item.row.file == name:
                text = text.replace(item.row.old, item.row.new)
        write_if_changed(os.path.join(work, name), text.encode())


def restore(work, planted):
    for item in planted:
        write_if_changed(os.path.join(work, item.row.file), PRISTINE[item.row.file].encode())


def suites(work, words, may_be_empty=False):
    """Whether the suites notice something, and what noticed it first."""
    command = ["swift", "test", "--skip-build", "--parallel", "--filter", words]
    status, text = execute(work, command, Patience.seconds)
    if status is None:
        return True, "a test that does not end"
    if re.search(r"Test run with 0 tests", text) or "No matching test cases" in text:
        if may_be_empty:
            return False, ""
        raise Failed(f"--filter {words} finds no test")
    failed = re.findall(r"[✘✗] Test \"?([^\n\"]+?)\"? (?:recorded an issue|failed)", text)
    if status == 0:
        return False, ""
    if failed:
        return True, failed[0].removesuffix("()")
    return True, "a crash" if re.search(r"[Ff]atal error|signal|crash", text) else "the test run"


def noticed(work, item):
    """Whether the tests notice a mistake, and which one: first the one that did last time."""
    if re.fullmatch(r"\w+(\([\w:]*\))?", item.last):
        words = f"{item.row.suites.split('.')[0]}.*/{item.last.split('(')[0]}\\("
        is_killed, by = suites(work, words, may_be_empty=True)
        if is_killed:
            return True, by
    return suites(work, item.row.suites)


def judge(work, group):
    """Builds a group and runs the suites of each."""
    plant(work, group)
    try:
        began = time.monotonic()
        is_built, text = build(work)
        if not is_built and len(group) > 1:
            restore(work, group)
            for item in group:
                judge(work, [item])
            return
        if not is_built:
            lines = [line for line in text.splitlines() if "error:" in line]
            group[0].verdict, group[0].by = "does not compile", (lines or ["?"])[0][-120:]
            return
        spent = time.monotonic() - began
        for item in group:
            began = time.monotonic()
            is_killed, item.by = noticed(work, item)
            item.verdict = "killed" if is_killed else "survived"
            item.seconds = time.monotonic() - began + spent / len(group)
    finally:
        restore(work, group)


def groups(planted):
    """Puts together what may be built together, first come first served."""
    waiting = list(planted)
    while waiting:
        group = [waiting.pop(0)]
        for item in list(waiting):
            if all(item.is_apart_from(other) for other in group):
                group.append(item)
                waiting.remove(item)
        yield group


def table(planted):
    killed = sum(item.verdict == "killed" for item in planted)
    lines = [
        "# Planted mistakes and what notices them", "",
        "Written by `scripts/check mutants --write` from `Tests/Support/mutant_table.py`; not edited by "
        "hand.", "",
        f"{killed} of {len(planted)} are noticed ({100 * killed / len(planted):.1f} %), each by the "
        "suites nearest to it, in debug. The last column is the first test that",
        "failed.", "",
        "| File | What the mistake breaks | Suites | Verdict | Noticed by |",
        "| --- | --- | --- | --- | --- |",
    ]
    for item in planted:
        name = item.row.file.removeprefix("Sources/")
        by = f"`{item.by}`" if item.by and " " not in item.by else item.by
        suites = item.row.suites.replace("|", "\\|")
        lines.append(f"| {name} | {item.row.breaks} | `{suites}` | {item.verdict} | {by} |")
    return "\n".join(lines) + "\n"


def last_table(path):
    """Verdict and test of each row of the written table, by file, description and suites."""
    rows = {}
    if os.path.isfile(path):
        with open(path, encoding="utf-8") as file:
            for line in file:
                cells = line.strip().removeprefix("| ").removesuffix(" |").split(" | ")
                cells = [cell.strip().strip("`").replace("\\|", "|") for cell in cells]
                if len(cells) == 5:
                    rows[tuple(cells[:3])] = cells[3:]
    return rows


def keep(planted, rows):
    """Puts every row in its place; one that was not run keeps what the table says of it."""
    run = {item.key: item for item in planted}
    everything = []
    for item in map(Planted, MUTANTS):
        item.verdict, item.by = rows.get(item.name, ["not run", ""])
        everything.append(run.get(item.key, item))
    return everything


def remember(path, planted):
    known = {}
    if os.path.isfile(path):
        with open(path, encoding="utf-8") as file:
            known = json.load(file)
    for item in planted:
        if item.verdict:
            known[item.key] = [item.verdict, item.by]
    with open(path, "w", encoding="utf-8") as file:
        json.dump(known, file)
    return known


def arguments(parser):
    parser.add_argument("--only", type=re.compile, metavar="REGEX",
                        help="those whose file or description match")
    parser.add_argument("--resume", action="store_true",
                        help="leave out what an earlier run in the same copy has an answer for")
    parser.add_argument("--write", action="store_true",
                        help="write docs/measurements/MUTANTS.md; with --only other rows keep theirs")
    parser.add_argument("--check", action="store_true",
                        help="only look whether every text stands where it should")
    parser.add_argument("--work", default=os.path.join(ROOT, ".build-mutants"), metavar="DIR",
                        help="the scratch copy (.build-mutants)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N",
                        help="scratch copies that work at the same time (1)")
    parser.add_argument("--hang", type=float, default=120, metavar="SECONDS",
                        help="after which suites count as hanging (120)")


def chosen(options, rows):
    planted = [Planted(row) for row in MUTANTS]
    tests = {breaks: by for (_, breaks, _), (_, by) in rows.items()}  # Files move.
    for item in planted:
        item.last = tests.get(item.row.breaks, "")
    return [item for item in planted if not options.only
            or options.only.search(item.row.file + " " + item.row.breaks)]


def demand_clean(work, waiting):
    """Without a mistake everything builds and passes."""
    is_built, text = build(work)
    if not is_built:
        raise Failed("does not build without a mistake\n" + text[-3000:])
    for words in sorted({item.row.suites for item in waiting}):
        is_failing, by = suites(work, words)
        if is_failing:
            raise Failed(f"{words} fails without a mistake: {by}")


def judge_all(check, works, planted, results):
    """Judges the groups, each copy the next one that waits."""
    waiting, lock, failures = queue.SimpleQueue(), threading.Lock(), []
    for group in groups(planted):
        waiting.put(group)

    def work_off(work):
        try:
            while not failures:
                group = waiting.get_nowait()
                judge(work, group)
                with lock:
                    remember(results, group)
                    for item in group:
                        print(f"{item.verdict:9} {item.seconds:4.0f} s  {item.row.file}: "
                              f"{item.row.breaks}  [{item.by}]", flush=True)
        except queue.Empty:
            pass
        except Failed as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work_off, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for failure in failures:
        raise failure


def run(check, options):
    Patience.seconds = options.hang
    check_table(MUTANTS)
    if options.check:
        return f"all {len(MUTANTS)} texts stand where they should"
    path = os.path.join(ROOT, "docs", "measurements", "MUTANTS.md")
    rows = last_table(path)
    planted = chosen(options, rows)
    work = os.path.abspath(options.work)
    os.makedirs(work, exist_ok=True)
    results = os.path.join(work, "mutant-results.json")
    known = remember(results, [])
    if options.resume:
        for item in planted:
            if known.get(item.key, [""])[0] == "killed":
                item.verdict, item.by = known[item.key]
    waiting = [item for item in planted if not item.verdict]
    works = [work] + [f"{work}-{number}" for number in range(2, options.jobs + 1)]
    for place in works if waiting else []:
        synchronise(place)
        demand_clean(place, waiting if place == work else [])
    if waiting:
        check.say("builds and passes without a mistake")
    judge_all(check, works, waiting, results)
    killed = sum(item.verdict == "killed" for item in planted)
    for item in planted:
        if item.verdict != "killed":
            print(f"{item.verdict}: {item.row.file}: {item.row.breaks} {item.by}")
    if options.write:
        text = table(keep(planted, rows))
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    check.demand(killed >= GOAL * len(planted), f"only {killed} of {len(planted)} are killed")
    return f"{killed} of {len(planted)} killed"
