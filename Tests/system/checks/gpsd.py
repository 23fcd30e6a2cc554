"""A real gpsd between a simulated receiver and a real roostd: positions, its end, its return.

gpsd reads the receiver's pseudo-terminal as it reads a real port; the station reads gpsd by `gpsd://127.0.0.1:PORT`.
Before that a peer at such an address floods the station, which goes on answering and says so. The rest is skipped without
gpsd (apt install gpsd).
"""

import os
import shutil
import socket
import subprocess
import threading

from ..browser.dashboard import free_port
from ..check import until
from ..station import Part, Station, end
from .drive import TRACK
from .drives import read

PRODUCTS = ("roost", "roostd")


class Gpsd:
    def __init__(self, check, program, port, place):
        with open(check.path("gpsd.log"), "ab") as log:
            # -n: read the receiver before a client asks; -b: never write to it.
            self.process = subprocess.Popen([program, "-N", "-n", "-b", "-S", str(port), place], stdout=log, stderr=log)
        check.ends(self)

    def close(self):
        end(self.process)


class Flood:
    """Listens, and sends without a pause to whoever comes."""

    def __init__(self, check):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()
        check.ends(self)

    def serve(self):
        while True:
            try:
                peer, _ = self.listener.accept()
                while True:
                    peer.sendall(b"$GPGSV,1,1,00*79\r\n" * 1000)
            except OSError:
                if self.listener.fileno() < 0:
                    return

    def close(self):
        self.listener.close()


def flood(check):
    station = Station(check, "flooded", mode="live", store={"folder": check.path("flooded-store")}, devices=[
        {"type": "nmea-receiver", "name": "gps", "port": f"gpsd://127.0.0.1:{Flood(check).port}"}])
    station.start()
    said = until(lambda: "64 KiB a second" in station.roost("devices").stdout, 30)
    check.demand(said, f"a flood is not named: {station.roost('devices').stdout}")
    check.demand(station.status(), "the station does not answer beside a flood")
    station.stop()


def run(check, options):
    flood(check)
    program = shutil.which("gpsd") or shutil.which("gpsd", path="/usr/sbin")
    if program is None:
        return check.skip("gpsd is not here (apt install gpsd)")
    receiver, port = Part(check, "part", "nmea-receiver", "--track", TRACK), free_port()
    station = Station(check, "boat", mode="live", store={"folder": check.path("store")},
                      devices=[{"type": "nmea-receiver", "name": "gps", "port": f"gpsd://127.0.0.1:{port}"}])
    station.start()
    absent = until(lambda: "no gpsd answers" in station.roost("devices").stdout, 20)
    check.demand(absent, f"without a gpsd: {station.roost('devices').stdout}")
    place = receiver.place
    # gpsd leaves root for a user of its own, who must still be able to open the receiver.
    os.chmod(place, 0o666)
    gpsd = Gpsd(check, program, port, place)
    found = until(lambda: "gps/latitude" in station.values(), 60)
    check.demand(found, f"no position: {station.values()} {station.roost('devices').stdout} {station.log()[-600:]}")
    track = [spot for _, spot in read(TRACK)[2].values()]
    values = station.values()
    here = float(values["gps/latitude"]["value"]), float(values["gps/longitude"]["value"])
    apart = min(abs(here[0] - spot[0]) + abs(here[1] - spot[1]) for spot in track)
    check.demand(apart < 0.012, f"the position {here} is {apart}° off the track")
    gpsd.close()
    gone = until(lambda: "no gpsd answers" in station.roost("devices").stdout, 30)
    check.demand(gone, f"after gpsd's end: {station.roost('devices').stdout}")
    Gpsd(check, program, port, place)
    back = until(lambda: "gps/latitude" in station.values(), 90)
    check.demand(back, f"after gpsd's return: {station.roost('devices').stdout} {station.log()[-600:]}")
    return check.say(f"{here} by gpsd, within {apart:.4f}° of the track, and again after its return")
