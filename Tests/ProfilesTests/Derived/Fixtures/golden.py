"""Writes golden.json and golden.txt, run in this folder: graphs, samples, and what must come of them.

Computes everything once more from SPEC.md, in exact fractions and fifty-digit decimals, sharing
nothing with the Swift code. Deterministic: the same files every time.
"""
import json
import random
from decimal import Decimal, getcontext
from fractions import Fraction as F
from pathlib import Path

getcontext().prec = 50
NANO = 10**9
MAX = 9 * 10**9
AGE = 600 * NANO
MASS = ("µg/m³", "mg/m³")
ORDER = ["ceiling", "inconsistent", "unchanging", "outOfRange", "humid", "estimated"]
TUBES = {"LND7317": 334, "LND7318": 334, "LND712": 108, "LND7128": 108, "SBM20": 174}
FITS = {"hackair-pm25": ("0.48756", "8.60068"), "hackair-pm10": ("0.81559", "5.83411")}


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


def humidityCorrection(spec, value, humidity):
    if not 0 <= humidity <= 105:
        raise No("outOfRange")
    if humidity > number(spec.get("limit", 95)):
        raise No("gated")
    scale, exponent = FITS[spec["fit"]]
    h = Decimal(humidity.numerator) / Decimal(humidity.denominator) / 100
    power = F(h ** Decimal(exponent)) if h else F(0)
    return value / (1 + F(scale) * power)


def pressureCorrection(spec, value, pressure):
    if not 70_000 <= pressure <= 120_000:
        raise No("gated")
    return value * number(spec.get("referencePascals", 101_300)) / pressure


def dose(spec, counts):
    factor = TUBES.get(spec.get("tube")) or number(spec["cpmPerMicrosievert"])
    lost = counts / 60 * number(spec.get("deadTimeMicroseconds", 0)) / 10**6
    if lost >= F("0.3"):
        raise No("gated")
    return counts / (1 - lost) / factor


KINDS = {one.__name__: one for one in (humidityCorrection, pressureCorrection, dose)}


class Runner:
    def __init__(self, channels, graph):
        self.channels = {c["name"]: c for c in channels}
        self.graph = graph
        self.reset()

    def reset(self):
        self.held, self.notes, self.last = {}, {}, None

    def inputs(self, spec):
        return [spec[key] for key in ("input", "humidity", "pressure") if key in spec]

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

    def evaluate(self, now, sample):
        if self.last is not None and now < self.last:
            self.reset()
        self.last = now
        for name, signal in sample.items():
            self.held[name] = (now, signal)
        out = []
        for spec in self.graph["nodes"]:
            inputs = self.inputs(spec)
            if any(name in sample for name in inputs):
                own = [self.channels[name]["decimals"] for name in inputs if name in self.channels]
                shown = show(self.result(spec, inputs, now), spec.get("decimals", max(own)))
                out.append(f"{spec['name']}@{self.graph['version']}={shown}")
        return out

    def result(self, spec, inputs, now):
        signals = [self.look(name, now) for name in inputs]
        for signal in signals:
            if isinstance(signal, str):
                return signal
        try:
            value = rounded(KINDS[spec["type"]](spec, *(s[0] for s in signals)))
        except No as reason:
            return str(reason)
        return (value, frozenset().union(*(s[1] for s in signals))) if abs(value) <= MAX else "outOfRange"


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
            runner.notes[source] = (time, (F(text), frozenset()))
        signals, words = {}, []
        for key, given in sample.items():
            if not isinstance(given, str):
                mantissa, flags = given if isinstance(given, tuple) else (given, [])
                digits = runner.channels[key]["decimals"]
                signals[key] = (F(mantissa, 10**digits), frozenset(flags))
                words.append(f"{key}={show(signals[key], digits)}")
                if abs(signals[key][0]) > MAX or "outOfRange" in flags:
                    signals[key] = "outOfRange"
            else:
                signals[key] = given
                words.append(f"{key}=?{given}")
        lines.append(f"in {time} " + " ".join(words))
        lines.append("out " + " ".join(runner.evaluate(time, runner.flag(time, signals))))


def node(name, kind, **keys):
    return {"name": name, "type": kind, **keys}


AIR = [("pm25", "µg/m³", 1), ("pm10", "µg/m³", 1), ("humidity", "%", 2)]
DRY = [
    node("pm25_dry", "humidityCorrection", input="pm25", humidity="humidity", fit="hackair-pm25", decimals=6),
    node("pm10_dry", "humidityCorrection", input="pm10", humidity="humidity", fit="hackair-pm10", limit=90),
]
dice = random.Random(4)


def doubtful(value):
    """A value that comes, comes with a doubt, or does not come."""
    roll = dice.random()
    if roll < 0.05:
        return dice.choice(["replyTimeout", "badFrames", "unplugged"])
    return (value, [dice.choice(["ceiling", "inconsistent", "outOfRange"])]) if roll < 0.15 else value


case(
    "humidity",
    AIR,
    {"version": 2, "nodes": DRY},
    [
        (
            (10 + index if index != 70 else 1) * NANO,  # Then a new boot.
            {
                "pm25": doubtful(dice.randrange(10_000)),
                "pm10": doubtful(dice.randrange(20_000)),
                "humidity": dice.choice([0, 1, 7_000, 7_001, 9_000, 9_001, 9_500, 9_501, 10_500, 10_501, -1])
                if index % 4 == 0
                else dice.randrange(9_600),
            }
            if index < 110
            else {"pm25": index},
            [],
        )
        for index in range(120)
    ],
)

dice = random.Random(5)
case(
    "station",
    AIR[:2],
    {
        "version": 7,
        "inputs": {"garden_rh": {"from": "garden/humidity", "unit": "%", "ageLimitSeconds": 120}},
        "nodes": [{**DRY[0], "humidity": "station:humidity"}, {**DRY[1], "humidity": "garden_rh"}],
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
        for index in range(100)
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
            node("lnd712", "dose", input="cpm", tube="LND712", deadTimeMicroseconds=90, decimals=9),
            node("own", "dose", input="cpm", cpmPerMicrosievert=175.4, deadTimeMicroseconds=0.5, decimals=5),
            node("plain", "dose", input="cpm", tube="LND7317", unit="µSv/h", decimals=3),
            node("at_sea", "pressureCorrection", input="co2", pressure="pressure"),
            node("at_home", "pressureCorrection", input="co2", pressure="pressure", referencePascals=95_000.5,
                 decimals=3),
        ],
    },
    [
        (
            (10 + index) * NANO,
            {
                "cpm": dice.choice([0, 1, 17, 94_736, 94_737, 199_999, 200_000, 200_001, 350_000, 2**31, 2**62])
                if index % 4 == 0
                else dice.randrange(100_000),
                "co2": dice.choice([2**31 - 1, 9 * 10**9, 9 * 10**9 + 1, -(2**63)])
                if index % 9 == 0
                else dice.randrange(5_001),
                "pressure": dice.choice([0, -1, 69_999, 70_000, 120_000, 120_001, 101_300])
                if index % 4 == 0
                else dice.randrange(69_000, 121_000),
            },
            [],
        )
        for index in range(120)
    ],
)

Path("golden.json").write_text(json.dumps(cases, ensure_ascii=False, indent=1) + "\n")
Path("golden.txt").write_text("\n".join(lines) + "\n")
print(len(cases), "cases,", len(lines), "lines")
