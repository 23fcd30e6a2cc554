"""The dashboard's accounts on the real programs, killed at any moment.

  claim     `roost claim` makes the owner; before it the page alone answers, after it a code is refused
  sessions  a log-out ends the cookie on the server; another password ends the other sessions
  kill      roost-web is killed in the middle of changes, again and again: what it answered is there
            after, the session too, and the database is sound
  damage    a damaged web.db is explained on the page, and not touched
"""

import http.client
import json
import os
import random
import sqlite3
import subprocess
import threading

from ..check import Failed

PRODUCTS = ("roost", "roost-web")
SEED = 20261123
PASSWORD = "seven-Kettles-hum"


class Site:
    """A roost-web with accounts on a loopback port."""

    def __init__(self, check):
        self.check, self.folder, self.process = check, check.path("state"), None
        self.claims = check.path("claim.sock")
        check.ends(self)

    def start(self):
        with open(self.check.path("web.log"), "ab") as log:
            self.process = subprocess.Popen(
                [self.check.program("roost-web"), "--listen", "127.0.0.1:0", "--name", "balcony",
                 "--socket", self.check.path("none.sock"), "--state", self.folder,
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
