"""A card that is full, read-only or absent under each of the four programs: what does not need it goes on.

  full       the file system fills while the program runs
  read-only  it is read-only when the program starts
  absent     there is no folder when the program starts, and none can be made

The station's values, the courier's deliveries and the answers of the camera's program go on. On the dashboard a person
logs in and out, the session that was logged out stays so over a kill of the program on a full card, and the page says
what is wrong and what to do; so do `roost status`, `roost outbox` and the camera's report.
"""

import contextlib
import json
import os
import subprocess
import time

from ..check import until
from ..courier import Courier, LineServer
from ..station import Part, Station
from .accounts import PASSWORD, Site
from .camera import Eyes, Motions

PRODUCTS = ("roost", "roostd", "roost-web", "roost-courier", "roost-eyes")
NEEDS = "root"
FRESH_SECONDS = 5.0  # Of a part that speaks each second.


def system(*command):
    subprocess.run(command, check=True)


class Disk:
    """A small file system of memory."""

    def __init__(self, check, name, megabytes):
        self.path, self.is_mounted = check.path(name), False
        os.mkdir(self.path)
        self.mount(megabytes)
        check.ends(self)

    def mount(self, megabytes, *options):
        """Another one in its place."""
        words = ",".join((f"size={megabytes}m", "mode=755", *options))
        system("mount", "-t", "tmpfs", "-o", words, "tmpfs", self.path)
        self.is_mounted = True

    def fill(self):
        """Takes all room there is; returns how to give it back."""
        filler = os.path.join(self.path, "filler")
        with open(filler, "wb", buffering=0) as file:
            for size in (1 << 16, 4096):
                with contextlib.suppress(OSError):
                    while True:
                        file.write(b"\xa5" * size)
        return lambda: os.remove(filler)

    def lock(self):
        """Read-only from now on; no program may have a file open for writing."""
        system("mount", "-o", "remount,ro", self.path)

    def empty(self):
        """An empty one that takes nothing, in its place."""
        self.close()
        self.mount(1, "ro")

    def close(self):
        if self.is_mounted:
            system("umount", self.path)
        self.is_mounted = False


# MARK: The dashboard


def log_in(site):
    return site.ask("POST", "/login", {"email": "anna@example.org", "password": PASSWORD})


def trouble(site, cookie):
    """What the line above the pages says."""
    return (site.ask("GET", "/station", cookie=cookie)[1].get("accounts") or {}).get("trouble") or ""


def out_and_in(site, check, state, leaving, staying):
    """Logs one session out and a new one in; returns the new one."""
    check.same(site.ask("POST", "/logout", {}, leaving)[0], 204, f"log out, {state}")
    check.same(site.ask("GET", "/me", cookie=leaving)[0], 401, f"the session after it, {state}")
    check.same(site.ask("GET", "/me", cookie=staying)[0], 200, f"another session, {state}")
    status, _, cookie = log_in(site)
    check.same(status, 200, f"log in, {state}")
    check.same(site.ask("GET", "/me", cookie=cookie)[0], 200, f"the new session, {state}")
    return cookie


def dashboard(check):
    disk = Disk(check, "web-card", 1)
    site = Site(check, os.path.join("web-card", "state"))
    site.claims = check.path("claim.sock")
    site.start()
    form = {"name": "Anna", "email": "anna@example.org", "password": PASSWORD, "code": site.claim()["code"]}
    status, _, phone = site.ask("POST", "/claim", form)
    check.same(status, 201, "the claim")
    sessions = [log_in(site)[2] for _ in range(3)]

    free = disk.fill()
    out_and_in(site, check, "full", sessions[0], phone)
    site.close()
    site.start()
    check.same(site.ask("GET", "/me", cookie=sessions[0])[0], 401, "a log-out on a full card, after a kill")
    check.same(site.ask("GET", "/me", cookie=phone)[0], 200, "another session after that")
    changed = {"present": PASSWORD, "new": PASSWORD}
    status, body, _ = site.ask("POST", "/password", changed, phone)
    is_right = status == 204 or status == 503 and "df -h" in body["detail"]
    check.demand(is_right, f"another password, full: {status} {body}")
    # Lines of the audit, until there is no room for the next.
    for number in range(400):
        status, body, _ = site.ask("PATCH", "/me", {"location": str(number)}, phone)
        if status == 503:
            break
        time.sleep(0.2 if status == 429 else 0.02)
    check.demand(status == 503 and "df -h" in body["detail"], f"a change that needs room, full: {status} {body}")
    check.demand("df -h" in trouble(site, phone), f"what the page says of a full card: {trouble(site, phone)}")
    out_and_in(site, check, "fuller", log_in(site)[2], phone)
    free()

    site.close()
    disk.lock()
    site.start()
    out_and_in(site, check, "read-only", log_in(site)[2], phone)
    said = trouble(site, phone)
    check.demand("web.db" in said and "writable" in said, f"what the page says of a read-only card: {said}")
    check.same(site.ask("POST", "/logout", {}, phone)[0], 204, "log out of a session of the card, read-only")
    check.same(site.ask("GET", "/me", cookie=phone)[0], 401, "that session after it")

    site.close()
    disk.empty()
    site.start()
    status, body, _ = site.ask("GET", "/me", cookie=phone)
    check.same((status, body["type"]), (503, "/problems/store"), "/me without a card")
    check.demand("--state" in body["detail"], f"what to do without a card: {body['detail']}")
    status, _, cleared = site.ask("POST", "/logout", {}, phone)
    check.demand(status == 204 and cleared and cleared.endswith("="), f"log out without a card: {status} {cleared}")
    site.close()
    check.say("dashboard: people log in and out on a full, a read-only and an absent card")


# MARK: The station


def is_fresh(station):
    return station.value_age() < FRESH_SECONDS


def says_so(station):
    """Whether the station names its store among its faults."""
    return any("store" in json.dumps(fault) for fault in (station.status() or {}).get("faults", []))


def stations(check):
    part = Part(check, "sds011")
    disk = Disk(check, "store-card", 14)
    folder = os.path.join(disk.path, "store")
    config = {"detect": False, "mode": "live", "store": {"folder": folder, "megabytes": 8},
              "devices": [{"name": "dust", "type": "sds011", "port": part.place}]}
    station = Station(check, "station", **config)
    station.start()
    check.demand(until(lambda: is_fresh(station), 30), f"no values: {station.log()[-400:]}")
    free = disk.fill()
    for _ in range(3):
        check.demand(until(lambda: is_fresh(station), 10, 1), "values on a full card")
    station.stop()
    free()
    for state, change in (("read-only", disk.lock), ("absent", disk.empty)):
        change()
        station.start()
        check.demand(until(lambda: is_fresh(station), 30), f"values, {state}: {station.log()[-400:]}")
        check.demand(until(lambda: says_so(station), 30), f"a fault that names the store, {state}: {station.status()}")
        check.same(station.stop(), 0, f"the end of the station, {state}")
    check.say("station: values go on, and its faults name the store")


# MARK: The courier


def courier(check):
    part = Part(check, "sds011")
    station = Station(check, "sender", detect=False, mode="live", store={"folder": check.path("store"), "megabytes": 8},
                      devices=[{"name": "dust", "type": "sds011", "port": part.place}])
    station.start()
    check.demand(until(lambda: is_fresh(station), 30), f"no values: {station.log()[-400:]}")
    station.trust_clock()  # What has no sure time waits.
    server, disk = LineServer(check), Disk(check, "courier-card", 1)
    one = Courier(check, station, targets=[{
        "id": "influx", "type": "influx1", "url": f"http://127.0.0.1:{server.port}", "database": "air",
        "local": True}])
    one.words = ("--state", os.path.join(disk.path, "state"))

    def goes_on(state):
        before = len(server.points)
        check.demand(until(lambda: len(server.points) > before + 2, 30), f"deliveries, {state}: {log(one)}")
        check.same(one.roost("outbox", "--json").returncode, 0, f"roost outbox, {state}")
    one.start()
    goes_on("well")
    free = disk.fill()
    goes_on("full")
    stop(one)
    free()
    for state, change in (("read-only", disk.lock), ("absent", disk.empty)):
        change()
        one.start()
        goes_on(state)
        stop(one)
    station.stop()
    check.say("courier: deliveries go on without a card for its subscribers")


def log(one):
    with open(one.log_path, encoding="utf-8", errors="replace") as file:
        return file.read()[-400:]


def stop(one):
    one.process.terminate()
    one.process.wait(30)


# MARK: The camera


def camera(check):
    disk = Disk(check, "picture-card", 3)
    eyes = Eyes(check, Motions(check))
    eyes.ring = os.path.join(disk.path, "pictures")
    with open(eyes.config, encoding="utf-8") as file:
        config = {**json.load(file), "ring": eyes.ring}
    with open(eyes.config, "w", encoding="utf-8") as file:
        json.dump(config, file)
    eyes.start()
    eyes.motions.send(1)
    check.demand(until(lambda: eyes.report()["takenCount"] == 1, 20), f"a picture: {eyes.report()}")
    disk.fill()
    eyes.motions.send(2)
    # Its room was taken when the ring was made.
    check.demand(until(lambda: eyes.report()["takenCount"] == 2, 20), f"a picture, full: {eyes.report()}")
    eyes.close()
    for number, (state, change) in enumerate((("read-only", disk.lock), ("absent", disk.empty)), 3):
        change()
        eyes.start()
        eyes.motions.send(number)
        check.demand(until(lambda: eyes.report().get("lastTrouble") or eyes.report().get("ringTrouble"), 20),
                     f"what the camera says, {state}: {eyes.report()}")
        eyes.close()
    check.say("camera: a full card takes the pictures that have their room, and the report says what is wrong")


def run(check, _):
    if os.geteuid() != 0:
        return check.skip("only root mounts the cards")
    dashboard(check)
    stations(check)
    courier(check)
    camera(check)
    return None
