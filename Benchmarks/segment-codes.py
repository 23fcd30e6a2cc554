"""Computes the code lengths of Sources/Store/Segment/SegmentCode.swift; SPEC.md, Segment, says what they are.

    python3 Benchmarks/segment-codes.py DAY.u16 MINUTES.u16

DAY is a 1 Hz day, MINUTES a minute series: rows of two little-endian u16, in tenths. The days of
Sensor.Community come from Tests/StoreTests/Fixtures. Prints 36 rows of 43 hexadecimal digits, and on
standard error the bytes a row that they give, also when each half of the day codes the other.
"""

import csv
import struct
import sys
from pathlib import Path

LEVELS, NEIGHBOURS, TOKENS, LONGEST, SMALL = 12, 3, 43, 10, 15
FIXTURES = Path(__file__).parent.parent / "Tests/StoreTests/Fixtures"


def token(delta):
    size = abs(delta)
    if size <= SMALL:
        return 2 * size - (delta < 0)
    return min(size.bit_length() + 26, 42)


def extra(delta):
    length = abs(delta).bit_length()
    return 0 if length <= 4 else length + (6 if length >= 16 else 0)


def symbols(rows, segment):
    """(context, signed delta) of every delta, as the encoder sees them."""
    for index, row in enumerate(rows):
        if index % segment == 0:
            before, activity, lead = list(row), [256] * len(row), 0
        neighbour = lead
        for channel, value in enumerate(row):
            delta = value - before[channel]
            before[channel] = value
            a = activity[channel]
            level = min((a >> 6).bit_length(), LEVELS - 1)
            context = level * NEIGHBOURS + min(abs(neighbour), 2)
            yield context, -delta if neighbour < 0 else delta
            size = abs(delta)
            if size > SMALL:
                size = min(size, 16 + (a >> 5), 1023)
            activity[channel] += ((size << 8) - a) >> 4
            neighbour = delta
            if channel == 0:
                lead = delta


def prior(level, weight=300.0):
    """A two-sided geometric distribution with the mean size that the level stands for."""
    mean = 0.12 if level == 0 else 0.1875 * 2**level
    low, high = 0.0, 1 - 1e-9
    for _ in range(80):
        q = (low + high) / 2
        low, high = (q, high) if 2 * q / (1 - q * q) < mean else (low, q)
    counts = [0.0] * TOKENS
    zero = (1 - q) / (1 + q)
    for delta in range(-SMALL, SMALL + 1):
        counts[token(delta)] += zero * q ** abs(delta)
    for length in range(5, 16):
        counts[length + 26] += 2 * zero * (q ** 2 ** (length - 1) - q ** 2**length) / (1 - q)
    counts[42] += 2 * zero * q**32768 / (1 - q)
    return [weight * count + 0.02 for count in counts]


def package_merge(counts):
    """The best code lengths of at most LONGEST bits."""
    items = sorted((count, (index,)) for index, count in enumerate(counts))
    packages = list(items)
    for _ in range(LONGEST - 1):
        pairs = zip(packages[0::2], packages[1::2])
        merged = [(a[0] + b[0], a[1] + b[1]) for a, b in pairs]
        packages = sorted(items + merged, key=lambda package: package[0])
    lengths = [0] * len(counts)
    for _, members in packages[: 2 * len(counts) - 2]:
        for member in members:
            lengths[member] += 1
    return lengths


def train(series):
    counts = [prior(context // NEIGHBOURS) for context in range(LEVELS * NEIGHBOURS)]
    for rows, segment, weight in series:
        for context, delta in symbols(rows, segment):
            counts[context][token(delta)] += weight
    return [package_merge(row) for row in counts]


def cost(rows, lengths, segment=600):
    bits = sum(lengths[c][token(d)] + extra(d) for c, d in symbols(rows, segment))
    return bits / 8 / len(rows)


def pairs(path):
    return list(struct.iter_unpack("<HH", Path(path).read_bytes()))


def day(sensor, columns, scale):
    with open(FIXTURES / f"2017-09-02_{sensor}.csv") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    return [tuple(round(float(row[name]) * scale) for name in columns) for row in rows]


def main():
    hertz, minutes = pairs(sys.argv[1]), pairs(sys.argv[2])[:100_000]
    dust = ("sds011_sensor_5331", ("P2", "P1"))
    others = [
        (day(*dust, 100), 10**9, 3),
        (day(*dust, 10), 10**9, 2),
        (minutes, 600, 0.1),
        (day("dht22_sensor_5332", ("temperature", "humidity"), 10), 10**9, 1),
    ]
    half = len(hertz) // 2
    for name, seen, unseen in [
        ("second half by the first", hertz[:half], hertz[half:]),
        ("first half by the second", hertz[half:], hertz[:half]),
    ]:
        lengths = train([(seen, 600, 1), *others])
        print(f"{name}: {cost(unseen, lengths):.4f} B a row", file=sys.stderr)
    lengths = train([(hertz, 600, 1), *others])
    print(f"whole day: {cost(hertz, lengths):.4f} B a row", file=sys.stderr)
    for row in lengths:
        print("".join(f"{length:x}" for length in row))


main()
