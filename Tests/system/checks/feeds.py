"""Values and the time of others in a real station: each value once over kills, failures and corrections.

A real roostd without a sensor, a real roost-courier, data.gov.sg and ARPA Lombardia as servers of the check's own, and
the dashboard of another station with a simulated sensor.
"""

import signal
import time

from ..browser.dashboard import Dashboard
from ..check import Failed, objects, until
from ..courier import Courier
from ..servers.feeds import REGIONS, AirServices
from ..station import Part, Station

# One that measures, and others that have no value yet.
SENSORS = {"10273": "pm10", **{str(number): "no2" for number in range(20_001, 20_030)}}
PRODUCTS = ("roost", "roostd", "roost-courier", "roost-web")


def arguments(_):
    pass


def readings(station, channel):
    return list(objects(station.roost("readings", "--channel", channel, "--last", "60h", "--json").stdout))


def settled(check, courier, where):
    """Both feeds have ended a turn after an order to look again: in Singapore's first hours one has more requests than go at once."""
    check.demand(until(courier.report, 20), f"{where}: no courier answers: {courier.log()[-400:]}")
    courier.process.send_signal(signal.SIGHUP)
    begun = time.monotonic()
    good = until(lambda: all(courier.has_fetched(name, begun) for name in ("sg", "mi")), 60)
    check.demand(good, f"{where}: {courier.report().get('feeds')} {courier.log()[-400:]}")


def peer(check, station, courier):
    """The readings of another station are here as they are there, once."""
    part = Part(check, "sds011", link=check.path("sensor"))
    other = Station(check, "other", store={"folder": check.path("other-store")}, mode="live",
                    devices=[{"name": "dust", "type": "nova-sds011", "port": part.place}])
    other.start()
    check.demand(until(lambda: len(readings(other, "dust/pm25")) > 3, 40), f"the other: {other.log()[-300:]}")
    for one in (station, other):
        one.trust_clock()
    dashboard = Dashboard(check, other, "--open")
    dashboard.start()
    courier.configure(feeds=[{"id": "school", "type": "peer", "url": dashboard.address, "local": True,
                              "channels": ["dust/pm25"]}])
    for _ in range(2):
        courier.process.send_signal(signal.SIGHUP)
        until(lambda: courier.feed("school").get("values", {}).get("written", 0) > 2, 20)
    here = [(one["time"], one["value"]) for one in readings(station, "school:dust/pm25")]
    there = {(one["time"], one["value"]) for one in readings(other, "dust/pm25") if "value" in one}
    check.demand(len(here) > 2 and len(here) == len(set(here)), f"of the other: {here[:3]} {courier.feed('school')}")
    check.same(sorted(set(here) - there), [], "readings that the other has not")
    clock(check, dashboard.address)


def clock(check, address):
    """A station that does not know the time has it from one nearby."""
    station = Station(check, "lost", store={"folder": check.path("lost-store")}, devices=[])
    courier = Courier(check, station, feeds=[{"id": "school", "type": "peer", "url": address, "local": True}])
    station.start()
    check.demand(until(lambda: station.ask("clock"), 30), f"no answer: {station.log()[-400:]}")
    if station.ask("clock")[0]["isSure"]:
        return check.say("a time server has set the clock of this machine: no station nearby is asked")
    courier.start()
    found = until(lambda: station.ask("clock")[0]["isSure"] and station.ask("clock")[0], 60)
    check.demand(found, f"no time by the other: {station.ask('clock')} {courier.log()[-800:]}")
    check.same((found["trust"], found["nearby"]), ("station nearby", {"state": "used", "stations": ["school"]}), "by what")
    # The other has it from a person, who may be two minutes off.
    check.demand(121 <= found["uncertaintySeconds"] <= 123, f"how far it may be off: {found}")
    shown = station.roost("clock").stdout
    check.demand("the station school says so, within 2 min" in shown, f"roost clock: {shown}")
    check.say(shown.strip())
    courier.stop()
    station.stop()


def run(check, _):
    station = Station(check, "feeds", store={"folder": check.path("store")}, mode="live", devices=[])
    services = AirServices(check)
    courier = Courier(check, station, feeds=[
        {"id": "sg", "type": "data.gov.sg", "url": services.address, "local": True},
        {"id": "mi", "type": "arpa-lombardia", "url": services.address, "local": True, "sensors": SENSORS}])
    station.start()
    if not station.trust_clock():
        raise Failed(f"the clock cannot be trusted: {station.log()[-400:]}")
    courier.start()
    settled(check, courier, "at first")
    for region in REGIONS:
        check.same(len(readings(station, f"data.gov.sg:{region}/pm25")), len(services.given), f"{region}: readings")
    arpa = readings(station, "arpa-lombardia:10273/pm10")
    check.same([one.get("value") for one in arpa], [21.5, 23.5], "the validated values of Lombardy")
    # Three days of 30 sensors are more than a page.
    check.demand(any("%24offset=2000" in path or "$offset=2000" in path for path in services.paths), f"pages: {services.paths}")
    services.is_old = True
    before = courier.feed("sg")["values"]["written"]
    settled(check, courier, "in the first shape")
    check.demand(courier.feed("sg")["values"]["written"] - before <= 13 * 14, "the first shape has other values")
    services.is_old = False
    for mood in ("busy", "page", "gone"):
        services.mood = mood
        courier.process.send_signal(signal.SIGHUP)
        troubled = until(lambda: courier.feed("sg").get("state") == "later", 20)
        check.demand(troubled and courier.feed("sg").get("why"), f"{mood}: {courier.feed('sg')}")
        services.mood = "well"
        settled(check, courier, f"after {mood}")
    for _ in range(3):
        courier.kill()
        courier.start()
        settled(check, courier, "after a kill")
    count = len(readings(station, "data.gov.sg:west/pm25"))
    check.same(count, len(services.given), "hours after three kills")
    check.same(courier.feed("sg")["values"]["refused"], 0, "refused values")
    known, services.given, services.shift = services.given, set(), 1
    courier.process.send_signal(signal.SIGHUP)
    corrected = until(lambda: courier.feed("sg")["values"]["revised"] > 0, 20)
    check.demand(corrected, f"a correction: {courier.feed('sg')}")
    settled(check, courier, "after a correction")
    late = readings(station, "data.gov.sg:west late/pm25")
    check.demand(len(late) >= len(services.given & known) > 0, f"corrections are beside: {late[:3]}")
    shown = courier.roost("outbox").stdout
    check.demand("values new" in shown and "corrected" in shown, f"roost outbox: {shown}")
    station.stop()
    station.start()
    again = until(lambda: len(readings(station, "data.gov.sg:west/pm25")) >= count, 20)
    check.demand(again, f"after a restart of the station: {readings(station, 'data.gov.sg:west/pm25')[:3]}")
    check.say(f"{count} hours of {len(REGIONS)} regions, each once over 3 failures and 3 kills; corrections beside them")
    peer(check, station, courier)
    courier.stop()
