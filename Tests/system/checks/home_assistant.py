"""The station in a real Home Assistant: entities, plugs that are pulled, restarts, new names, alerts.

A simulated SDS011 in bad air and a simulated board at a real roostd, a real roost-courier, a mosquitto with the access
list of docs/guide/home-assistant.md, and Home Assistant from PyPI, set up by its own dialogs. Shows: names, units and
classes of all entities; unknown for a value that is missing, with the reason; unavailable within three intervals after
the station lost its power; no old value after a restart of Home Assistant; the same after the broker lost what it had
kept; a station that starts anew loses no entity; a renamed device keeps entity, id and history; one that was removed while
no courier ran is gone; alerts arrive; and Home Assistant complains of nothing. The first run makes a root of Debian 13 in
.build-home-assistant: some minutes and 1.5 GB.
"""

import json
import os
import shutil
import signal
import time

from ..check import Failed, Skipped, until
from ..courier import Courier
from ..servers.home_assistant import VERSION, Broker, HomeAssistant, HomeAssistantRoot
from ..station import Part, Station

PRODUCTS = ("roost", "roostd", "roost-courier")
NEEDS = "root, mmdebstrap, mosquitto, mosquitto-clients, the network once"
USERS = {"roost": "for the station", "house": "for the house"}
ACCESS = ("user roost", "topic write roost/#", "topic write homeassistant/#", "topic read homeassistant/status",
          "topic read homeassistant/device/+/config", "user house", "topic readwrite #")
INTERVAL = 1  # Of the sensor in `live`; an entity expires after three.
NOTHING = ("unknown", "unavailable", None)
# Name, unit and class of what the dust sensor and the board measure; Home Assistant shows pressure in hPa.
WANTED = {
    "dust PM2.5": ("µg/m³", "pm25"), "dust PM10": ("µg/m³", "pm10"),
    "court Temperature": ("°C", "temperature"), "court Humidity": ("%", "humidity"),
    "court Pressure": ("hPa", "atmospheric_pressure"), "court Altitude": ("m", None),
    "court TVOC": ("ppb", "volatile_organic_compounds_parts"), "court CO₂": ("ppm", "carbon_dioxide"),
    "court PM0.5": ("µg/m³", None), "court PM1": ("µg/m³", "pm1"), "court PM2.5": ("µg/m³", "pm25"),
    "court PM4": ("µg/m³", None), "court PM10": ("µg/m³", "pm10"),
    "Faults": (None, "problem"), "Alert": (None, None),
}


def arguments(parser):
    parser.add_argument("--discovery", choices=("device", "single"), default="device",
                        help="one message for all entities, or one for each (device)")


def plain(text):
    """With the micro sign, whichever of its two characters Home Assistant prefers."""
    return text.replace("\u03bc", "\u00b5") if text else text


class House:
    """The station, its courier, the broker and Home Assistant."""

    def __init__(self, check, options):
        self.check = check
        root = HomeAssistantRoot(check)
        root.demand()
        self.broker = Broker(check, USERS, ACCESS)
        self.broker.start()
        self.home = HomeAssistant(check, root)
        self.sensor = Part(check, "sds011", "--air", "80.0/160.0", link=check.path("sensor"))
        self.board = Part(check, "http")
        self.dust = {"name": "dust", "type": "sds011", "port": check.path("sensor")}
        self.court = {"name": "court", "type": "milano-board", "address": self.board.place, "intervalSeconds": 1}
        self.config = {"detect": False, "mode": "live", "reach": ["loopback"], "alerts": {"use": ["sample-levels", "who-24h"]},
                       "store": {"folder": check.path("store"), "megabytes": 4}}
        assert self.sensor.place
        self.station = Station(check, "house", devices=[self.dust, self.court], **self.config)
        self.courier = Courier(check, self.station, targets=[{
            "id": "ha", "type": "mqtt", "url": f"mqtt://127.0.0.1:{self.broker.port}", "user": "roost",
            "password": {"secret": "mqtt"}, "discovery": options.discovery, "local": True}])
        self.courier.secret("mqtt", USERS["roost"])

    def start(self):
        self.station.start()
        until(lambda: self.station.roost("clock", "trust").returncode == 0, 30)
        self.courier.start()

    def configure(self, *devices):
        self.station.configure(devices=list(devices), **self.config)
        self.station.daemon.send_signal(signal.SIGHUP)

    def entities(self):
        return self.home.entities(self.station.name)

    def state(self, name):
        return self.home.state(self.station.name, name)

    def has_value(self, name="dust PM2.5"):
        return self.state(name) not in NOTHING

    def wait(self, condition, limit, text):
        """Demands something within `limit` seconds; returns how many it took."""
        began = time.monotonic()
        self.check.demand(until(condition, limit), f"{text}: {self.entities()} {self.courier.log()[-300:]}")
        return time.monotonic() - began


def entities(check, house):
    # An alert is an event: without one it has no state.
    values = [name for name in WANTED if name != "Alert"]
    house.wait(lambda: all(house.has_value(name) for name in values), 60, "not all entities have a value")
    found = house.entities()
    check.same(sorted(found), sorted(WANTED), "entities")
    shown = {name: (plain(one[2].get("unit_of_measurement")), one[2].get("device_class")) for name, one in found.items()}
    check.same(shown, WANTED, "units and classes")
    classes = {name: one[2].get("state_class") for name, one in found.items() if one[0].startswith("sensor.")}
    check.same({name for name, kind in classes.items() if kind is None}, set(), "sensors without a state class")
    check.same(float(found["dust PM2.5"][1]), 80.0, "PM2.5")
    ids = house.home.registry
    known = until(lambda: os.path.exists(house.home.root.path(house.home.inside + "/.storage/core.entity_registry"))
                  and len(ids()) >= len(WANTED) and ids(), 30)
    check.demand(known and all(unique.startswith("roost_") for unique in known.values()), f"unique ids: {known}")
    return len(found)


def alerts(check, house):
    """An alert is raised: an event with what it is about."""
    before = house.state("Alert")
    house.station.roost("alerts", "test", "who-24h", "--value", "31", status=0)
    house.wait(lambda: house.state("Alert") != before, 20, "no alert arrives")
    found = house.entities()["Alert"][2]
    check.same((found.get("event_type"), found.get("rule"), found.get("limit")), ("raised", "who-24h", 15),
               "what Home Assistant knows of the alert")


def unplugged(check, house):
    """The sensor is pulled: unknown with the reason, never its old value; and again a value."""
    house.sensor.unplug()
    passed = house.wait(lambda: house.state("dust PM2.5") == "unknown", 30, "a sensor that is pulled is not unknown")
    why = house.entities()["dust PM2.5"][2].get("why")
    check.demand(why, f"no reason for what is missing: {house.entities()['dust PM2.5']}")
    check.demand(house.has_value("court CO₂"), "another device is missing, too")
    house.sensor = Part(check, "sds011", "--air", "80.0/160.0", link=check.path("sensor"))
    assert house.sensor.place
    house.wait(house.has_value, 60, "no value after the sensor is plugged again")
    return f"unknown after {passed:.1f} s ({why})"


def powerless(check, house):
    """The station loses its power: unavailable within three intervals of the last value."""
    house.courier.kill()
    house.station.kill()
    passed = house.wait(lambda: house.state("dust PM2.5") == "unavailable", 3 * INTERVAL + 1,
                        "after the station's plug was pulled")
    for _ in range(10):
        check.same(house.state("dust PM2.5"), "unavailable", "while the station is without power")
        time.sleep(0.5)
    house.home.stop()
    house.home.start()
    for _ in range(20):
        check.demand(house.state("dust PM2.5") in NOTHING, f"an old value: {house.state('dust PM2.5')}")
        time.sleep(0.5)
    house.start()
    house.wait(house.has_value, 30, "no value after the power is back")
    return f"unavailable after {passed:.1f} s, no old value after a restart of Home Assistant"


def restarted(check, house):
    """Home Assistant restarts while the air has changed: the first value it shows is a new one."""
    house.home.stop()
    house.sensor.unplug()
    house.sensor = Part(check, "sds011", "--air", "20.0/40.0", link=check.path("sensor"))
    assert house.sensor.place
    newest = until(lambda: house.station.values().get("dust/pm25", {}).get("value") == 20, 60)
    check.demand(newest, f"the station does not see the other air: {house.station.values()}")
    house.home.start()
    began, seen = time.monotonic(), set()
    while time.monotonic() - began < 30 and not {"20.0", "20"} & seen:
        seen.add(house.state("dust PM2.5"))
        time.sleep(0.2)
    passed = time.monotonic() - began
    check.demand({"20.0", "20"} & seen and seen <= {*NOTHING, "20.0", "20"}, f"after a restart: {seen}")
    return f"a new value {passed:.1f} s after the start"


def broker_restarts(check, house):
    """The broker dies and has forgotten all it kept: discovery and availability come back."""
    house.broker.kill()
    house.wait(lambda: house.state("dust PM2.5") == "unavailable", 30, "without a broker")
    house.broker.start()
    began = time.monotonic()
    topics = until(lambda: len(house.broker.retained("#", "house", USERS["house"])) >= 3, 10)
    check.demand(topics, "what is retained is not back within 10 s")
    kept, back = house.broker.retained("#", "house", USERS["house"]), time.monotonic() - began
    states = [topic for topic in kept if topic.endswith(("/state", "/lamp", "/health", "/alert", "/motion"))]
    check.same(states, [], "retained values")
    house.wait(house.has_value, 40, "no value after the broker restarted")
    return f"retained topics back within {back:.1f} s, values after {time.monotonic() - began:.1f} s"


def renamed(check, house):
    """A device gets another name: its entity, unique id and history stay."""
    entity = house.entities()["dust PM2.5"][0]
    unique, before = house.home.registry()[entity], house.home.past(entity)
    check.demand({"80.0", "80"} & set(before), f"no history before the new name: {before[-5:]}")
    house.dust = {**house.dust, "name": "balcony"}
    house.configure(house.dust, house.court)
    house.wait(lambda: house.has_value("balcony PM2.5"), 60, "no value under the new name")
    found = house.entities()
    check.same(found["balcony PM2.5"][0], entity, "the entity after its device was renamed")
    check.same([name for name in found if name.startswith("dust ")], [], "entities of the old name")
    check.same(house.home.registry()[entity], unique, "the unique id after a new name")
    until(lambda: len(house.home.past(entity)) > len(before), 20)
    after = house.home.past(entity)
    check.demand(after[:len(before)] == before and len(after) > len(before), f"history: {before[-3:]} {after[-3:]}")
    return len(after)


def station_restarts(check, house):
    """`roostd` starts anew beside the courier: no entity is gone at any time."""
    house.station.kill()
    house.station.start()
    began, last = time.monotonic(), set()
    while time.monotonic() - began < 40 and not (last and house.has_value()):
        last = set(house.entities())
        check.same(sorted(set(WANTED) - last), [], "entities gone while the station starts")
        time.sleep(0.3)
    check.demand(house.has_value(), "no value after the station restarted")


def removed(check, house, is_away):
    """A device is removed, while the courier runs or while it is away: its entities are gone."""
    if is_away:
        house.courier.stop()
    house.configure(house.dust)
    if is_away:
        house.courier.start()
    # A station that has just started may not know all its devices: for two minutes nothing is deleted.
    house.wait(lambda: not any(name.startswith("court ") for name in house.entities()), 180, "a removed device stays")
    gone = until(lambda: not any("milano" in unique for unique in house.home.registry().values()), 30)
    check.demand(gone, f"in the registry: {house.home.registry()}")
    house.wait(lambda: house.has_value("balcony PM2.5"), 20, "the other device has no value")


def run(check, options):
    for program in ("mosquitto", "mosquitto_sub", "mosquitto_passwd"):
        if shutil.which(program, path="/usr/sbin:/usr/bin") is None:
            raise Skipped(f"{program} is missing: apt install mosquitto mosquitto-clients")
    house = House(check, options)
    house.broker.listen("house", USERS["house"])
    house.home.start()
    house.home.add_broker(house.broker.port, "house", USERS["house"])
    house.start()
    if not until(lambda: house.has_value(), 60):
        raise Failed(f"no value in Home Assistant: {house.courier.log()[-600:]} {json.dumps(house.courier.report())}")
    count = entities(check, house)
    check.say(f"Home Assistant {VERSION}: {count} entities with names, units and classes")
    alerts(check, house)
    check.say(f"a sensor pulled: {unplugged(check, house)}")
    check.say(f"the station without power: {powerless(check, house)}")
    check.say(f"Home Assistant restarted: {restarted(check, house)}")
    check.say(f"the broker restarted: {broker_restarts(check, house)}")
    station_restarts(check, house)
    check.say(f"renamed: the same entity, {renamed(check, house)} states of its past")
    removed(check, house, is_away=options.discovery == "device")
    check.same(house.home.complaints(), [], "what Home Assistant complains of")
    check.same(house.courier.stop(), 0, "the exit status of an orderly stop")
    house.wait(lambda: house.state("balcony PM2.5") == "unavailable", 5, "after an orderly end")
