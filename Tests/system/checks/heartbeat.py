"""The heartbeat ends when a sensor is stuck or the courier is gone, and not for what is muted. Takes 8 min.

A real roostd with two simulated sensors, a real roost-courier with a heartbeat a minute, and a server of the check's own.
One simulator is stopped by SIGSTOP: within two periods no beat comes any more, and the report names the sensor. It goes
on: so do the beats, also when another sensor's record is switched off. The courier is killed: no beat more.
"""

import signal
import time

from ..check import Failed, until
from ..courier import Courier, PostBox
from ..station import Part, Station

PRODUCTS = ("roost", "roostd", "roost-courier")
PERIOD = 60


def arguments(_):
    pass


def run(check, _):
    parts = [Part(check, "sds011", link=check.path(name)) for name in ("front", "back")]
    station = Station(check, "heartbeat", store={"folder": check.path("store")}, mode="live", devices=[
        {"name": name, "type": "nova-sds011", "port": part.place} for name, part in zip(("front", "back"), parts)])
    box = PostBox(check)
    courier = Courier(check, station, targets=[
        {"id": "alive", "type": "heartbeat", "url": {"secret": "alive"}, "everySeconds": PERIOD, "local": True}])
    courier.secret("alive", f"http://127.0.0.1:{box.port}/beat")
    station.start()
    if not until(lambda: len(station.values()) >= 4, 40):
        raise Failed(f"the station has no values: {station.log()[-400:]}")
    station.trust_clock()
    courier.start()

    def beats(more, limit):
        before = len(box.at("/beat"))
        return until(lambda: len(box.at("/beat")) >= before + more, limit)

    check.demand(beats(2, 2 * PERIOD + 20), f"no beats: {box.posts} {courier.report()} {courier.log()[-400:]}")
    parts[0].process.send_signal(signal.SIGSTOP)
    time.sleep(2 * PERIOD)
    check.demand(not beats(1, 1.5 * PERIOD), "beats go on although a sensor is stuck")
    why = courier.target("alive").get("why") or ""
    check.demand("front" in why, f"the report does not name the sensor that is stuck: {why}")
    parts[0].process.send_signal(signal.SIGCONT)
    check.demand(beats(1, 2 * PERIOD + 30), f"no beat after the sensor went on: {station.report('status')}")
    station.roost("devices", "record", "back", "off", status=0)
    check.demand(beats(1, 2 * PERIOD), "no beat after a record was switched off")
    courier.kill()
    check.demand(not beats(1, 1.5 * PERIOD), "a killed courier beats")
