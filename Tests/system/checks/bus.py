"""Parts on I²C without a driver: a stand-in for /dev/i2c-N below a real roostd, and each profile that ends in -direct.

Bytes are the worked examples of the data sheets where they have one, else numbers of which the check reckons the value by
the data sheet's formula, exactly: values must be equal to the digit. Then a wrong checksum, a part that does not
acknowledge, one that comes late, one that is busy, an address that a driver of the kernel has, and a data wire at ground:
each is named, none gives a value. Then two buses hang, one whose calls do not come back and one whose calls end with a
time-out: a part of a third goes on, the ladder stands among the events, and each part is back within 30 s.
"""

import fractions
import struct

from .. import i2c
from ..check import until
from ..station import Station

PRODUCTS = ("roost", "roostd")
ANSWER_SECONDS = 40
BACK_SECONDS = 30


def crc(content, start=0xFF):
    """CRC-8 with the polynomial 0x31, bit by bit as the data sheets have it."""
    total = start
    for byte in content:
        total ^= byte
        for _ in range(8):
            total = (total << 1 ^ (0x31 if total & 0x80 else 0)) & 0xFF
    return total


def words(*numbers, start=0xFF):
    """Numbers of 16 bits, a checksum after each, as hexadecimal digits."""
    pairs = [number.to_bytes(2, "big") for number in numbers]
    return b"".join(pair + bytes([crc(pair, start)]) for pair in pairs).hex()


def floats(*numbers):
    """Floating-point numbers, a checksum after every two bytes."""
    return "".join(words(*struct.unpack(">HH", struct.pack(">f", number))) for number in numbers)


def aht20(status, humidity, temperature):
    """An AHT20's seven bytes: a status, twenty bits each, a checksum."""
    content = bytes([status]) + (humidity << 20 | temperature).to_bytes(5, "big")
    return (content + bytes([crc(content)])).hex()


def reckoned(number, factor, divisor, offset=0, decimals=2):
    """What a data sheet's formula gives, rounded half away from zero."""
    value = fractions.Fraction(factor) * number / divisor + fractions.Fraction(offset)
    scaled = abs(value) * 10 ** decimals + fractions.Fraction(1, 2)
    return (scaled.numerator // scaled.denominator) * (1 if value >= 0 else -1) / 10 ** decimals


SENSIRION = {"temperature": reckoned(0x6ABC, 175, 65535, -45), "humidity": reckoned(0x8123, 100, 65535)}
# By device: profile, bus, address, what each command answers, values of channels.
PARTS = {
    # Data sheet of the SCD4x, 3.5.2: 500 ppm, 25 °C, 37 %.
    "scd41": ("sensirion-scd4x-direct", 1, "62",
              {"21b1": "", "3f86": "", "ec05": "01f4336667a25eb93c", "3682": "f896319f07c23bbe89"},
              {"co2": 500, "temperature": 25.0, "humidity": 37.0}),
    # Interface description of the SCD30, 1.4.5: 439.09 ppm, 27.24 °C, 48.81 %.
    "scd30": ("sensirion-scd30-direct", 1, "61",
              {"0010000081": "", "0104": "", "0300": "43dbcb8c2e8f41d970e7fff54243bf3a1b74"},
              {"co2": 439, "temperature": 27.24, "humidity": 48.81}),
    # Data sheet of the SHT21, figure 15: 6352 with the checksum 64 is 42.5 %.
    "htu21": ("te-htu21-direct", 1, "40", {"f3": words(0x6838, start=0), "f5": "635264"},
              {"temperature": reckoned(0x6838, "175.72", 65536, "-46.85"), "humidity": 42.49}),
    "sht4x": ("sensirion-sht4x-direct", 4, "44", {"fd": words(0x6666, 0x8123), "89": words(0x0EEE, 0xF00D)},
              {"temperature": 25.0, "humidity": reckoned(0x8123, 125, 65535, -6)}),
    "sht3x": ("sensirion-sht3x-direct", 1, "45", {"2400": words(0x6ABC, 0x8123), "3780": words(0x0EEE, 0xF00D)}, SENSIRION),
    "sht35": ("sensirion-sht3x-direct", 3, "44", {"2400": words(0x6ABC, 0x8123), "3780": words(0x0EEE, 0xF00E)}, SENSIRION),
    "sgp40": ("sensirion-sgp40-direct", 4, "59",
              {"260f8000a2666693": words(0x7A3C), "3615": "", "3682": words(0, 0x53, 0x1234)}, {"voc_raw": 0x7A3C}),
    # 400 ppm and 0 ppb are the first answers of each start, in the data sheet of the SGP30.
    "sgp30": ("sensirion-sgp30-direct", 5, "58", {"2003": "", "2008": words(0x0190, 7), "3682": words(0, 0x53, 0x1235)},
              {"co2_equivalent": 400, "tvoc": 7}),
    "aht20": ("aosong-aht20-direct", 1, "38", {"be0800": "", "ac3300": aht20(0x1C, 0x80000, 0x60000)},
              {"temperature": 25.0, "humidity": 50.0}),
    "sps30": ("sensirion-sps30-direct", 5, "69",
              {"00100300ac": "", "0104": "", "0300": floats(3.25, 7.125, 9.5, 10.75)},
              {"pm1": 3.25, "pm25": 7.13, "pm4": 9.5, "pm10": 10.75}),
    "hdc1080": ("ti-hdc1080-direct", 3, "40", {"ff": "1050", "00": "6a3c8000"},
                {"temperature": reckoned(0x6A3C, 165, 65536, -40), "humidity": 50.0}),
}
# Two parts that do not answer from the start.
AWAY = {"sht3x": {"!nack": ""}, "hdc1080": {"!busy": ""}}


def there(**changes):
    """The parts as on their buses; of some, other answers or faults."""
    return {entry[1:3]: {**entry[3], **changes.get(part, {})} for part, entry in PARTS.items()}


class Header(Station):
    """A station with all parts in its configuration."""

    def latest(self, part):
        """The latest of each channel of a part that has one."""
        return {name: self.values().get(f"{part}/{name}", {}) for name in PARTS[part][4]}

    def wrong(self, parts):
        """Values that are not the data sheets', by channel; None of one that has none yet."""
        values = {channel: latest["value"] for channel, latest in self.values().items()}
        wanted = {f"{part}/{name}": value for part in parts for name, value in PARTS[part][4].items()}
        return {channel: values.get(channel) for channel, value in wanted.items() if values.get(channel) != value}

    def age(self, part):
        """Seconds since the last value of a part; a year without one."""
        return min((latest.get("ageSeconds", 3e7) for latest in self.latest(part).values()), default=3e7)

    def said(self, part):
        """Events of a part."""
        return [event for event in self.ask("events") if event.get("source") == part]

    def named(self, kind, part, text):
        """Whether an event of a part has a text in one of its details."""
        return any(event.get("kind") == kind and text in str(event) for event in self.said(part))


def values(latest):
    return {name: entry.get("value") for name, entry in latest.items()}


def stumble(check, station, buses):
    """Parts that do not measure, and two buses that hang: each is named, none gives a value, and the others go on."""
    hung = [part for part, entry in PARTS.items() if entry[1] in (4, 5)]
    wrong = {"htu21": {"!low": ""}, "sht35": {"2400": words(0x6ABC, 0x8123)[:-2] + "00"},
             "aht20": {"ac3300": aht20(0x9C, 0x80000, 0x60000)}}
    buses.put({**there(**AWAY, **wrong), (5, "*"): {"!hang": ""}, (4, "*"): {"!timeout": ""}})
    for kind, part, text in [("sensor not answering", "sht3x", "does not acknowledge"),
                             ("device unusable", "hdc1080", "a driver of the kernel"),
                             ("sensor not answering", "sht35", "a checksum is wrong"),
                             ("sensor not answering", "aht20", "the part is busy"),
                             ("sensor not answering", "htu21", "is not marked as a humidity"),
                             *(("device unusable", part, "its bus hangs") for part in hung)]:
        seen = until(lambda kind=kind, part=part, text=text: station.named(kind, part, text), ANSWER_SECONDS)
        check.demand(seen, f"{part} is silent and not named: {station.said(part)}")
    for part in hung:
        ladder = station.said(part)[-3:]
        for event, text in zip(ladder, ("ask again", "reopen", "look at the wires")):
            check.demand(text in str(event), f"the ladder of {part} has no rung {text!r}: {ladder}")
        lines = [line for line in station.log().splitlines() if f"{part}: device unusable" in line]
        check.demand(len(lines) <= 1, f"the log repeats that {part} cannot be used: {lines}")
    check.demand("its bus hangs" in station.roost("devices").stdout, "roost devices does not say that a bus hangs")
    for part in ("scd41", "scd30"):
        check.demand(station.age(part) < 15, f"what hangs elsewhere holds up {part}: {station.age(part)} s")
    for part in AWAY:
        check.same(values(station.latest(part)), dict.fromkeys(PARTS[part][4]), f"values of {part}, which never answered")
    made_up = {channel: value for channel, value in station.wrong(PARTS).items() if value is not None}
    check.same(made_up, {}, "values that no part gave")
    buses.put(there())
    check.demand(until(lambda: not station.wrong(PARTS) and max(map(station.age, PARTS)) < 15, BACK_SECONDS),
                 f"not back {BACK_SECONDS} s after the end: {station.wrong(PARTS)}, ages {list(map(station.age, PARTS))}")


def run(check, options):
    buses = i2c.Buses(check)
    buses.put(there(**AWAY))
    devices = [{"name": part, "type": entry[0], "port": f"/dev/i2c-{entry[1]}@0x{entry[2]}", "warmUpSeconds": 0}
               for part, entry in PARTS.items()]
    station = Header(check, "bus", mode="live", store={"folder": check.path("store")}, devices=devices)
    buses.start(station)
    heard = [part for part in PARTS if part not in AWAY]
    check.demand(until(lambda: not station.wrong(heard), ANSWER_SECONDS),
                 f"not as the data sheets say: {station.wrong(heard)}\n{station.log()[-1500:]}")
    check.say(f"{len(heard)} parts, {sum(len(PARTS[part][4]) for part in heard)} values to the digit")
    stumble(check, station, buses)
    check.same(station.stop(), 0, "the station's end")
    transfers = buses.transfers(PARTS["sps30"][1:3])
    check.demand(["w", "0104"] in transfers[-3:], f"an SPS30 is left running: {transfers[-5:]}")
