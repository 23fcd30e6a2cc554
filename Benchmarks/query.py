"""Reading a year at 1 Hz: the store beside plain indexed rows of SQLite and rrdtool.

The year is five generated days, run through 73 times: once through the real store on a virtual
clock (`roost store replay`), once into a table of rows, once into a round-robin database of
rrdtool, which keeps every second and 500 steps of the year. All three stay in a work folder for
the next run. Measured warm, in turn, in one run: the last 24 h raw, and the year in 500 points;
the median of the rounds. rrdtool is asked in its pipe mode, so its start does not count; its
answer is text, which reading it is part of.
"""

import argparse
import array
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import time

DAYS, REPEAT = 5, 73
SECONDS = DAYS * REPEAT * 86400
START = 1_767_225_600  # 2026-01-01, where `roost store replay` begins.
STEP = 63_072  # Of 500 in a year of 365 days.
SIZES = {"roost": "71 MB", "rows": "0.6 GB", "rrdtool": "0.5 GB"}
BUDGETS = {"day": 1.0, "year": 1.0}


def note(words):
    print(f"bench: {words}", file=sys.stderr, flush=True)


def series(path):
    """Five days of PM2.5 and PM10 in tenths that wander as an SDS011's do; always the same."""
    source, rows, level = random.Random(5), array.array("H"), 120.0
    for _ in range(DAYS * 86400):
        level += source.gauss(0, 0.35) + (120 - level) * 0.0002
        fine = min(9999, max(1, round(level + source.gauss(0, 0.7))))
        rows.append(fine)
        rows.append(min(9999, max(fine, round(fine * 1.6 + source.gauss(0, 1.2)))))
    if sys.byteorder == "big":
        rows.byteswap()
    with open(path, "wb") as file:
        rows.tofile(file)


def finished(path, make):
    """Makes a file or folder under another name first, so that half of one is never measured."""
    if os.path.exists(path):
        return
    draft = path + ".part"
    if os.path.isdir(draft):
        shutil.rmtree(draft)
    elif os.path.exists(draft):
        os.remove(draft)
    make(draft)
    os.rename(draft, path)


class Roost:
    name = "roost"

    def __init__(self, folder, binaries, rounds):
        self.place = os.path.join(folder, "roost")
        self.binaries, self.rounds = binaries, rounds

    def prepare(self, source):
        finished(self.place, lambda draft: subprocess.run(
            [os.path.join(self.binaries, "roost"), "store", "replay", source, "--into", draft,
             "--repeat", str(REPEAT), "--megabytes", "64"], check=True, stdout=sys.stderr))

    def bytes(self):
        return os.path.getsize(os.path.join(self.place, "history.db"))

    def ask(self):
        return json.loads(subprocess.check_output(
            [os.path.join(self.binaries, "roost-bench"), "query",
             os.path.join(self.place, "history.db"), str(self.rounds)]))


class Rows:
    name = "rows"

    def __init__(self, folder, root, rounds):
        self.place, self.rounds = os.path.join(folder, "rows.db"), rounds
        self.program = os.path.join(folder, "rows")
        self.source = os.path.join(root, "Benchmarks", "query", "rows.c")

    def prepare(self, source):
        subprocess.run(["cc", "-O2", "-std=gnu17", "-o", self.program, self.source, "-lsqlite3"],
                       check=True)
        finished(self.place, lambda draft: subprocess.run(
            [self.program, "build", source, str(REPEAT), str(START), draft], check=True))

    def bytes(self):
        return os.path.getsize(self.place)

    def ask(self):
        return json.loads(subprocess.check_output(
            [self.program, "ask", self.place, str(self.rounds)]))


class RoundRobin:
    name = "rrdtool"

    def __init__(self, folder, rounds):
        self.place, self.rounds = os.path.join(folder, "year.rrd"), rounds

    def prepare(self, source):
        finished(self.place, lambda draft: self.build(source, draft))

    def build(self, source, draft):
        subprocess.run(
            ["rrdtool", "create", draft, "--start", str(START), "--step", "1",
             "DS:pm25:GAUGE:120:0:1000", "DS:pm10:GAUGE:120:0:1000",
             f"RRA:AVERAGE:0.5:1:{SECONDS}", f"RRA:AVERAGE:0.5:{STEP}:510"], check=True)
        rows = array.array("H")
        with open(source, "rb") as file:
            rows.frombytes(file.read())
        if sys.byteorder == "big":
            rows.byteswap()
        values = [f"{rows[at] / 10}:{rows[at + 1] / 10}" for at in range(0, len(rows), 2)]
        with self.pipe() as pipe:
            for day in range(DAYS * REPEAT):
                first = day * 86400
                for part in range(first, first + 86400, 2000):
                    last = min(part + 2000, first + 86400)
                    update = " ".join(f"{START + number + 1}:{values[number % len(values)]}"
                                      for number in range(part, last))
                    self.say(pipe, f"update {draft} {update}")
                print(f"bench: rrdtool: day {day + 1} of {DAYS * REPEAT}", end="\r",
                      file=sys.stderr, flush=True)
        print(file=sys.stderr)

    @staticmethod
    def pipe():
        return subprocess.Popen(["rrdtool", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    @staticmethod
    def say(pipe, words):
        """Sends a command and reads its answer up to the line that ends it."""
        pipe.stdin.write(words.encode() + b"\n")
        pipe.stdin.flush()
        lines = 0
        while not (line := pipe.stdout.readline()).startswith(b"OK"):
            if not line or line.startswith(b"ERROR"):
                raise SystemExit(f"bench: rrdtool: {line.decode() or 'ended'}")
            lines += b": " in line
        return lines

    def bytes(self):
        return os.path.getsize(self.place)

    def ask(self):
        end = START + SECONDS
        with self.pipe() as pipe:
            return {
                "day": self.measure(
                    pipe, f"fetch {self.place} AVERAGE -r 1 -s {end - 86400} -e {end - 1}"),
                "year": self.measure(
                    pipe, f"fetch {self.place} AVERAGE -r {STEP} -s {START} -e {end - STEP}"),
            }

    def measure(self, pipe, words):
        rows, times = self.say(pipe, words), []
        for _ in range(self.rounds):
            start = time.monotonic()
            self.say(pipe, words)
            times.append((time.monotonic() - start) * 1e3)
        return {"milliseconds": statistics.median(times), "best": min(times), "rows": rows}


def build(root, binaries):
    if binaries:
        return os.path.realpath(binaries)
    note("building roost and roost-bench: release (minutes the first time)")
    command = ["swift", "build", "--package-path", root, "-c", "release"]
    for product in ("roost", "roost-bench"):
        subprocess.run(command + ["--product", product], check=True, stdout=sys.stderr)
    return subprocess.check_output(command + ["--show-bin-path"], text=True).strip()


def table(result):
    names = list(result["candidates"])
    lines = [f"{'':24}" + "".join(f"{name:>12}" for name in names)]
    for key, words in (("day", "last 24 h raw, ms"), ("year", "year in 500 points, ms")):
        cells = [f"{result['candidates'][name][key]['milliseconds']:12.3f}" for name in names]
        lines.append(f"{words:24}" + "".join(cells))
        ratios = [f"{result['ratios'][name][key]:11.1f}x" for name in names]
        lines.append(f"{'  times roost':24}" + "".join(ratios))
    sizes = [f"{result['candidates'][name]['bytes'] / 1e6:12.1f}" for name in names]
    lines.append(f"{'size, MB':24}" + "".join(sizes))
    for budget in result["budgets"]:
        verdict = "met" if budget["met"] else "NOT MET"
        lines.append(f"budget {budget['name']}: {budget['milliseconds']:.3f} of "
                     f"{budget['limit']:.1f} ms, {verdict}")
    lines += [f"left out: {words}" for words in result["leftOut"]]
    return "\n".join(lines)


def arguments(words):
    parser = argparse.ArgumentParser(
        prog="scripts/bench query", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="JSON on standard output, no table")
    parser.add_argument("--rounds", type=int, default=101, help="of each question (101)")
    parser.add_argument("--folder", help="work folder, 1.2 GB (.build-bench/query)")
    parser.add_argument("--binaries", help="folder with roost and roost-bench: builds nothing")
    parser.add_argument("--without", action="append", default=[], choices=["rows", "rrdtool"],
                        help="leave a candidate out")
    parser.add_argument("--check", action="store_true",
                        help="exit with status 1 when a budget is not met")
    return parser.parse_args(words)


def main(words, root):
    options = arguments(words)
    binaries = build(root, options.binaries)
    folder = os.path.realpath(options.folder or os.path.join(root, ".build-bench", "query"))
    os.makedirs(folder, exist_ok=True)
    source = os.path.join(folder, "five-days.u16")
    finished(source, series)
    left_out = [f"{name}: --without" for name in options.without]
    candidates = [Roost(folder, binaries, options.rounds)]
    if "rows" not in options.without:
        candidates.append(Rows(folder, root, options.rounds))
    if "rrdtool" not in options.without:
        if shutil.which("rrdtool"):
            candidates.append(RoundRobin(folder, min(options.rounds, 21)))
        else:
            left_out.append("rrdtool: not installed; apt-get install rrdtool")
    for candidate in candidates:
        if not os.path.exists(candidate.place):
            note(f"making the year for {candidate.name}: {SIZES[candidate.name]} in {folder}")
        candidate.prepare(source)
    answers = {}
    for candidate in candidates:
        note(f"asking {candidate.name}")
        answers[candidate.name] = candidate.ask() | {"bytes": candidate.bytes()}
    sums = {name: answer["day"]["sum"] for name, answer in answers.items() if name != "rrdtool"}
    if len(set(sums.values())) > 1:
        raise SystemExit(f"bench: the candidates do not hold the same day: {sums}")
    mine = answers["roost"]
    result = {
        "candidates": answers,
        "ratios": {name: {key: answer[key]["milliseconds"] / mine[key]["milliseconds"]
                          for key in BUDGETS} for name, answer in answers.items()},
        "budgets": [{"name": key, "milliseconds": mine[key]["milliseconds"], "limit": limit,
                     "met": mine[key]["milliseconds"] <= limit}
                    for key, limit in BUDGETS.items()],
        "leftOut": left_out,
    }
    print(json.dumps(result, indent=2) if options.json else table(result))
    is_met = all(budget["met"] for budget in result["budgets"])
    return 1 if options.check and not is_met else 0
