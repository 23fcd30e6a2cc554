#!/usr/bin/env python3
"""Writes periods as a four-file script on a Pi would, for ExportPeriodsTests: run in this folder.

Short: 130 measurements, whole files. Long: 44 000 measurements, one FNV-1a 64 for each folder over
name, NUL and content of its files in order. Python's own csv and time.asctime make every byte.
"""

import csv
import io
import os
import time

PERIODS = [("hourly", 60), ("daily", 1_440), ("weekly", 10_080), ("monthly", 43_800)]
START = 1_709_164_740  # 2024-02-28 23:59 UTC: a leap day follows, and days of one digit.


def series(count):
    """Tenths of PM2.5 and PM10 by the generator of Numerical Recipes, so that Swift makes the same."""
    state = 1
    for index in range(count):
        state = (state * 1_664_525 + 1_013_904_223) % 2**32
        pm25 = (state >> 8) % 10_000
        pm10 = (state >> 16) % 10_000
        yield START + index * 60, pm25 / 10, pm10 / 10


def files(count, size):
    rows = list(series(count))
    for first in range(0, count, size):
        text = io.StringIO(newline="")
        writer = csv.writer(text)
        for when, pm25, pm10 in rows[first : first + size]:
            stamp = time.asctime(time.gmtime(when))
            writer.writerow(["PM2.5", pm25, stamp])
            writer.writerow(["PM10", pm10, stamp])
        yield time.asctime(time.gmtime(rows[first][0])) + ".csv", text.getvalue().encode()


def fnv(data, value):
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) % 2**64
    return value


def main():
    for folder, size in PERIODS:
        os.makedirs(folder, exist_ok=True)
        if folder in ("hourly", "daily"):
            for name, content in files(130, size):
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(content)
    with open("long.txt", "w", encoding="utf-8") as file:
        for folder, size in PERIODS:
            value, count = 0xCBF29CE484222325, 0
            for name, content in files(44_000, size):
                value = fnv(name.encode() + b"\0" + content, value)
                count += 1
            file.write(f"{folder} {count} {value:016x}\n")
    with open("floats.txt", "w", encoding="utf-8") as file:
        values = [0.0, 0.1, 12.0, 999.9, 1e-05, 0.0001, 0.00012, 1e16, 123456789012345.6, 2.0**53]
        values += [2.0**53 + 2, 2.0**54, 1e15, 1e22, -0.5, -1e-07, 1.5e-10, 9999999999999998.0]
        values += [-12345678901234568.0, 5e-324, 1.7976931348623157e308, 0.30000000000000004]
        for value in values:
            file.write(f"{value.hex()} {value!r}\n")


main()
