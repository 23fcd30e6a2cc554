"""Random changes from page, shell and files at once, and never half of one.

A station with roostd, roost-web and roost-courier. In each round some of its settings, rules, titles, devices, targets and
receivers are changed at the same time, from page, shell and configuration files, some of them wrongly, while others read
all that people can read. Now and then a program is killed in the middle, a configuration is read again, or the card is
full. After each round what was answered as done is there, what was refused is not, each file can be read whole, each
program answers within a bound, and none of twenty secrets was in any answer, log, export or backup. First of all, a
station whose log nothing reads any more answers each change.
"""

import contextlib
import fcntl
import json
import os
import random
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

from ..check import Failed, until
from ..edits.subjects import DONE, UNKNOWN, Board, Entry, FileEntry, FileRule, Rule, Setting, Title
from ..edits.world import ANSWER_SECONDS, PROGRAMS, START_SECONDS, World
from ..station import Connection, Station

PRODUCTS = ("roost", "roostd", "roost-web", "roost-courier")
SMALL, USUAL, FULL = 40, 250, 1000
UNREAD = 80  # Changes that are more than the pipe of a log takes.
PIPE_BYTES = 4096
AT_ONCE = 10  # Edits in one round, at most.
TOGETHER = ("--small",)


def arguments(parser):
    parser.add_argument("--small", action="store_true", help=f"{SMALL} edits instead of {USUAL}")
    parser.add_argument("--full", action="store_true", help=f"{FULL} edits")
    parser.add_argument("--edits", type=int, help="so many edits")
    parser.add_argument("--seed", type=int, default=7, help="of the edits, kills and reads (7)")


def subjects(address):
    local = {"local": True, "url": address}
    return [
        Rule("one-rule"), Rule("other-rule"),
        Setting("title", ("Klasse 3b – Süd", "attic", "北の窓", "<b>bold</b>"), "x" * 65),
        Setting("zone", ("Europe/Rome", "America/Lima", "Asia/Tokyo"), "Mars/Base"),
        Setting("position", ("46.1699, 9.8786", "-33.86, 151.21"), "north"),
        Setting("levels", ("eaqi", "pm25 10 20, pm10 20 40"), "no such"),
        Setting("nowHidden", ("dust/pm10", "gone/n03, dust/pm25"), "pm10"),
        Title("title of dust"), Board("board"),
        Entry("page-target", "targets", "influx2", "timeoutSeconds", "token", {**local, "org": "o", "bucket": "b"}),
        Entry("shell-receiver", "receivers", "ntfy", "waitSeconds", "token", {**local, "topic": "t"}),
        FileRule("file-rule"), FileEntry("file-target")]


class Round:
    """Some edits at once, and what happens to the programs meanwhile."""

    def __init__(self, chance, every, has_small_card):
        chosen = chance.sample(every, chance.randint(2, AT_ONCE))
        self.edits = [(subject, *subject.plan(chance)) for subject in chosen]
        self.reader = random.Random(chance.random())
        self.delay, draw = chance.uniform(0, 0.4), chance.random()
        self.killed = chance.choice(PROGRAMS) if draw < 0.25 else None
        self.is_full = has_small_card and 0.25 <= draw < 0.35
        self.reloads = [chance.choice(PROGRAMS[::2]) for _ in range(3)] if draw > 0.6 else []

    def __str__(self):
        edits = "; ".join(f"{subject.name} by {way}: {value!r}{'' if is_right else ', wrongly'}"
                          for subject, way, value, is_right in self.edits)
        return f"{edits}; killed {self.killed}, reloads {self.reloads}, full {self.is_full}"

    def play(self, world):
        """Makes the edits; returns how each ended."""
        with ThreadPoolExecutor(AT_ONCE + 1) as pool, world.full() if self.is_full else contextlib.nullcontext():
            read = pool.submit(world.read_everything, self.reader)
            edits = [pool.submit(getattr(subject, way), world, value, is_right)
                     for subject, way, value, is_right in self.edits]
            for name in self.reloads:
                time.sleep(self.delay / 4)
                with contextlib.suppress(ProcessLookupError):
                    world.process(name).send_signal(signal.SIGHUP)
            if self.killed:
                time.sleep(self.delay)
                world.kill(self.killed)
            outcomes = [edit.result() for edit in edits]
            read.result()
        if self.killed:
            world.start(self.killed)
        return outcomes


def judge(check, world, every, one, outcomes):
    """What must be there after a round."""
    for (subject, way, value, is_right), outcome in zip(one.edits, outcomes):
        if is_right:
            subject.ended(outcome, value)
        else:
            check.demand(outcome != DONE, f"{subject.name} takes a wrong value by {way}: {value!r}")
    world.demand_answers()

    def wrong():
        reports = world.reports()
        return ["no reports"] if reports is None else [
            f"{subject.name} is {subject.read(reports)!r}, not one of {subject.possible}"
            for subject in every if not subject.seen(subject.read(reports))]

    # An edit without an answer may still come, and a program that was killed needs its time.
    found = wrong()
    if found and not until(lambda: not wrong(), START_SECONDS, 0.1):
        check.demand(False, f"after {one}: {wrong()}")
    world.files()


def unread(check):
    """A log that nothing reads, as of a stopped terminal or a journal that hangs, stops nothing."""
    station = Station(check, "unread", devices=[], detect=False, store={"folder": check.path("unread-store")})
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    station.daemon = subprocess.Popen(station.command, stdout=writer, stderr=writer)
    os.close(writer)
    if not until(station.status, START_SECONDS, 0.05):
        raise Failed("a station whose log nothing reads does not start")
    connection = Connection(station.socket, timeout=ANSWER_SECONDS)
    try:
        for number in range(UNREAD):
            answer = connection.ask(command="set", patch=json.dumps({"title": f"title {number}"}))
            check.demand("body" in answer, f"a change of a station whose log nothing reads: {answer}")
    except TimeoutError:
        raise Failed(f"a station whose log nothing reads does not answer change {number}") from None
    finally:
        connection.close()
        station.kill()
    text = os.read(reader, 4 * PIPE_BYTES).decode()
    os.close(reader)
    check.demand(text, "nothing stands in the log")


def run(check, options):
    unread(check)
    count = options.edits or (SMALL if options.small else FULL if options.full else USUAL)
    is_root = os.geteuid() == 0
    if not is_root:
        check.skip("a full card: needs root for a small tmpfs")
    chance, again = random.Random(options.seed), f"scripts/check edits --edits {count} --seed {options.seed}"
    world = World(check, is_root)
    every = subjects(world.address)
    world.station.trust_clock()
    counts, made = {}, 0
    try:
        reports = until(world.reports, START_SECONDS)
        if not reports:
            raise Failed(f"the page does not answer: {world.ask('GET', '/outbox')}")
        for subject in every:
            subject.seen(subject.read(reports))
        while made < count and not check.problems:
            one = Round(chance, every, is_root)
            outcomes = one.play(world)
            made += len(outcomes)
            for (_, _, _, is_right), outcome in zip(one.edits, outcomes):
                if is_right:
                    counts[outcome] = counts.get(outcome, 0) + 1
            judge(check, world, every, one, outcomes)
        world.logs()
    except Failed as failure:
        check.problems.append(str(failure))
    finally:
        if check.problems:
            check.say(f"after {made} edits; again: {again}")
    check.demand(counts.get(DONE, 0) > counts.get(UNKNOWN, 0), f"most edits have no answer: {counts}")
    if options.full or check.problems:
        check.say(f"refusals: {world.refusals}")
    seconds, what = world.slowest
    return (f"{made} edits (seed {options.seed}; {counts}), {world.looked} answers without a secret, the slowest in "
            f"{seconds:.1f} s ({what})")
