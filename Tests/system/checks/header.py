"""Sensors on the header: a folder that looks like sysfs stands in for the drivers of the kernel, with a real roostd over it.

Values are those of data sheets, to the digit: whole files, raw ones with an offset and a scale, per cent as ppm, a
1-wire part's value after power-on as none. Then one reading does not come back (a FIFO), one fails, one part goes away:
each is named, the others go on, and the station stops in order while the reading still hangs. And `roost bus`: header_bus.py.
"""

import os
import shutil

from .. import header_bus
from ..check import until
from ..servers.strangers import PluggedStation

PRODUCTS = ("roost", "roostd")
ANSWER_SECONDS = 60
I2C = "devices/platform/soc/fe804000.i2c/i2c-1"
# By device: subsystem, the kernel's name, folder below sys, files, values of channels.
PARTS = {
    "bme280": ("iio", "bme280", f"{I2C}/1-0076/iio:device0",
               {"in_temp_input": "25080", "in_humidityrelative_input": "46332", "in_pressure_input": "100.653253906"},
               {"temperature": 25.08, "humidity": 46.33, "pressure": 1006.53}),
    "si7021": ("iio", "si7020", f"{I2C}/1-0040/iio:device1",
               {"in_temp_raw": "6720", "in_temp_offset": "-4368", "in_temp_scale": "10.725097656", "in_humidityrelative_raw": "1856",
                "in_humidityrelative_offset": "-196", "in_humidityrelative_scale": "30.517578125"},
               {"temperature": 25.23, "humidity": 50.66}),
    "bh1750": ("iio", "bh1750", f"{I2C}/1-0023/iio:device2", {"in_illuminance_raw": "480", "in_illuminance_scale": "0.833333"},
               {"illuminance": 400.0}),
    "scd4x": ("iio", "scd41", f"{I2C}/1-0062/iio:device3",
              {"in_concentration_co2_raw": "812", "in_concentration_co2_scale": "0.000100", "in_temp_raw": "26215",
               "in_temp_offset": "-16852", "in_temp_scale": "2.670288", "in_humidityrelative_raw": "24248",
               "in_humidityrelative_scale": "1.525878"},
              {"co2": 812, "temperature": 25.0, "humidity": 37.0}),
    "lm75": ("hwmon", "lm75", f"{I2C}/1-0048/hwmon/hwmon1", {"temp1_input": "-25500"}, {"temperature": -25.5}),
    "ds18b20": ("w1", "28-0316a2795bff", "devices/w1_bus_master1/28-0316a2795bff", {"temperature": "23125"}, {"temperature": 23.13}),
}


class Header(PluggedStation):
    """A station over a folder `sys`, and the list of what is in it in place of udev."""

    def __init__(self, check, name, **config):
        self.root = check.path(name, "sys")
        super().__init__(check, name, **config)

    def place(self, part):
        return os.path.join(self.root, PARTS[part][2])

    def show(self, part):
        subsystem, kernel, place, files, _ = PARTS[part]
        os.makedirs(self.place(part), exist_ok=True)
        for file, text in files.items():
            self.put(part, file, text)
        self.stamps += 1
        self.plugged[part] = {"DEVPATH": "/" + place, "SUBSYSTEM": subsystem, "ROOST_SENSOR_NAME": kernel,
                              "DEVNAME": self.place(part), "USEC_INITIALIZED": str(self.stamps)}
        self.write()

    def put(self, part, file, text):
        path = os.path.join(self.place(part), file)
        with open(path + ".new", "w", encoding="ascii") as new:
            new.write(text + "\n")
        os.replace(path + ".new", path)

    def hide(self, part):
        shutil.rmtree(self.place(part))
        self.unplug(part)

    def wrong(self):
        """Values that are not the data sheets', by channel; None of one that has none yet."""
        values = {channel: latest["value"] for channel, latest in self.values().items()}
        wanted = {f"{part}/{name}": value for part, entry in PARTS.items() for name, value in entry[4].items()}
        return {channel: values.get(channel) for channel, value in wanted.items() if values.get(channel) != value}

    def has_event(self, kind, source):
        return any(event.get("kind") == kind and event.get("source") == source for event in self.events())


def age(station, channel):
    """Seconds since a channel's last value; a year without one."""
    latest = station.values().get(channel) or {}
    return latest.get("ageSeconds", 3e7)


def run(check, options):
    station = Header(check, "header", mode="live", store={"folder": check.path("store")})
    for part in PARTS:
        station.show(part)
    station.start()
    check.demand(until(lambda: not station.wrong(), ANSWER_SECONDS), f"not as the data sheets say: {station.wrong()}\n{station.log()[-800:]}")
    found = {entry["identity"]: entry["state"] for entry in station.found().values()}
    check.same(set(found.values()), {"adopted"}, "what was found")
    check.demand("dallas-ds18b20:w1/devices/28-0316a2795bff" in found, f"a 1-wire part is known by its number: {sorted(found)}")
    check.say(f"{len(PARTS)} parts without a line of configuration, {sum(len(entry[4]) for entry in PARTS.values())} values to the digit")

    station.put("ds18b20", "temperature", "85000")
    station.put("lm75", "temp1_input", "nan")
    os.remove(os.path.join(station.place("bme280"), "in_temp_input"))
    os.mkfifo(os.path.join(station.place("bme280"), "in_temp_input"))
    for part, kind in (("bme280", "device unusable"), ("lm75", "sensor not answering")):
        named = until(lambda part=part, kind=kind: station.has_event(kind, part), ANSWER_SECONDS)
        check.demand(named, f"{part} is silent and not named: {station.log()[-800:]}")
    check.demand("its bus hangs" in station.roost("devices").stdout, f"a hanging bus is not named: {station.roost('devices').stdout}")
    values = {channel: latest["value"] for channel, latest in station.values().items()}
    check.demand(values.get("ds18b20/temperature") in (None, 23.13), f"a value after power-on: {values.get('ds18b20/temperature')}")
    check.demand(values.get("lm75/temperature") in (None, -25.5), f"nan is a value: {values.get('lm75/temperature')}")
    check.demand(until(lambda: age(station, "bh1750/illuminance") < 30, ANSWER_SECONDS), "a reading that hangs holds up another part")

    station.hide("si7021")
    gone = until(lambda: any(entry["state"] == "absent" and entry.get("name") == "si7021" for entry in station.found().values()), ANSWER_SECONDS)
    check.demand(gone, "a part that is gone is not missed")
    station.show("si7021")
    check.demand(until(lambda: age(station, "si7021/humidity") < 10, ANSWER_SECONDS), "no value after the part is back")
    check.same(station.stop(), 0, "the station's end, while a reading hangs")
    with open(os.path.join(station.place("bme280"), "in_temp_input"), "rb+", buffering=0):
        pass
    header_bus.run(check)
