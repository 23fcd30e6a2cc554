"""200 simulated lives under every kind of fault, on all cores; it goes on where it was ended.

Lives a scenario once for each seed and checks what was promised. Each life is a line of
FOLDER/NAME-DAYSd.jsonl; what is there already is not lived again. With --until it goes on with more
seeds until so many device-years are lived. --table writes the fault coverage table.

Fails when a promise was broken, or when a kind of fault never showed itself.
"""

import collections
import concurrent.futures
import json
import os
import subprocess

from ..check import ROOT

PRODUCTS = ("roost-lab",)
BUILD = "release"
TOTALS = (
    ("samples", "sampleCount"), ("acknowledged", "acknowledgedCount"), ("events", "eventCount"),
    ("processes", "processCount"), ("boots", "bootCount"), ("wake-ups", "wakeUps"),
    ("card bytes", "cardByteCount"), ("card syncs", "cardSyncCount"))


class Results:
    """The lives so far, a line each in a file."""

    def __init__(self, path):
        self.path, self.lives = path, {}
        open(path, "a", encoding="utf-8").close()
        with open(path, encoding="utf-8") as file:
            for line in file:
                try:
                    life = json.loads(line)
                except ValueError:
                    continue  # The end of a run that was ended.
                self.lives[life["seed"]] = life

    def add(self, line):
        """With one write, so that an end in the middle leaves no half line."""
        if line:
            self.lives[json.loads(line)["seed"]] = json.loads(line)
            descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND)
            os.write(descriptor, line.encode() + b"\n")
            os.close(descriptor)

    def sorted(self):
        return [self.lives[seed] for seed in sorted(self.lives)]

    def device_years(self):
        return sum(life["deviceDays"] for life in self.lives.values()) / 365.25


def covered(lives):
    """Seconds of all channels by cause, without the time in which nothing could be due."""
    causes = collections.Counter()
    for life in lives:
        causes.update(life["ledger"])
    for moot in ("notScheduled", "notMeasured"):
        causes.pop(moot, None)
    return causes


def fired_counts(lives):
    """How often each kind showed itself."""
    fired = collections.Counter()
    for life in lives:
        fired.update(life["fired"])
    return fired


def print_totals(lives, device_years):
    days = sum(life["days"] for life in lives)
    print(f"{len(lives)} lives, {days / 365.25:.1f} station-years, {device_years:.1f} device-years")
    for name, key in TOTALS:
        print(f"{name:16}{sum(life[key] for life in lives)}")
    print(f"{'laser hours':16}{sum(life['laserHours'] for life in lives):.0f}, duty "
          f"{max(life['laserDuty'] for life in lives) * 100:.2f} % at most")
    endings = collections.Counter()
    for life in lives:
        endings.update(life["endings"])
    for ending, count in sorted(endings.items()):
        print(f"{'':16}{count} x {ending}")
    causes = covered(lives)
    whole = sum(causes.values()) or 1
    print(f"{'availability':16}{causes['covered'] / whole * 100:.3f} %")
    for cause, seconds in causes.most_common():
        print(f"  {cause:14}{seconds / whole * 100:9.4f} %")


def judge(check, lives, kinds):
    """Demands every promise of every life, and that each kind of fault showed itself."""
    broken = collections.Counter()
    for life in lives:
        for verdict in life["verdicts"]:
            if not check.demand(not verdict.get("failure"),
                                f"BROKEN seed {life['seed']} {verdict['promise']}: "
                                f"{verdict.get('failure')}"):
                broken[verdict["promise"]] += 1
    for promise in [verdict["promise"] for verdict in lives[0]["verdicts"]]:
        checks = sum(v["checkCount"] for life in lives for v in life["verdicts"]
                     if v["promise"] == promise)
        print(f"{promise:16}{checks} checks, broken in {broken[promise]} lives")
    fired = fired_counts(lives)
    missing = [kind for kind, _ in kinds if not fired[kind]]
    if check.demand(not missing, f"NEVER FIRED: {', '.join(missing)}"):
        print(f"all {len(kinds)} kinds of faults fired")


def write_table(path, lives, kinds, device_years):
    """The fault coverage table as Markdown."""
    fired = fired_counts(lives)
    in_lives = collections.Counter(kind for life in lives for kind in life["fired"])
    rows = [
        "# Faults that a station lived through", "",
        "Made by `scripts/check years --table`; what each kind does says `Lab/Scenarios`.",
        f"{len(lives)} lives of `{lives[0]['scenario']}`, {device_years:.0f} device-years.", "",
        "| Area | Kind | Shown | In lives |", "| --- | --- | ---: | ---: |",
    ]
    rows += [f"| {area} | {kind} | {fired[kind]} | {in_lives[kind]} |" for kind, area in kinds]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(rows) + "\n")


def arguments(parser):
    parser.add_argument("--seeds", type=int, default=200, metavar="N")
    parser.add_argument("--first", type=int, default=1, metavar="SEED")
    parser.add_argument("--days", type=int, default=40, metavar="N")
    parser.add_argument("--scenario", default="everything", metavar="NAME")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N")
    parser.add_argument("--until", type=float, default=0, metavar="DEVICE-YEARS")
    parser.add_argument("--folder", default=os.path.join(ROOT, ".build-years"))
    parser.add_argument("--table", metavar="FILE")


def run(check, options):
    os.makedirs(options.folder, exist_ok=True)
    results = Results(os.path.join(options.folder, f"{options.scenario}-{options.days}d.jsonl"))
    lab = check.program("roost-lab")

    def live(seed):
        with open(os.path.join(options.folder, "errors.log"), "ab") as errors:
            done = subprocess.run(
                [lab, "simulate", "--scenario", options.scenario, "--for", f"{options.days}d",
                 "--seed", str(seed), "--json", "--no-shrink"],
                stdout=subprocess.PIPE, stderr=errors, text=True, check=False)
        # 1: a promise was broken, which the line says.
        return done.stdout.strip() if done.returncode in (0, 1) else ""

    last = options.first + options.seeds - 1
    while True:
        seeds = [seed for seed in range(options.first, last + 1) if seed not in results.lives]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for life in concurrent.futures.as_completed([pool.submit(live, seed) for seed in seeds]):
                results.add(life.result())
        if results.device_years() >= options.until:
            break
        last += 2 * options.jobs
    text = subprocess.check_output([lab, "simulate", "--kinds"], text=True)
    kinds = [tuple(line.split()) for line in text.splitlines() if line.strip()]
    lives = results.sorted()
    check.demand(lives, f"no life ended; see {options.folder}/errors.log")
    if lives:
        print_totals(lives, results.device_years())
        judge(check, lives, kinds)
    if options.table and lives:
        write_table(options.table, lives, kinds, results.device_years())
