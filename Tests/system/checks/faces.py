"""What clients of other systems ask a running station for: semicolons and airrohr.

A simulated SDS011 and a simulated board on the network at a real roostd, and the real roost-web before it with every
face switched on, at paths and at ports of their own. Each face must have the values that `roost status` has at that
moment, and leave out what is stale when the sensors are gone. A survey that its owner keeps from uploads is listed as
one. A question to the API without a zone is answered on the owner's clocks.
"""

import http.client
import json
import time

from ..browser.dashboard import free_port
from ..browser.files import WWW
from ..check import Failed, until
from ..station import Part, Station
from .web import Dashboard

PRODUCTS = ("roost", "roostd", "roost-web")
LINE = ("temperature", "humidity", "pressure", "altitude", "tvocs", "co2", "pm05", "pm1", "pm25", "pm4", "pm10")
STALE_SECONDS = 60


class Faces:
    """A dashboard whose faces are on; two have a port of their own."""

    def __init__(self, check, station):
        self.check, self.station = check, station
        self.ports = {name: free_port() for name in ("semicolon", "airrohr")}
        settings = {name: {} for name in ("alert", "files", "history")}
        settings |= {name: {"port": port} for name, port in self.ports.items()}
        path = check.path("faces.json")
        with open(path, "w", encoding="ascii") as file:
            json.dump(settings, file)
        self.dashboard = Dashboard(check, station, "--faces", path, "--www", WWW)

    def get(self, path, port=None):
        """Status and text of one answer."""
        connection = http.client.HTTPConnection("127.0.0.1", port or self.dashboard.port, timeout=10)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def values(self):
        """What the station has by quantity, as text with its decimals."""
        found = {}
        for channel in (self.station.status() or {}).get("channels", []):
            latest = channel["latest"] or {}
            if channel["isStale"] or latest.get("value") is None:
                continue
            quantity = channel["channel"].split("/")[1]
            found.setdefault(quantity, f"{latest['value']:.{latest['decimals']}f}")
        return found

    def agreed(self, read):
        """A face's values beside the station's, taken while no new sample came between; none after 20 tries."""
        for _ in range(20):
            before, shown, after = self.values(), read(), self.values()
            if before == after:
                return shown, before
        raise Failed("the station's values do not stand still for one question")


def semicolon(faces, port=None):
    status, text = faces.get("/" if port else "/compat/semicolon", port)
    faces.check.same(status, 200, "semicolon: the status")
    faces.check.same(text.count(";"), 10, f"semicolon: the semicolons of {text!r}")
    return {name: value for name, value in zip(LINE, text.strip().split(";")) if value}


def airrohr(faces, port=None):
    _, text = faces.get("/data.json", port)
    answer = json.loads(text)
    faces.check.demand(answer["software_version"].startswith("roost-"), f"airrohr: {text[:200]}")
    faces.check.demand(answer["age"].isdigit() and int(answer["age"]) <= STALE_SECONDS, f"airrohr: the age of {text[:200]}")
    names = {"SDS_P1": "pm10", "SDS_P2": "pm25"}
    return {names[one["value_type"]]: one["value"] for one in answer["sensordatavalues"]}


def present(faces, has_dust):
    """Each face at its path and at its port, beside the station."""
    check = faces.check
    for read in (semicolon, airrohr):
        for port in (None, faces.ports[read.__name__]):
            shown, wanted = faces.agreed(lambda read=read, port=port: read(faces, port))
            wanted = {name: value for name, value in wanted.items()
                      if name in (LINE if read is semicolon else ("pm25", "pm10"))}
            if read is airrohr:  # Its values have two decimals.
                wanted = {name: f"{float(value):.2f}" for name, value in wanted.items()}
            check.same(shown, wanted, f"{read.__name__} at {port or 'its path'}")
            check.same("pm25" in shown, has_dust, f"{read.__name__}: whether there is PM2.5")


def surveys(faces):
    """A survey that is kept from uploads is listed as one."""
    check, station = faces.check, faces.station
    station.roost("mode", "survey", "--name", "open", "--for", "1h", status=0)
    time.sleep(4)
    station.roost("mode", "survey", "--name", "closed", "--for", "1h", "--no-upload", status=0)
    mode = faces.dashboard.station()["mode"]
    check.same((mode["name"], mode["isPrivate"]), ("closed", True), "the mode of a survey that is kept from uploads")
    time.sleep(4)
    station.roost("mode", "live", "--for", "1h", status=0)
    listed = until(lambda: {one["name"]: one for one in json.loads(faces.get("/api/v1/surveys")[1])["items"]
                            if one.get("to")}, 20) or {}
    check.same({name: one["isPrivate"] for name, one in listed.items()}, {"open": False, "closed": True}, "the surveys")


def zone(faces):
    """Without `zone` a question is answered on the owner's clocks, also right after a change."""
    for name in ("Europe/Berlin", "Pacific/Chatham"):
        faces.station.roost("settings", "set", "zone", name, status=0)
        found = json.loads(faces.get("/api/v1/means?channel=dust/pm25&by=day")[1]).get("zone")
        faces.check.same(found, name, "the zone of /means without a zone")
    # 25 hours apart: a day that is 14 days ago here is 15 days ago there.
    day = time.strftime("%d/%m/%Y", time.gmtime(time.time() + 14 * 3600 - 15 * 86400))
    for name, is_old in (("Pacific/Kiritimati", True), ("Pacific/Pago_Pago", False)):
        faces.station.roost("settings", "set", "zone", name, status=0)
        text = faces.get(f"/compat/history?start={day}&end={day}")[1]
        faces.check.same("more than 14 days ago" in text, is_old, f"the days of the face history in {name}")


def others(faces):
    """The faces of the history answer beside a running station."""
    check = faces.check
    for path, words in (("/compat/alert", '"files_seen"'), ("/compat/files/hourly", '"items"')):
        found = until(lambda path=path, words=words: words in faces.get(path)[1], 20)
        check.demand(found, f"{path}: {faces.get(path)[1][:200]}")


def run(check, options):
    sensor = Part(check, "sds011", "--air", "waves", link=check.path("sensor"))
    board = Part(check, "http")
    station = Station(
        check, "faces", detect=False, mode="live", reach=["loopback"],
        devices=[{"name": "dust", "type": "sds011", "port": sensor.place},
                 {"name": "court", "type": "milano-board", "address": board.place, "intervalSeconds": 5}],
        store={"folder": check.path("store"), "megabytes": 4})
    station.start()
    faces = Faces(check, station)
    if not until(lambda: {"pm25", "temperature"} <= set(faces.values()), 60):
        raise Failed(f"no values: {station.log()[-500:]}")
    trusted = station.trust_clock()
    check.demand(trusted, "the clock cannot be trusted")
    present(faces, True)
    surveys(faces)
    zone(faces)
    others(faces)
    sensor.unplug()
    board.unplug()
    check.demand(until(lambda: not faces.values(), STALE_SECONDS), "what is gone stays fresh")
    present(faces, False)
    return f"{len(faces.ports)} faces with the station's values, at paths and ports"
