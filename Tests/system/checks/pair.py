"""A dust sensor and a BME280, without a line of configuration for them: what others see of the two.

A simulated SDS011 behind an adapter and a folder that stands for a BME280 in sysfs, a real roostd whose configuration
names no device, a real roost-courier and roost-web. The owner has entered a map, a broker and airrohr's face, and no
sensor. Shows: the requests to Sensor.Community, pin 1 and pin 11, in its names and units (a stand-in with the rules of
its published code); Home Assistant's entities of both with their classes (a real mosquitto); the flag `humid` on dust,
with the sensor that it is from; and airrohr's answer. Then the air dries, and the flag goes.
"""

import json
import shutil
import subprocess

from ..browser.dashboard import free_port
from ..browser.files import WWW
from ..check import Failed, until
from ..courier import Courier
from ..servers.community import SensorCommunity
from ..station import Part
from .courier import Process, is_open
from .header import Header
from .web import Dashboard

PRODUCTS = ("roost", "roostd", "roost-courier", "roost-web")
WAIT = 40
PINS = 240  # Climate waits for the answer to dust, and two requests are 145 s apart.
NODE = "raspi-00000000abcdef01"
DAMP, DRY = "84250", "46332"  # Thousandths of a per cent.
# Class and unit of each entity in Home Assistant, by its name.
CLASSES = {"sds011 PM2.5": ("pm25", "µg/m³"), "sds011 PM10": ("pm10", "µg/m³"), "bme280 Temperature": ("temperature", "°C"),
           "bme280 Humidity": ("humidity", "%"), "bme280 Dew point": ("temperature", "°C"), "bme280 Pressure": ("atmospheric_pressure", "hPa")}


def flags(station):
    """The flags of PM2.5's last value."""
    return (station.values().get("sds011/pm25") or {}).get("quality") or []


def broker(check):
    """A mosquitto, and what is said at it; none where it is not installed."""
    program = shutil.which("mosquitto", path="/usr/sbin:/usr/bin")
    if program is None or shutil.which("mosquitto_sub") is None:
        check.skip("mosquitto is not here (apt install mosquitto mosquitto-clients)")
        return None, dict
    port = free_port()
    with open(check.path("mosquitto.log"), "ab") as log, open(check.path("topics.log"), "ab") as topics:
        check.ends(Process(subprocess.Popen([program, "-p", str(port)], stdout=log, stderr=log)))
        check.demand(until(lambda: is_open(port), 20), "mosquitto does not listen within 20 s")
        check.ends(Process(subprocess.Popen(["mosquitto_sub", "-p", str(port), "-t", "#", "-F", "%t %p"], stdout=topics, stderr=log)))

    def heard():
        """The newest payload of each topic."""
        with open(check.path("topics.log"), encoding="utf-8") as file:
            return dict(line.rstrip("\n").split(" ", 1) for line in file if " " in line)

    return port, heard


def entities(heard):
    """Class and unit of each sensor of the newest announcement, by its name."""
    text = next((text for topic, text in heard().items() if topic.startswith("homeassistant/device/")), "{}")
    return {one["name"]: (one.get("dev_cla"), one.get("unit_of_meas")) for one in json.loads(text).get("cmps", {}).values()
            if one["p"] == "sensor"}


def map_requests(check, server):
    """One request for each pin, in the form that the service publishes."""
    came = until(lambda: len(server.values()) >= 2, PINS)
    check.demand(came, f"pins at the map: {server.values()}")
    check.same(sorted(server.values()), ["1", "11"], "pins at the map")
    check.same(server.requests[0][1].get("X-Pin"), "1", "the first pin at the map")
    check.same(sorted(server.values().get("1", {})), ["P1", "P2"], "values of the dust sensor at the map")
    check.same(server.values().get("11"), {"temperature": "25.08", "humidity": "84.25", "pressure": "100653.00"},
               "values of the BME280 at the map: °C, %, Pa")
    for path, headers, body in server.requests:
        check.same((path, headers.get("X-Sensor")), ("/v1/push-sensor-data/", NODE), "address and id at the map")
        check.demand(body["software_version"].startswith("roost-"), f"version at the map: {body}")
        texts = all(isinstance(one["value"], str) for one in body["sensordatavalues"])
        check.demand(texts, f"the map's values are texts: {body}")


def house(check, heard):
    """Both devices in Home Assistant, with classes, and the damp in the value's attributes."""
    until(lambda: entities(heard).keys() >= CLASSES.keys(), WAIT)
    check.same({name: entities(heard).get(name) for name in CLASSES}, CLASSES, "classes and units in Home Assistant")

    def damp():
        states = [json.loads(text) for topic, text in heard().items() if topic.endswith("/sds011/state")]
        return any("humid" in state["pm25"]["q"] for state in states)

    check.demand(until(damp, WAIT), f"Home Assistant does not hear of the damp: {heard()}")
    return len(entities(heard))


def run(check, options):
    part = Part(check, "sds011", "--air", "12.3/20.5")
    station = Header(check, "pair", mode="live", store={"folder": check.path("store")})
    check.same(sorted(station.config), ["mode", "name", "socket", "store"], "what is configured")
    station.show("bme280")
    station.put("bme280", "in_humidityrelative_input", DAMP)
    station.plug(1, part.place, ("1a86", "7523"))
    station.start()
    both = until(lambda: {"sds011/pm25", "bme280/humidity"} <= set(station.values()), WAIT)
    if not both:
        raise Failed(f"the two are not there: {station.values()} {station.log()[-600:]}")
    check.demand(until(lambda: "humid" in flags(station), WAIT), f"damp air is no flag of dust: {station.values().get('sds011/pm25')}")
    dust = next(one for one in station.report("status")["channels"] if one["channel"] == "sds011/pm25")
    check.same(dust.get("humidity"), {"device": "bme280", "percent": 84.25}, "the humidity that the flag is from")
    facts = next(one for one in station.report("devices")["devices"] if one["name"] == "sds011")["facts"]
    check.same(facts.get("humidityFrom"), "bme280", "the neighbour that `roost devices` names")
    check.demand("humid: 84 % at bme280" in station.roost("status").stdout, f"`roost status` on damp air: {station.roost('status').stdout}")
    check.same(station.values().get("bme280/dew_point@1", {}).get("value"), 22.2, "the dew point of 25.08 °C and 84.25 %")
    station.trust_clock()

    server = SensorCommunity(check, **{NODE.replace("-", "_"): {"1": 71001, "11": 71002}})
    port, heard = broker(check)
    targets = [{"id": "map", "type": "sensor-community", "sensor": NODE, "local": True,
                "url": f"http://127.0.0.1:{server.port}/v1/push-sensor-data/"}]
    if port is not None:
        targets.append({"id": "ha", "type": "mqtt", "url": f"mqtt://127.0.0.1:{port}", "local": True})
    courier = Courier(check, station, targets=targets)
    courier.start()
    map_requests(check, server)
    count = house(check, heard) if port is not None else 0

    faces = check.path("faces.json")
    with open(faces, "w", encoding="ascii") as file:
        json.dump({"airrohr": {}}, file)
    dashboard = Dashboard(check, station, "--faces", faces, "--www", WWW)
    answer = json.loads(dashboard.get("/data.json")[2])
    shown = {one["value_type"]: one["value"] for one in answer["sensordatavalues"]}
    check.same(shown, {"SDS_P1": "20.50", "SDS_P2": "12.30", "BME280_temperature": "25.08", "BME280_humidity": "84.25",
                       "BME280_pressure": "100653.00"}, "airrohr's answer")

    shown = next(one for one in dashboard.station()["channels"] if one["id"] == "sds011/pm25")
    check.same(shown.get("humidity"), {"device": "bme280", "percent": 84.25}, "the humidity for the page Now")

    station.put("bme280", "in_humidityrelative_input", DRY)
    check.demand(until(lambda: station.values() and "humid" not in flags(station), WAIT), "dry air keeps the flag of damp")
    check.same(courier.stop(), 0, "the courier's end")
    check.same(station.stop(), 0, "the station's end")
    return f"pins 1 and 11, {count} entities, the flag, airrohr's face"
