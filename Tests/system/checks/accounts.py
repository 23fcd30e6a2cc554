"""The dashboard's accounts on the real programs, killed at any moment.

  claim     `roost claim` makes the owner; before it the page alone answers, after it a code is refused
  sessions  a log-out ends the cookie on the server; another password ends the other sessions
  kill      roost-web is killed in the middle of changes, again and again: what it answered is there
            after, the session too, and the database is sound
  damage    a damaged web.db is explained on the page, and not touched
  button    a button of a real roostd is held: the station may be claimed without a code, once; its LED blinks
"""

import http.client
import json
import os
import random
import socket
import sqlite3
import subprocess
import threading
import time

from .. import standin
from ..check import Failed, until
from ..station import Station

PRODUCTS = ("roost", "roostd", "roost-web")
SEED = 20261123
PASSWORD = "seven-Kettles-hum"


class Site:
    """A roost-web with accounts on a loopback port."""

    def __init__(self, check, name="state", station=None):
        self.check, self.folder, self.process = check, check.path(name), None
        self.claims = check.path(name + ".sock")
        self.station = station or check.path("none.sock")
        check.ends(self)

    def start(self):
        with open(self.check.path("web.log"), "ab") as log:
            self.process = subprocess.Popen(
                [self.check.program("roost-web"), "--listen", "127.0.0.1:0", "--name", "balcony",
                 "--socket", self.station, "--state", self.folder,
                 "--claim-socket", self.claims],
                stdout=subprocess.PIPE, stderr=log, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("listening"):
            raise Failed(f"roost-web does not start: {line}")
        self.port = int(line.split()[-1])

    def close(self):
        """Kills it, if it runs."""
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def ask(self, method, path, body=None, cookie=None):
        """Status, JSON and cookie of one answer."""
        headers = {"Origin": f"http://127.0.0.1:{self.port}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if cookie:
            headers["Cookie"] = cookie
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, "/api/v1" + path, json.dumps(body) if body is not None else None,
                               headers)
            answer = connection.getresponse()
            text = answer.read()
            given = answer.headers["Set-Cookie"]
            return answer.status, json.loads(text) if text else None, given and given.split(";")[0]
        finally:
            connection.close()

    def claim(self, *words):
        """What `roost claim` prints as JSON."""
        done = subprocess.run(
            [self.check.program("roost"), "claim", "--json", "--socket", self.claims, *words],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=30)
        if done.returncode != 0:
            raise Failed(f"roost claim ends with {done.returncode}: {done.stderr}")
        return json.loads(done.stdout)


def claim(site, check):
    status, body, _ = site.ask("GET", "/me")
    check.same((status, body["type"]), (401, "/problems/unclaimed"), "/me without an owner")
    check.same(site.ask("GET", "/station")[0], 401, "/station without an owner")
    form = {"name": "Anna", "email": "anna@example.org", "password": PASSWORD}
    check.same(site.ask("POST", "/claim", {**form, "code": "0000-0000"})[0], 410, "a claim without a code")
    code = site.claim()["code"]
    check.same(site.ask("POST", "/claim", {**form, "code": "0000-0000"})[0], 400, "a wrong code")
    status, _, cookie = site.ask("POST", "/claim", {**form, "code": code})
    check.same(status, 201, "the claim")
    check.same(site.ask("POST", "/claim", {**form, "code": code})[0], 409, "a second claim")
    check.same(site.claim().get("claimedBy"), "Anna", "roost claim of a claimed station")
    return cookie


def sessions(site, check, phone):
    def log_in(password):
        return site.ask("POST", "/login", {"email": "anna@example.org", "password": password})
    status, _, desk = log_in(PASSWORD)
    check.same(status, 200, "log in")
    check.same(site.ask("POST", "/logout", {}, desk)[0], 204, "log out")
    check.same(site.ask("GET", "/me", cookie=desk)[0], 401, "the cookie after the log-out")
    check.same(log_in("wrong")[0], 401, "a wrong password")
    desk = log_in(PASSWORD)[2]
    changed = site.ask("POST", "/password", {"present": PASSWORD, "new": "nine-Kettles-hum"}, desk)
    check.same(changed[0], 204, "another password")
    check.same(site.ask("GET", "/me", cookie=phone)[0], 401, "the other session after it")
    check.same(log_in(PASSWORD)[0], 401, "the password before")
    return desk


def kills(site, check, cookie, rounds):
    """Kills the program while it answers changes; returns how many were answered."""
    chance, answered, last = random.Random(SEED), 0, None
    for number in range(rounds):
        timer = threading.Timer(chance.uniform(0.0, 0.3), site.process.kill)
        timer.start()
        step, asked = 0, last
        while True:
            place = f"{number}.{step}"
            try:
                asked = place
                status, _, _ = site.ask("PATCH", "/me", {"location": place}, cookie)
            except (OSError, http.client.HTTPException):
                break
            if status == 429:
                continue
            check.same(status, 200, "a change")
            last, answered, step = place, answered + 1, step + 1
        timer.join()
        site.close()
        site.start()
        status, body, _ = site.ask("GET", "/me", cookie=cookie)
        check.same(status, 200, "the session after a kill")
        # The one without an answer may have happened or not.
        check.demand(body["location"] in (last, asked),
                     f"after kill {number} the location is {body['location']}, answered was {last}")
        last = body["location"]
    with sqlite3.connect(os.path.join(site.folder, "web.db")) as database:
        check.same(database.execute("PRAGMA integrity_check").fetchone()[0], "ok", "web.db after all kills")
    return answered


def damage(site, check):
    site.close()
    path = os.path.join(site.folder, "web.db")
    with open(path, "wb") as file:
        file.write(b"not a database " * 999)
    site.start()
    status, body, _ = site.ask("GET", "/me")
    check.same((status, body["type"]), (503, "/problems/store"), "/me with a damaged web.db")
    check.demand(path in body["detail"] and "roost claim" in body["detail"],
                 f"file and next step in {body['detail']}")
    with open(path, "rb") as file:
        check.same(file.read(), b"not a database " * 999, "the damaged file")


def changes(path):
    """How often the station's LED has changed."""
    if not os.path.exists(path):
        return 0
    with open(path, encoding="ascii") as file:
        return sum("22=" in line for line in file)


def button(check):
    """The pin goes low for six seconds: from there to the page."""
    control, trace = check.path("gpio.control"), check.path("gpio.trace")
    station = Station(check, "claimed", detect=False, devices=[
        {"name": "bell", "type": "button", "line": "GPIO27", "claims": True},
        {"name": "alive", "type": "led", "line": "GPIO22"}])
    station.start(env=dict(os.environ, LD_PRELOAD=standin.preload("gpio"), ROOST_GPIO_CONTROL=control,
                           ROOST_GPIO_TRACE=trace))
    site = Site(check, "near", station.socket)
    site.start()

    def drive(level):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as wire:
            wire.sendto(f"drive 0 27 {level}".encode(), control)

    def opened():
        return site.ask("GET", "/claim")[1].get("isOpen")

    def is_heard():
        """Presses shortly; whether the station has counted a press."""
        drive(0)
        time.sleep(0.3)
        drive(1)
        devices = station.report("devices").get("devices", [])
        return any(one["facts"].get("pressCount") for one in devices)
    check.demand(until(lambda: os.path.exists(control), 20), "no stand-in for the pins")
    check.demand(until(is_heard, 20, 0.5), f"the button does not listen: {station.log()[-300:]}")
    form = {"name": "Anna", "email": "anna@example.org", "password": PASSWORD}
    check.same(opened(), False, "the window after a short press")
    check.same(site.ask("POST", "/claim", form)[0], 400, "a claim without a code before that")
    before = changes(trace)
    drive(0)
    check.demand(until(opened, 15), f"a held button opens no window: {station.report('devices')}")
    drive(1)
    check.demand(until(lambda: changes(trace) >= before + 6, 10), "the station's LED does not blink")
    status, _, cookie = site.ask("POST", "/claim", form)
    check.same(status, 201, "a claim without a code while the button's window is open")
    status, me, _ = site.ask("GET", "/me", cookie=cookie)
    check.same((status, me.get("role")), (200, "owner"), f"who claimed, {me}")
    check.same(site.ask("POST", "/claim", {**form, "email": "eve@example.org"})[0], 409, "the second claim")
    kinds = [one["kind"] for one in station.ask("events") if one.get("source") == "control"]
    check.same(kinds, ["claim window opened", "claim window closed"], "the station's events")
    check.same(station.stop(), 0, "the station's end")


def arguments(parser):
    parser.add_argument("--full", action="store_true", help="500 kills instead of 12")


def run(check, options):
    site = Site(check)
    site.start()
    desk = sessions(site, check, claim(site, check))
    check.say("claimed, logged in and out; the old cookie and the old password are refused")
    rounds = 500 if options.full else 12
    answered = kills(site, check, desk, rounds)
    check.say(f"{rounds} kills among {answered} changes: what was answered was there (seed {SEED})")
    check.same(site.claim("--reset")["removedCount"], 1, "accounts removed by roost claim --reset")
    check.same(site.ask("GET", "/me", cookie=desk)[1]["type"], "/problems/unclaimed", "/me after the reset")
    damage(site, check)
    check.say("a damaged web.db is explained and not touched")
    button(check)
    check.say("a held button lets one visitor in without a code, an LED blinks, two events say so")
