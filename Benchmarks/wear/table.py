"""The table of scripts/bench wear, and the budgets that Roost is held against."""

# Issue 3: bytes a sample at 1 Hz and a window of 600 s, everything included; then what to hope for.
BUDGETS = (("Roost, ext4", 30, 12), ("Roost, raw device", 8, 2))


def by_name(results):
    return {result["name"]: result for result in results}


def add_data_file(results):
    """rrdcached's journal runs for minutes, its data file is written each half hour: the sum."""
    named = by_name(results)
    journal = named.get("rrdcached -w 1800, journal")
    data = named.get("rrdcached -w 1800")
    if not journal or not data:
        return
    for key in ("bytesPerSample", "bytesPerDay", "requestsPerDay", "flushesPerDay"):
        journal[key] += data[key]
    if "flash" in journal and "flash" in data:
        for model in ("page", "block"):
            one, other = journal["flash"][model], data["flash"][model]
            years = 1 / (1 / one["cardYears"] + 1 / other["cardYears"])
            one["programmedBytesPerDay"] += other["programmedBytesPerDay"]
            one["cardYears"] = years


def budgets(results):
    """Each budget whose line was measured."""
    named = by_name(results)
    return [{"name": name, "found": named[name]["bytesPerSample"], "limit": limit,
             "stretch": stretch, "met": named[name]["bytesPerSample"] <= limit}
            for name, limit, stretch in BUDGETS if name in named]


def figure(value):
    """Three digits that count."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def lines_of(results):
    head = ("", "B/sample", "kB/day", "writes/day", "flushes/day", "page MB", "years", "block MB",
            "years")
    yield f"{head[0]:32}" + "".join(f"{title:>12}" for title in head[1:])
    for result in results:
        flash = result.get("flash", {})
        cells = [result["bytesPerSample"], result["bytesPerDay"] / 1e3, result["requestsPerDay"],
                 result["flushesPerDay"]]
        for model in ("page", "block"):
            found = flash.get(model, {})
            programmed = found.get("programmedBytesPerDay")
            cells += [programmed and programmed / 1e6, found.get("cardYears")]
        yield f"{result['name']:32}" + "".join(f"{figure(cell):>12}" for cell in cells)


def plan_lines(found):
    yield f"{'plan beside measured':32}" + "".join(
        f"{title:>16}" for title in ("kB/day", "writes/day", "block years"))
    named = by_name(found["patterns"])
    for name, plan in found["plans"].items():
        result = named[name]
        years = result.get("flash", {}).get("block", {}).get("cardYears")
        pairs = ((plan["bytesPerDay"] / 1e3, result["bytesPerDay"] / 1e3),
                 (plan["requestsPerDay"], result["requestsPerDay"]), (plan["cardYears"], years))
        cells = [f"{figure(one)} / {figure(other)}" for one, other in pairs]
        yield f"{name:32}" + "".join(f"{cell:>16}" for cell in cells)


def words(found):
    named = by_name(found["patterns"])
    lines = ["bytes, requests and flushes that reached the card; MB that two flash models program "
             "a day, and years of a 16 GB card", ""]
    lines += lines_of(found["patterns"])
    lines += [f"{name:32}left out: {reason}" for name, reason in found["leftOut"].items()]
    roost = named["Roost, ext4"]
    lines += ["", f"Roost: {found['hours']} h of samples, {figure(roost['syncsPerDay'])} journal "
              f"blocks a day, {roost['payloadBytesPerSample']:.2f} B a sample in them"]
    lines += [f"{name}: {figure(result['bytesPerSample'] / roost['bytesPerSample'])} times Roost's "
              "bytes" for name, result in named.items() if not name.startswith("Roost")]
    clocks = found.get("clocks")
    if clocks:
        lines += ["", f"clocks agree: {clocks['settled']:.2f} B a sample settled, "
                  f"{clocks['realTime']:.2f} with real rests, ratio {clocks['ratio']:.3f} "
                  f"({clocks['blocks']} blocks)"]
    lines += [""] + list(plan_lines(found))
    lines += ["", f"{'budget, B/sample':32}{'limit':>12}{'found':>12}{'hoped for':>12}"]
    for budget in found["budgets"]:
        met = "" if budget["met"] else "  NOT MET"
        lines.append(f"{budget['name']:32}{'≤ ' + str(budget['limit']):>12}"
                     f"{figure(budget['found']):>12}{'≤ ' + str(budget['stretch']):>12}{met}")
    return "\n".join(lines)
