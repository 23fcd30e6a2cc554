"""One day of PM2.5 and PM10 at 1 Hz, made up and always the same.

Steps of an air sensor: mostly none, else a few tenths, with a slow tide beneath. Its codes
take 0.73 B a row, those of a real SDS011 0.71 (Tests/StoreTests/Fixtures/day-1hz.segment); the run
prints how much.
"""

import math
import random
import struct

ROWS_PER_DAY = 86_400
# Standard deviation of a step, tenths of a µg/m³; chosen for the room above.
STEP = (0.9, 2.0)


def rows(count, seed=1):
    source = random.Random(seed)
    base, found = [120.0, 210.0], []
    for number in range(count):
        tide = 1 + 0.4 * math.sin(2 * math.pi * number / ROWS_PER_DAY)
        pair = []
        for channel, mean in enumerate((120.0, 210.0)):
            base[channel] += source.gauss(0, STEP[channel]) + (mean * tide - base[channel]) / 600
            pair.append(min(max(round(base[channel]), 3), 9_999))
        found.append((min(pair), pair[1]))
    return found


def encoded(found):
    return b"".join(struct.pack("<HH", *row) for row in found)


def decoded(text):
    return list(struct.iter_unpack("<HH", text))
