"""The two clocks of the run, and Roost's own part; see wear.py for why there are two."""

import json
import os
import subprocess
import sys
import time

import card
import flash
import patterns
import series

# Longer than the timers of ext4 and of the page cache together: 5 s and 30 s, and 5 s to notice.
PAUSE_SECONDS = 42
WINDOW_SECONDS = 600
MONTHS_INTERVAL = 300
MONTHS_DAYS = 30


def note(words):
    print(f"bench: {words}", file=sys.stderr, flush=True)


def result(name, clock, samples, interval, counts, requests):
    """The figures of one pattern, for each sample and for each day."""
    days = samples * interval / 86_400
    found = {
        "name": name, "clock": clock, "samples": samples, "intervalSeconds": interval,
        "bytesPerSample": counts.size / samples, "bytesPerDay": counts.size / days,
        "requestsPerDay": counts.writes / days, "flushesPerDay": counts.flushes / days,
    }
    if requests:
        # The kernel's counter takes empty ones, which only flush, for writes too.
        found["requestsPerDay"] = len(requests) / days
        found["flash"] = flash.figures(requests, days)
    return found


def settled(pattern, folder, number, rows, count):
    """A pattern that rests for minutes between commits, its rests made short."""
    place = card.Card(folder, f"card{number}")
    try:
        pattern.open(place.path)
        place.start()
        for index in range(count):
            if pattern.put(index, rows[index % len(rows)]):
                card.settle(place.path)
        counts, requests = place.since_start(), place.requests()
    finally:
        pattern.close()
        place.close()
    return result(pattern.name, "settled", count, 1, counts, requests)


def in_real_time(found, folder, rows, seconds):
    """Patterns that write every second, all at once, each on its own card."""
    cards, results = [], []
    try:
        for number, pattern in enumerate(found):
            cards.append(card.Card(folder, f"real{number}"))
            pattern.open(cards[-1].path)
        for place in cards:
            place.start()
        begun = time.monotonic()
        for index in range(seconds):
            time.sleep(max(0, begun + index - time.monotonic()))
            for pattern in found:
                pattern.put(index, rows[index % len(rows)])
        late = time.monotonic() - begun - seconds
        if late > 1:
            note(f"the patterns took {late:.0f} s longer than {seconds} s")
        for pattern, place in zip(found, cards):
            counts, requests = place.since_start(), place.requests()
            results.append(result(pattern.name, "real time", seconds, 1, counts, requests))
    finally:
        for pattern, place in zip(found, cards):
            pattern.close()
            place.close()
    return results


class Roost:
    """`roost store replay` on cards: the real store, each write and sync, on a virtual clock."""

    def __init__(self, program, folder):
        self.program, self.folder, self.count = program, folder, 0
        self.payload = None

    def write(self, name, rows):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(series.encoded(rows))
        return path

    def command(self, path, places, interval, *more):
        """With one card the store's folder, with two the journal's device and the history's."""
        words = [self.program, "store", "replay", path, "--interval", f"{interval}s",
                 "--window", f"{WINDOW_SECONDS}s", "--json"] + [str(word) for word in more]
        if len(places) == 1:
            return words + ["--into", os.path.join(places[0].path, "store")]
        history = os.path.join(places[1].path, "history.db")
        return words + ["--into", places[0].path, "--history", history]

    def cards(self, bare=False, **more):
        self.count += 1
        kinds = [True, False] if bare else [False]
        return [card.Card(self.folder, f"roost{self.count}-{number}", bare=kind, **more)
                for number, kind in enumerate(kinds)]

    def measure(self, name, path, places, interval, *more):
        """Runs it; what the making of the empty store wrote does not count."""
        try:
            text = subprocess.check_output(self.command(path, places, interval, *more),
                                           stderr=subprocess.DEVNULL,
                                           preexec_fn=patterns.die_with_us)
            return self.result(name, json.loads(text), places, interval,
                               "real time" if "--pause" in more else "settled")
        finally:
            for place in places:
                place.close()

    def result(self, name, report, places, interval, clock):
        """Roost counts from the empty store on; we count from outside and compare."""
        counts = card.Counts(report["deviceBytes"], report["deviceWrites"],
                             report["deviceFlushes"])
        all_counts = card.Counts()
        for place in places:
            all_counts = all_counts + place.since_start()
        if all_counts.writes < counts.writes or all_counts.size < counts.size:
            raise RuntimeError(f"{name}: roost counts more than reached the card")
        found = [place.requests() for place in places]
        requests = self.last(found, counts)
        days = report["rows"] * interval / 86_400
        entry = result(name, clock, report["rows"], interval, counts, requests)
        entry["syncsPerDay"] = report["journalSyncs"] / days
        entry["journalBytesPerDay"] = report["journalBytes"] / days
        entry["payloadBytesPerSample"] = report["payloadBytes"] / report["rows"]
        return entry

    @staticmethod
    def last(found, counts):
        """The requests after the empty store was made: the last ones, as far as the bytes go."""
        if any(requests is None for requests in found):
            return None
        apart = 2 * card.CARD_BYTES // card.SECTOR  # Two partitions of one card.
        merged = sorted((moment, first + number * apart, length)
                        for number, requests in enumerate(found)
                        for moment, first, length in requests)
        size, kept = counts.size, len(merged)
        while kept > 0 and size > 0:
            kept -= 1
            size -= merged[kept][2] * card.SECTOR
        if size != 0:
            note(f"the trace does not add up to the counters' {counts.size} B: no flash figures")
            return None
        return merged[kept:]


def roost_lane(roost, day, hours):
    """Roost's lines; `day` is a day of rows at 1 Hz."""
    part = roost.write("day.u16", day[:min(hours, 24) * 3_600])
    again = ("--repeat", max(1, hours // 24), "--settle", 1)
    slow = roost.write("months.u16", series.rows(5 * series.ROWS_PER_DAY)[::MONTHS_INTERVAL])
    months = ("--repeat", MONTHS_DAYS // 5, "--settle", 1)
    kinds = [
        ("Roost, ext4", part, {}, 1, again),
        ("Roost, raw device", part, {"bare": True}, 1, again),
        ("Roost, ext4 commit=3600", part, {"options": "noatime,commit=3600"}, 1,
         again[:-1] + (3_600 // WINDOW_SECONDS,)),
        ("Roost, ext4 with 1 KiB blocks", part, {"block": 1_024}, 1, again),
        ("Roost, normal, ext4", slow, {}, MONTHS_INTERVAL, months),
        ("Roost, normal, raw device", slow, {"bare": True}, MONTHS_INTERVAL, months),
    ]
    for name, path, kind, interval, more in kinds:
        note(name)
        yield roost.measure(name, path, roost.cards(**kind), interval, *more)


def peers_settled(folder, rows, hours):
    for number, pattern in enumerate(patterns.all_patterns()):
        if pattern.settled and not pattern.missing():
            note(pattern.name)
            yield settled(pattern, folder, number, rows, hours * 3_600)
