"""The table of scripts/bench, and the budgets it is held against."""

COLUMNS = (
    ("p50 µs", "medianMicroseconds"), ("p99 µs", "p99Microseconds"),
    ("p50 ×C", "medianRatio"), ("p99 ×C", "p99Ratio"),
    ("CPU ms", "cpuMillisecondsPerSample"), ("switches", "switchesPerSample"),
    ("RSS KiB", "residentKiB"), ("private", "privateKiB"), ("start ms", "startMilliseconds"),
    ("lost", "lost"),
)

# The budgets of docs/measurements: where the figure is, the limit, and whether more or less is better.
BUDGETS = (
    ("latency, median ratio to C", ("candidates", "roostd", "medianRatio"), 1.25, "most"),
    ("latency, p99 ratio to C", ("candidates", "roostd", "p99Ratio"), 1.5, "most"),
    ("CPU ms per sample", ("candidates", "roostd", "cpuMillisecondsPerSample"), 0.15, "most"),
    ("voluntary switches per sample", ("candidates", "roostd", "switchesPerSample"), 2, "most"),
    ("resident KiB", ("candidates", "roostd", "residentKiB"), 16 * 1024, "most"),
    ("start to ready, ms", ("candidates", "roostd", "startMilliseconds"), 50, "most"),
    ("wake-ups per minute, idle", ("idle", "wakeUpsPerMinute"), 6, "most"),
    ("decoder MB/s", ("micro", "decoderMegabytesPerSecond"), 200, "least"),
    ("decoder allocations per frame", ("micro", "decoderAllocationsPerFrame"), 0, "most"),
    ("simulated seconds per second", ("micro", "simulatedSecondsPerSecond"), 100_000, "least"),
)


def figure(result, path):
    for key in path:
        result = (result or {}).get(key)
    return result


def budgets(result):
    """Each budget whose figure was measured."""
    held = []
    for name, path, limit, kind in BUDGETS:
        found = figure(result, path)
        if found is not None:
            met = found <= limit if kind == "most" else found >= limit
            held.append({"name": name, "found": found, "limit": limit, "kind": kind, "met": met})
    return held


def table(result):
    lines = ["per sample, frame in to light out", ""]
    lines.append(f"{'':10}" + "".join(f"{title:>10}" for title, _ in COLUMNS))
    for name, figures in result["candidates"].items():
        lines.append(f"{name:10}" + "".join(f"{figures.get(key, '–'):>10}" for _, key in COLUMNS))
    idle = result.get("idle")
    if idle:
        lines += ["", f"idle in normal mode, {idle['windowSeconds']:.0f} s: "
                  f"{idle['wakeUpsPerMinute']} wake-ups and "
                  f"{idle['cpuMillisecondsPerMinute']} CPU ms a minute"]
    if result.get("micro"):
        lines += ["", "micro benchmarks"]
        micro = {key: value for key, value in result["micro"].items() if value is not None}
        lines += [f"  {key:34}{value:>14,}" for key, value in micro.items()]
    lines += ["", f"{'budget':34}{'limit':>10}{'found':>14}"]
    for budget in result["budgets"]:
        limit = ("≤ " if budget["kind"] == "most" else "≥ ") + f"{budget['limit']:,}"
        met = "" if budget["met"] else "  NOT MET"
        lines.append(f"{budget['name']:34}{limit:>10}{budget['found']:>14,}{met}")
    return "\n".join(lines)
