"""Writes golden.json and golden.txt, run in this folder: graphs, samples, and what must come of them.

Works everything out once more from SPEC.md, in exact fractions and fifty-digit decimals, sharing
nothing with the Swift code. Deterministic: the same files every time.
"""
import csv
import json
import random
from datetime import datetime
from decimal import Decimal, getcontext
from fractions import Fraction as F
from pathlib import Path

getcontext().prec = 50
NANO = 10**9
MAX = F(2**63 - 1, NANO)
GAP = 3600 * NANO
AGE = 600 * NANO
MASS = ("µg/m³", "mg/m³")
ORDER = ["ceiling", "inconsistent", "unchanging", "outOfRange", "humid", "estimated"]


def rounded(x, places=9):
    """Halves away from zero."""
    scaled = abs(x) * 10**places
    whole = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    return F(-whole if x < 0 else whole, 10**places)


def written(x, decimals):
    while True:
        mantissa = rounded(x, decimals) * 10**decimals
        if decimals == 0 or -2**31 <= mantissa < 2**31:
            break
        decimals -= 1
    digits = str(abs(int(mantissa))).rjust(decimals + 1, "0")
    text = digits if decimals == 0 else f"{digits[:-decimals]}.{digits[-decimals:]}"
    return ("-" if mantissa < 0 else "") + text


def number(json_number):
    return F(str(json_number))


class No(Exception):
    pass


def sound(x):
    """A result, rounded as every node's is."""
    x = rounded(x)
    if not -MAX - F(1, NANO) <= x <= MAX:
        raise No("outOfRange")
    return x


class Node:
    def __init__(self, spec):
        self.spec = spec
        self.reset()

    def reset(self):
        self.entries, self.standing, self.waiting, self.last = [], None, None, None

    def __call__(self, now, values, flags):
        s, kind = self.spec, self.spec["type"]
        if self.last is not None and now - self.last > s.get("gapSeconds", 3600) * NANO:
            self.reset()
        self.last = now
        return getattr(self, kind)(now, values, flags)

    def scale(self, now, v, f):
        return sound(v[0] * number(self.spec["factor"])), f

    def offset(self, now, v, f):
        return sound(v[0] + number(self.spec["by"])), f

    def polynomial(self, now, v, f):
        terms = self.spec["coefficients"]
        return sound(sum((number(c) * v[0] ** k for k, c in enumerate(terms)), F(0))), f

    def table(self, now, v, f):
        points = [(number(x), number(y)) for x, y in self.spec["points"]]
        x = v[0]
        if x < points[0][0] or x > points[-1][0]:
            if self.spec.get("outside") != "hold":
                raise No("outOfRange")
            return (points[0] if x < points[0][0] else points[-1])[1], f | {"ceiling"}
        if x == points[0][0]:
            return points[0][1], f
        for (x0, y0), (x1, y1) in zip(points, points[1:]):
            if x0 < x <= x1:
                return y0 + rounded((x - x0) * (y1 - y0) / (x1 - x0)), f
        raise AssertionError

    def window(self, now, value, flags):
        s = self.spec
        self.entries = self.entries[-(s.get("count", 1000) - 1):] if s.get("count", 1000) > 1 else []
        if "seconds" in s:
            self.entries = [e for e in self.entries if now - e[0] < s["seconds"] * NANO]
        self.entries.append((now, value, flags))
        if len(self.entries) < s.get("atLeast", 1):
            raise No("warmingUp")
        union = frozenset().union(*(e[2] for e in self.entries))
        return sorted(e[1] for e in self.entries), union

    def movingMean(self, now, v, f):
        values, flags = self.window(now, v[0], f)
        return sound(sum(values, F(0)) / len(values)), flags

    def movingMedian(self, now, v, f):
        values, flags = self.window(now, v[0], f)
        half = len(values) // 2
        if len(values) % 2:
            return values[half], flags
        return sound((values[half - 1] + values[half]) / 2), flags

    def trimmedMean(self, now, v, f):
        values, flags = self.window(now, v[0], f)
        edge = int(len(values) * number(self.spec["trim"]))
        values = values[edge:len(values) - edge]
        return sound(sum(values, F(0)) / len(values)), flags

    def humidityCorrection(self, now, v, f):
        value, humidity = v
        if not 0 <= humidity <= 105:
            raise No("outOfRange")
        if humidity > number(self.spec.get("limit", 95)):
            raise No("gated")
        if self.spec["fit"] == "kappa-kohler":
            kappa = number(self.spec["kappa"])
            if humidity == 0:
                return value, f
            growth = 1 + kappa / F("1.65") / (-1 + 100 / humidity)
            return sound(value / growth), f
        a, b = {"hackair-pm25": ("0.48756", "8.60068"), "hackair-pm10": ("0.81559", "5.83411")}[
            self.spec["fit"]
        ]
        h = Decimal(humidity.numerator) / Decimal(humidity.denominator) / 100
        power = F(h ** Decimal(b)) if h else F(0)
        return sound(value / (1 + F(a) * power)), f

    def pressureCorrection(self, now, v, f):
        value, pressure = v
        if not 70_000 <= pressure <= 120_000:
            raise No("gated")
        return sound(value * number(self.spec.get("referencePascals", 101_300)) / pressure), f

    def rate(self, now, v, f):
        period = {"s": 1, "min": 60, "h": 3600}[self.spec["per"]]
        before = self.entries[0] if self.entries else None
        if before and before[0] == now:
            raise No("outOfRange")
        self.entries = [(now, v[0], f)]
        if not before or (self.spec.get("counter") and v[0] < before[1]):
            raise No("warmingUp")
        return sound((v[0] - before[1]) * period * NANO / (now - before[0])), f | before[2]

    def dose(self, now, v, f):
        tube = {"LND7317": 334, "LND7318": 334, "LND712": 108, "LND7128": 108, "SBM20": 174}
        factor = tube.get(self.spec.get("tube")) or number(self.spec["cpmPerMicrosievert"])
        lost = v[0] / 60 * number(self.spec.get("deadTimeMicroseconds", 0)) / 10**6
        if lost >= F("0.3"):
            raise No("gated")
        return sound(v[0] / (1 - lost) / factor), f

    def threshold(self, now, v, f):
        on = number(self.spec["on"])
        off = number(self.spec.get("off", self.spec["on"]))
        x = v[0] if on >= off else -v[0]
        high, low = (on, off) if on >= off else (-on, -off)
        if x >= high:
            self.standing = F(1)
        elif x < low or self.standing is None:
            self.standing = F(0)
        return self.standing, f

    def debounce(self, now, v, f):
        if self.standing is None or v[0] == self.standing:
            self.standing, self.waiting = v[0], None
        else:
            if self.waiting is None or self.waiting[0] != v[0]:
                self.waiting = (v[0], now)
            if now - self.waiting[1] >= self.spec["seconds"] * NANO:
                self.standing, self.waiting = v[0], None
        return self.standing, f

    def gate(self, now, v, f):
        if f & set(self.spec.get("unless", [])) or (len(v) > 1 and v[1] == 0):
            raise No("gated")
        return v[0], f


def combine(spec, signals):
    values = [s for s in signals if not isinstance(s, str)]
    least = spec.get("atLeast", len(signals))
    if len(values) < least:
        raise No(next(s for s in signals if isinstance(s, str)))
    flags = frozenset().union(*(v[1] for v in values))
    x = [v[0] for v in values]
    if spec["op"] == "ratio" and x[1] == 0:
        raise No("outOfRange")
    result = {
        "sum": lambda: sum(x, F(0)),
        "difference": lambda: x[0] - x[1],
        "mean": lambda: sum(x, F(0)) / len(x),
        "min": lambda: min(x),
        "max": lambda: max(x),
        "ratio": lambda: x[0] / x[1],
    }[spec["op"]]()
    return sound(result), flags


class Runner:
    def __init__(self, channels, graph):
        self.channels = {c["name"]: c for c in channels}
        self.graph = graph
        self.specs = {n["name"]: n for n in graph["nodes"]}
        self.reset()

    def reset(self):
        self.nodes = {n["name"]: Node(n) for n in self.graph["nodes"]}
        self.held, self.notes, self.last = {}, {}, None

    def inputs(self, spec):
        if spec["type"] == "combine":
            return spec["inputs"]
        return [spec[k] for k in ("input", "humidity", "pressure", "when") if k in spec]

    def note(self, time, name, value):
        self.notes[name] = (time, (value, frozenset()))

    def look(self, name, now):
        limit = AGE
        if ":" in name or name in self.graph.get("inputs", {}):
            extra = self.graph.get("inputs", {}).get(name, {"from": name})
            limit = extra.get("ageLimitSeconds", 600) * NANO
            found = self.notes.get(extra["from"])
        else:
            found = self.held.get(name)
        if found is None or abs(now - found[0]) > limit:
            return "stale"
        return found[1]

    def flag(self, now, sample):
        if self.graph.get("humid") is False:
            return sample
        source = "humidity" if "humidity" in self.channels else "station:humidity"
        humidity = sample.get(source) if source in sample else self.look(source, now)
        if isinstance(humidity, str) or humidity[0] <= 70:
            return sample
        return {
            name: (s[0], s[1] | {"humid"})
            if self.channels[name]["unit"] in MASS and not isinstance(s, str)
            else s
            for name, s in sample.items()
        }

    def decimals(self, name):
        if name in self.channels:
            return self.channels[name]["decimals"]
        if name not in self.specs:
            return 0
        spec = self.specs[name]
        default = 0 if spec["type"] == "threshold" else max(map(self.decimals, self.inputs(spec)))
        return spec.get("decimals", default)

    def evaluate(self, now, sample):
        if self.last is not None and now < self.last:
            self.reset()
        self.last = now
        for name, signal in sample.items():
            self.held[name] = (now, signal)
        done = {}

        def work(name):
            """Whether the node was worked out for this sample."""
            if name in self.channels:
                return name in sample
            if name not in self.specs:
                return False
            if name not in done:
                spec = self.specs[name]
                inputs = self.inputs(spec)
                done[name] = any([work(i) for i in inputs])
                if done[name]:
                    self.held[name] = (now, self.result(name, spec, inputs, now))
            return done[name]

        out = []
        for spec in self.graph["nodes"]:
            if work(spec["name"]) and not spec.get("hidden"):
                shown = show(self.held[spec["name"]][1], self.decimals(spec["name"]))
                out.append(f"{spec['name']}@{self.graph['version']}={shown}")
        return out

    def result(self, name, spec, inputs, now):
        signals = [self.look(i, now) for i in inputs]
        try:
            if spec["type"] == "combine":
                return combine(spec, signals)
            for signal in signals:
                if isinstance(signal, str):
                    return signal
            flags = frozenset().union(*(s[1] for s in signals))
            return self.nodes[name](now, [s[0] for s in signals], flags)
        except No as reason:
            return str(reason)


def show(signal, decimals):
    if isinstance(signal, str):
        return f"?{signal}"
    flags = "+".join(f for f in ORDER if f in signal[1])
    return written(signal[0], decimals) + (f"!{flags}" if flags else "")


cases, lines = [], []


def case(name, channels, graph, steps):
    """Runs `steps`: (time, {channel: mantissa, reason or (mantissa, flags)}, [(name, text)])."""
    channels = [dict(zip(("name", "unit", "decimals"), c)) for c in channels]
    cases.append({"name": name, "channels": channels, "graph": graph})
    lines.append(f"case {name}")
    runner = Runner(channels, graph)
    for time, sample, notes in steps:
        for source, text in notes:
            lines.append(f"note {time} {source} {text}")
            runner.note(time, source, F(text))
        signals, words = {}, []
        for key, given in sample.items():
            if not isinstance(given, str):
                mantissa, flags = given if isinstance(given, tuple) else (given, [])
                digits = runner.channels[key]["decimals"]
                signals[key] = (F(mantissa, 10**digits), frozenset(flags))
                words.append(f"{key}={show(signals[key], digits)}")
                if abs(signals[key][0]) > MAX:
                    signals[key] = "outOfRange"
            else:
                signals[key] = given
                words.append(f"{key}=?{given}")
        lines.append(f"in {time} " + " ".join(words))
        flagged = runner.flag(time, signals)
        lines.append("out " + " ".join(runner.evaluate(time, flagged)))


def walk(seed, channels, count, top, lone=0.1, boot=True):
    """A walk of mantissas with absences, doubts, irregular times, gaps and a new boot."""
    dice = random.Random(seed)
    time, level = 5 * NANO, {c[0]: dice.randrange(top) for c in channels}
    steps = []
    for index in range(count):
        if boot and index == count // 2:
            time = 3 * NANO
        time += dice.choice([NANO, NANO, 1_300_000_017, 10 * NANO, 61 * NANO, 0])
        if dice.random() < 0.02:
            time += dice.choice([700 * NANO, 3600 * NANO, 4000 * NANO])
        sample = {}
        for name, *_ in channels:
            level[name] += dice.randrange(-top // 20, top // 20 + 1)
            roll = dice.random()
            if roll < lone:
                continue
            if roll < lone + 0.05:
                sample[name] = dice.choice(["replyTimeout", "badFrames", "unplugged"])
            elif roll < lone + 0.1:
                sample[name] = (level[name], [dice.choice(["ceiling", "inconsistent"])])
            else:
                sample[name] = level[name]
        if sample:
            steps.append((time, sample, []))
    return steps


def node(name, kind, **keys):
    return {"name": name, "type": kind, **keys}


PLAIN = [("a", "hPa", 1), ("b", "hPa", 2), ("c", "V", 3)]
case(
    "arithmetic",
    PLAIN,
    {
        "version": 3,
        "nodes": [
            node("late", "combine", inputs=["in_pa", "p_in_pa"], op="mean", decimals=4),
            node("in_pa", "scale", input="a", factor=100, unit="Pa"),
            node("p_in_pa", "scale", input="b", factor=100, unit="Pa", hidden=True),
            node("third", "scale", input="a", factor=0.3333333333333333, decimals=9),
            node("up", "offset", input="b", by=-273.15),
            node("cubic", "polynomial", input="c", decimals=6, unit="ppm",
                 coefficients=[-1.5, 2.25e-3, 1e-7, -3.1e-12]),
            node("bent", "table", input="a", decimals=5, points=[[-3, 7], [10, 7.5], [33.3, -2]]),
            node("held", "table", input="a", decimals=5, unit="ppm", outside="hold",
                 points=[[0, 0], [10, 3], [20, 4]]),
            node("both", "combine", inputs=["a", "b"], op="sum"),
            node("gap", "combine", inputs=["a", "b"], op="difference", decimals=1),
            node("mid", "combine", inputs=["a", "b", "up"], op="mean", atLeast=1, decimals=7),
            node("low", "combine", inputs=["a", "b"], op="min", atLeast=1),
            node("high", "combine", inputs=["a", "b"], op="max"),
            node("share", "combine", inputs=["a", "b"], op="ratio", decimals=9),
        ],
    },
    walk(1, PLAIN, 400, 600),
)

WINDOWS = [("a", "ppm", 1)]
case(
    "windows",
    WINDOWS,
    {
        "version": 1,
        "nodes": [
            node("mean5", "movingMean", input="a", count=5, decimals=9),
            node("mean1", "movingMean", input="a", count=1),
            node("minute", "movingMean", input="a", seconds=60, decimals=6),
            node("few", "movingMean", input="a", seconds=30, count=4, atLeast=2, decimals=3),
            node("median5", "movingMedian", input="a", count=5, atLeast=3, decimals=2),
            node("median4", "movingMedian", input="a", count=4, decimals=2),
            node("trimmed", "trimmedMean", input="a", count=10, trim=0.2, decimals=5),
            node("short", "trimmedMean", input="a", seconds=20, trim=0.45, decimals=5,
                 gapSeconds=60),
            node("smooth", "movingMean", input="median5", count=3, decimals=4),
        ],
    },
    walk(2, WINDOWS, 500, 900, lone=0),
)

CHANGES = [("level", "m", 2), ("total", "count", 0), ("door", "", 0)]
case(
    "changes",
    CHANGES,
    {
        "version": 12,
        "nodes": [
            node("speed", "rate", input="level", per="s", decimals=4),
            node("climb", "rate", input="level", per="h", decimals=2),
            node("pace", "rate", input="total", per="min", counter=True, decimals=3),
            node("dose", "dose", input="pace", cpmPerMicrosievert=334, decimals=6),
            node("other", "dose", input="pace", tube="LND712", decimals=6),
            node("wet", "threshold", input="level", on=3, off=2.5),
            node("dry", "threshold", input="level", on=1.5, off=2),
            node("sharp", "threshold", input="level", on=2.5),
            node("calm", "debounce", input="wet", seconds=10),
            node("steady", "debounce", input="level", seconds=1),
            node("clean", "gate", input="level", unless=["ceiling"]),
            node("when_wet", "gate", input="total", when="calm", unless=["inconsistent"]),
        ],
    },
    walk(3, CHANGES, 500, 500),
)

AIR = [("pm25", "µg/m³", 1), ("pm10", "µg/m³", 1), ("humidity", "%", 2)]
DRY = [
    node("pm25_dry", "humidityCorrection", input="pm25", humidity="humidity", fit="hackair-pm25",
         decimals=6),
    node("pm10_dry", "humidityCorrection", input="pm10", humidity="humidity", fit="hackair-pm10",
         decimals=6),
    node("pm25_kappa", "humidityCorrection", input="pm25", humidity="humidity",
         fit="kappa-kohler", kappa=0.4, limit=90, decimals=6),
    node("coarse", "combine", inputs=["pm10_dry", "pm25_dry"], op="difference", decimals=6),
]
dice = random.Random(4)
case(
    "humidity",
    AIR,
    {"version": 2, "nodes": DRY},
    [
        (
            (10 + index) * NANO,
            {
                "pm25": dice.randrange(10000),
                "pm10": dice.randrange(20000),
                "humidity": dice.choice([0, 1, 7000, 7001, 9500, 10000, 10500, 10501, -1])
                if index % 9 == 0
                else dice.randrange(10600),
            },
            [],
        )
        for index in range(600)
    ],
)

STATION = AIR[:2]
dice = random.Random(5)
case(
    "station",
    STATION,
    {
        "version": 7,
        "inputs": {"garden_rh": {"from": "garden/humidity", "unit": "%", "ageLimitSeconds": 120}},
        "nodes": [
            {**DRY[0], "humidity": "station:humidity"},
            {**DRY[1], "humidity": "garden_rh"},
            node("unless_humid", "gate", input="pm25", unless=["humid"]),
        ],
    },
    [
        (
            index * 40 * NANO,
            {"pm25": dice.randrange(500), "pm10": dice.randrange(900)},
            [("garden/humidity", str(dice.randrange(40, 100))),
             ("station:humidity", str(dice.randrange(40, 100)))]
            if dice.random() < 0.15
            else [],
        )
        for index in range(300)
    ],
)

LARGE = [("n", "count", 0), ("x", "V", 9)]
case(
    "large",
    LARGE,
    {
        "version": 1,
        "nodes": [
            node("same", "offset", input="n", by=0),
            node("twice", "scale", input="n", factor=2),
            node("huge", "scale", input="n", factor=1e9),
            node("square", "polynomial", input="n", coefficients=[0, 0, 1]),
            node("sum", "combine", inputs=["same", "twice"], op="sum"),
            node("fine", "offset", input="x", by=1e-9),
            node("per_second", "rate", input="n", per="s", decimals=9),
        ],
    },
    [
        (index * NANO, {"n": n, "x": (-1) ** index * n * 7 % 2**31}, [])
        for index, n in enumerate(
            [0, 1, 9223372035, 9223372036, 9223372037, 2**40, 2**63 - 1, -(2**63), -9223372036,
             4611686018, 4611686019, 96038, 96039, 2147483647, 2147483648, 1, 0]
        )
    ],
)

SENSORS = [("cpm", "cpm", 0), ("co2", "ppm", 0), ("pressure", "Pa", 0)]
dice = random.Random(6)
case(
    "sensors",
    SENSORS,
    {
        "version": 1,
        "nodes": [
            node("sbm20", "dose", input="cpm", tube="SBM20", deadTimeMicroseconds=190, decimals=3),
            node("lnd712", "dose", input="cpm", tube="LND712", deadTimeMicroseconds=90, decimals=3),
            node("own", "dose", input="cpm", cpmPerMicrosievert=175.4, deadTimeMicroseconds=0.5, decimals=5),
            node("at_sea", "pressureCorrection", input="co2", pressure="pressure"),
            node("at_home", "pressureCorrection", input="co2", pressure="pressure", referencePascals=95_000.5,
                 decimals=3),
        ],
    },
    [
        (
            (10 + index) * NANO,
            {
                "cpm": dice.choice([0, 1, 17, 94_736, 94_737, 199_999, 200_000, 200_001, 350_000])
                if index % 5 == 0
                else dice.randrange(100_000),
                "co2": dice.randrange(5_001),
                "pressure": dice.choice([0, -1, 69_999, 70_000, 120_000, 120_001, 101_300])
                if index % 5 == 0
                else dice.randrange(69_000, 121_000),
            },
            [],
        )
        for index in range(200)
    ],
)

for day in ("2017-09-02", "2017-09-03"):
    folder = Path("../../../StoreTests/Fixtures")

    def rows(name, *columns):
        with open(folder / f"{day}_{name}.csv", newline="") as file:
            for row in csv.DictReader(file, delimiter=";"):
                when = datetime.fromisoformat(row["timestamp"] + "+00:00").timestamp()
                yield int(when), [row[c] for c in columns]

    humid = list(rows("dht22_sensor_5332", "humidity"))
    midnight = int(datetime.fromisoformat(day + "T00:00:00+00:00").timestamp())
    steps = []
    for when, (p1, p2) in rows("sds011_sensor_5331", "P1", "P2"):
        nearest = min(humid, key=lambda row: abs(row[0] - when))
        if abs(nearest[0] - when) > 60:
            continue
        sample = {
            "pm25": int(F(p2) * 100), "pm10": int(F(p1) * 100),
            "humidity": int(F(nearest[1][0]) * 100),
        }
        steps.append(((when - midnight) * NANO, sample, []))
    hundredths = [("pm25", "µg/m³", 2), ("pm10", "µg/m³", 2), ("humidity", "%", 2)]
    case(f"day {day}", hundredths, {"version": 2, "nodes": DRY}, steps)

Path("golden.json").write_text(json.dumps(cases, ensure_ascii=False, indent=1) + "\n")
Path("golden.txt").write_text("\n".join(lines) + "\n")
print(len(cases), "cases,", len(lines), "lines")
