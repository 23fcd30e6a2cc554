"""Measures what storing one sample a second costs a card: Roost beside what people use today.

Each pattern has a card of its own, ext4 (noatime) or a bare device, on a loop device in memory. What
counts is what the kernel counted at the block device: the file system's journal and metadata
included, the making of empty files not. Needs root; unmounts and detaches all, however it ends.

Two clocks, since ext4 commits 5 s and the page cache writes back some 30 s after a change, in real
time:

real time  One sample a second with the kernel's own timers, for patterns that write every second:
           nothing is hurried, all run at once for --minutes. At the end what waits is written: up to
           30 s of samples that share one write-back more than they would, 5 % at 10 minutes.
settled    For patterns that rest for minutes between commits (Roost, batches, rrdcached). Samples
           come as fast as they are taken; each commit happens when the program asks for it, with its
           own syncs, and then the file system is brought to rest with syncfs, which does at once
           what the timers would have done long before the next commit. Roost runs a second time
           with real rests of 42 s; the line "clocks agree" is the ratio of both.
           With commit=3600, ext4 rests after six blocks, an hour. A week is needed for stable
           figures: within the first days the history's log still grows (24 h: 2 B a sample more).

rrdcached keeps updates for 1800 s, and with a journal also writes each one: that line is its journal
in real time and the data file's bytes of the line without. Its FLUSH stands for its timer.

Card years are those of a card of 16 GB and 1000 erases on which nothing else writes, for two simple
controllers (Benchmarks/wear/flash.py): one maps pages of 16 KiB, one blocks of 4 MiB with 4 logs.
Every request programs at least one page.

Ends with status 1 when a budget is not met.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)

import card  # noqa: E402
import lanes  # noqa: E402
import patterns  # noqa: E402
import series  # noqa: E402
import table  # noqa: E402

MARK = "ROOST_WEAR_NAMESPACE"


def arguments():
    style = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="scripts/bench wear", description=__doc__, formatter_class=style)
    parser.add_argument("--hours", type=int, default=168,
                        help="virtual hours of the settled patterns: below 24, or whole days (168)")
    parser.add_argument("--minutes", type=float, default=10,
                        help="real minutes of the others; 0 leaves them out (10)")
    parser.add_argument("--json", action="store_true", help="JSON on standard output, no table")
    parser.add_argument("--series", help="two little-endian u16 a row, 1 Hz, instead of our own day")
    parser.add_argument("--binaries", help="folder with roost: builds nothing")
    options = parser.parse_args()
    if options.hours < 1 or options.hours > 24 and options.hours % 24:
        parser.error("--hours is 1…24, or a multiple of 24")
    if options.minutes and options.minutes < 3:
        parser.error("--minutes is 3 at least: the timers take 42 s")
    return options


def missing():
    """Why nothing can be measured here; None when it can."""
    if os.geteuid() != 0:
        return "it needs root for loop devices and mounts; use sudo"
    for program in ("losetup", "mkfs.ext4", "mount", "umount", "unshare"):
        if not shutil.which(program):
            return f"{program} is not installed (packages e2fsprogs, mount, util-linux)"
    if not os.path.exists("/dev/loop-control"):
        return "the kernel has no loop devices (/dev/loop-control)"
    return None


def build(options):
    if options.binaries:
        return os.path.join(os.path.realpath(options.binaries), "roost")
    lanes.note("building roost: release")
    words = ["swift", "build", "--package-path", ROOT, "-c", "release"]
    subprocess.run(words + ["--product", "roost"], check=True, stdout=sys.stderr)
    return os.path.join(subprocess.check_output(words + ["--show-bin-path"], text=True).strip(),
                        "roost")


def day(options):
    if not options.series:
        return series.rows(series.ROWS_PER_DAY)
    with open(options.series, "rb") as file:
        return series.decoded(file.read(4 * series.ROWS_PER_DAY))


def real_time(options, folder, roost, rows):
    """The patterns in real time and Roost with real rests, at once; and Roost's settled twin."""
    seconds = round(options.minutes * 60)
    blocks = (seconds - 60) // lanes.PAUSE_SECONDS
    path = roost.write("paced.u16", rows[:blocks * lanes.WINDOW_SECONDS])
    twin = roost.measure("Roost, ext4, short", path, roost.cards(), 1, "--settle", 1)
    places = roost.cards()
    paced = subprocess.Popen(
        roost.command(path, places, 1, "--pause", f"{lanes.PAUSE_SECONDS}s"),
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=patterns.die_with_us)
    found = [pattern for pattern in patterns.all_patterns()
             if not pattern.settled and not pattern.missing()]
    lanes.note(f"in real time, {options.minutes:g} minutes: "
               + "; ".join(pattern.name for pattern in found))
    try:
        results = lanes.in_real_time(found, folder, rows, seconds)
        report = json.loads(paced.communicate()[0])
        slow = roost.result("Roost, ext4, real rests", report, places, 1, "real time")
    finally:
        if paced.poll() is None:
            paced.kill()
            paced.wait()
        for place in places:
            place.close()
    return results, {"blocks": blocks, "settled": twin["bytesPerSample"],
                     "realTime": slow["bytesPerSample"],
                     "ratio": twin["bytesPerSample"] / slow["bytesPerSample"]}


def plans(program):
    """What `roost store plan` says of Roost's lines."""
    kinds = {
        "Roost, ext4": (), "Roost, raw device": ("--partition",),
        "Roost, normal, ext4": ("--interval", "300s"),
        "Roost, normal, raw device": ("--interval", "300s", "--partition"),
    }
    return {name: json.loads(subprocess.check_output((program, "store", "plan", "--json") + more))
            for name, more in kinds.items()}


def measure(options, folder):
    program, rows = build(options), day(options)
    roost = lanes.Roost(program, folder)
    results = list(lanes.roost_lane(roost, rows, options.hours))
    results += lanes.peers_settled(folder, rows, options.hours)
    found = {"hours": options.hours, "minutes": options.minutes}
    if options.minutes:
        more, found["clocks"] = real_time(options, folder, roost, rows)
        results += more
    table.add_data_file(results)
    found["patterns"] = results
    found["leftOut"] = {pattern.name: pattern.missing() for pattern in patterns.all_patterns()
                        if pattern.missing()}
    found["plans"] = plans(program)
    found["budgets"] = table.budgets(results)
    return found


def main():
    options = arguments()
    reason = missing()
    if reason:
        print(json.dumps({"skipped": reason}) if options.json else f"wear: skipped: {reason}")
        return 0
    if MARK not in os.environ:
        os.environ[MARK] = "1"
        os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", sys.executable,
                              os.path.realpath(__file__)] + sys.argv[1:])
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    if not os.path.isdir(os.path.join(card.TRACING, "instances")):
        subprocess.run(["mount", "-t", "tracefs", "tracefs", card.TRACING], check=False,
                       stderr=subprocess.DEVNULL)
    card.remove_traces()
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    try:
        with tempfile.TemporaryDirectory(prefix="roost-wear-", dir=memory) as folder:
            found = measure(options, folder)
    finally:
        card.remove_traces(own=True)
    print(json.dumps(found, indent=2) if options.json else table.words(found))
    return 0 if all(budget["met"] for budget in found["budgets"]) else 1


if __name__ == "__main__":
    sys.exit(main())
