"""What the files of the check `files` hold, computed apart from the program that sends them."""

import time

PREFIX = "balcony air: ä"
START = 1795321800  # 2026-11-22T04:30:00Z, of the first sample; one follows each minute.
MINUTES = {"hourly": 60, "daily": 1_440, "weekly": 10_080, "monthly": 43_800}


def time_of(minute):
    """The name of a file from a minute on, without its ending."""
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(START + minute * 60))


def rows(hour, minutes=60):
    """What a file from an hour on holds."""
    numbers = range(hour * 60, hour * 60 + minutes)
    return "".join(f"PM2.5,{n % 997},{START + n * 60}\r\n" for n in numbers).encode()
