"""A station with all that can answer: devices, pins, alerts, courier, camera, and the dashboard with three kinds of visitors.

Air and parts are constant, so that what a question says does not depend on the moment in which it is asked.
"""

import http.client
import json
import os
import subprocess
import time

from ..browser.dashboard import free_port
from ..browser.files import WWW
from ..check import Failed, objects, until
from ..courier import Courier, LineServer, PostBox
from ..servers.feeds import AirServices
from ..station import Part, end, kill

START_SECONDS = 60
OWNER = {"name": "Anna Beispiel", "email": "anna@example.org", "password": "a red bicycle in the rain"}
GUEST = {"name": "Vera", "email": "vera@example.org", "password": "nine silver spoons"}
RULE = {"id": "thick", "channel": "dust/pm25", "when": {"value": {"atLeast": 0.5}}, "severity": "warning"}
SILENCED = {**RULE, "id": "thicker", "channel": "dust/pm10"}
AVAHI = r"""#!/bin/sh
echo '=;lo;IPv4;Roost\032on\032attic;_roost._tcp;local;attic.local;127.0.0.1;9;"path=/"'
echo '=;eth0;IPv4;home;_mqtt._tcp;local;attic.local;192.168.1.20;1883;'
"""
TAKE = "#!/bin/sh\nprintf '\\377\\330\\377\\340picture.\\377\\331'\n"
FACES = {"alert": {}, "files": {}, "history": {}, "semicolon": {}, "airrohr": {}}
CAMERA = ["sh", "-c", "while :; do printf '\\377\\330\\377\\340frame.\\377\\331'; sleep 0.2; done"]


def program(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755)
    return path


class Node:
    """A node with simulated pins (`roost demo-node`), a dust sensor and a board on the network."""

    def __init__(self, check):
        self.check, self.folder = check, check.path("node")
        os.makedirs(self.folder)
        self.socket, self.store = (os.path.join(self.folder, name) for name in ("socket", "store"))
        self.dust = Part(check, "sds011", link=check.path("dust"))
        self.board = Part(check, "http")
        self.config = os.path.join(self.folder, "roost.json")
        with open(self.config, "w", encoding="utf-8") as file:
            json.dump({
                "name": "balcony", "detect": False, "mode": "live", "socket": self.socket, "reach": ["loopback"],
                "devices": [
                    {"name": "dust", "type": "sds011", "port": self.dust.place},
                    {"name": "door", "type": "pir", "line": "GPIO17", "settleSeconds": 2, "blockSeconds": 1},
                    {"name": "court", "type": "milano-board", "address": self.board.place}],
                "lights": {"follows": "dust"}, "alerts": {"use": [], "rules": [RULE, SILENCED]},
                "store": {"folder": self.store, "megabytes": 8, "lossWindowSeconds": 10}}, file)
        self.process = None
        check.ends(self)

    def start(self):
        with open(self.check.path("node.log"), "ab") as log:
            self.process = subprocess.Popen([self.check.program("roost"), "demo-node", "--config", self.config, "--seed", "7"],
                                            stdin=subprocess.PIPE, stdout=log, stderr=log)

    def roost(self, *words, **demands):
        return self.check.roost(*words, "--socket", self.socket, **demands)

    def report(self, *words):
        return next(iter(objects(self.roost(*words, "--json").stdout)), {})

    def log(self):
        with open(self.check.path("node.log"), encoding="utf-8", errors="replace") as file:
            return file.read()

    def demand(self, question, what, limit=START_SECONDS, pause=0.3):
        if not until(question, limit, pause):
            raise Failed(f"{what}: {self.log()[-500:]}")

    def close(self):
        if self.process:
            self.process.stdin.close()
            end(self.process)


class Eyes:
    """roost-eyes with a picture for each motion and a live picture, at a node."""

    def __init__(self, check, node):
        self.check, self.node, self.process = check, node, None
        self.ring, self.control, self.live, self.config = (
            os.path.join(node.folder, name) for name in ("pictures", "eyes.sock", "live.sock", "eyes.json"))
        take = program(os.path.join(node.folder, "take"), TAKE)
        with open(self.config, "w", encoding="utf-8") as file:
            json.dump({"command": [take], "ring": self.ring, "megabytes": 1, "pictures": 40, "live": {"command": CAMERA}}, file)
        self.state = os.path.join(node.folder, "eyes")
        os.makedirs(self.state)
        check.ends(self)

    def start(self):
        with open(self.check.path("eyes.log"), "ab") as log:
            self.process = subprocess.Popen(
                [self.check.program("roost-eyes"), "run", "--config", self.config, "--socket", self.node.socket,
                 "--control", self.control, "--live", self.live, "--state", self.state], stderr=log)

    def records(self):
        return objects(self.check.roost("records", "list", "--json", "--ring", self.ring).stdout)

    def close(self):
        if self.process:
            kill(self.process)


class Web:
    """roost-web before a node; `cookies` has who is logged in, `token` is one of the owner's, to read."""

    def __init__(self, check, *words):
        self.check, self.words, self.process, self.cookies = check, words, None, {None: None}
        self.port, self.claims, self.www, self.token = free_port(), check.path("claims.sock"), WWW, None
        check.ends(self)

    def start(self):
        with open(self.check.path("web.log"), "ab") as log:
            self.process = subprocess.Popen(
                [self.check.program("roost-web"), "--listen", f"127.0.0.1:{self.port}", "--www", self.www, "--idle", "0", *self.words],
                stdout=subprocess.PIPE, stderr=log, text=True)
        if "listening" not in self.process.stdout.readline():
            raise Failed("roost-web does not start: see web.log")

    def ask(self, path, who=None, method="GET", body=None, limit=1 << 22):
        """Status, headers and body; waits where there were too many requests a second."""
        while True:
            headers = {"Cookie": self.cookies[who]} if self.cookies.get(who) else {}
            if method != "GET":
                headers |= {"Origin": f"http://127.0.0.1:{self.port}", "Content-Type": "application/json"}
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
            try:
                connection.request(method, path, None if body is None else json.dumps(body), headers)
                answer = connection.getresponse()
                found = answer.status, answer.headers, answer.read(limit)
            finally:
                connection.close()
            if found[0] != 429:
                return found
            time.sleep(0.3)

    def post(self, path, body, who=None, method="POST"):
        """The JSON of an answer; a cookie that it gives."""
        status, headers, text = self.ask("/api/v1" + path, who, method, body)
        if status >= 300:
            raise Failed(f"{method} {path}: {status} {text[:300]}")
        cookie = headers["Set-Cookie"]
        return json.loads(text) if text else None, cookie and cookie.split(";")[0]

    def let_in(self):
        """An owner and a viewer."""
        code = next(iter(objects(self.check.roost("claim", "--json", "--socket", self.claims).stdout)), {}).get("code")
        self.cookies["owner"] = self.post("/claim", {**OWNER, "code": code})[1]
        invitation, _ = self.post("/invitations", {"role": "viewer"}, "owner")
        self.cookies["viewer"] = self.post(f"/invitations/{invitation['code']}", GUEST)[1]
        self.post("/invitations", {"role": "member"}, "owner")
        self.token = self.post("/tokens", {"name": "grafana", "scopes": ["read"]}, "owner")[0]["token"]

    def close(self):
        if self.process:
            end(self.process)
            self.process.stdout.close()


class Stage:
    """All of it, at rest: each part has said what it can say."""

    def __init__(self, check):
        self.check, self.node = check, Node(check)
        node = self.node
        self.lines, self.box, self.services = LineServer(check), PostBox(check), AirServices(check)
        # No page has values of more than a day ago, and from 22:00 on all of yesterday's are older.
        self.services.is_current = True
        self.courier = Courier(check, node, **self.courier_settings())
        self.courier.words = ("--avahi-browse", program(os.path.join(node.folder, "avahi-browse"), AVAHI))
        self.courier.secret("bell", f"http://127.0.0.1:{self.box.port}/bell")
        self.eyes = Eyes(check, node)
        faces = check.path("faces.json")
        with open(faces, "w", encoding="utf-8") as file:
            json.dump(FACES, file)
        self.web = Web(check, "--socket", node.socket, "--state", check.path("web"), "--claim-socket", check.path("claims.sock"),
                       "--courier", self.courier.socket, "--eyes", self.eyes.control, "--pictures", self.eyes.ring,
                       "--live-socket", self.eyes.live, "--faces", faces, "--name", "balcony")

    def courier_settings(self):
        address = self.services.address
        return {
            "targets": [
                {"id": "influx", "type": "influx1", "url": f"http://127.0.0.1:{self.lines.port}", "database": "air", "local": True,
                 "batchSeconds": 0}],
            "stations": {"local": True},
            "receivers": [{"id": "bell", "type": "webhook", "url": {"secret": "bell"}, "waitSeconds": 0, "everySeconds": 60,
                           "severities": ["notice", "warning", "critical"], "local": True}],
            "feeds": [{"id": "mi", "type": "arpa-lombardia", "url": address, "local": True, "sensors": {"10273": "pm10"}},
                      {"id": "sg", "type": "data.gov.sg", "url": address, "local": True}]}

    def start(self):
        node = self.node
        node.start()
        if not self.web.process:
            self.web.start()
        node.demand(lambda: node.roost("clock", "trust").returncode == 0, "the clock is not trusted", 30)
        self.began = self.now()
        self.courier.start()
        self.eyes.start()
        self.web.let_in()
        for key, value in (("zone", "Europe/Rome"), ("position", "46.1700, 9.8700")):
            node.roost("settings", "set", key, value, status=0)
        node.roost("note", "windows opened", status=0)
        node.roost("mute", "court/co2", "--for", "1h", status=0)
        node.demand(self.is_ready, "the station does not get ready", pause=1)

    def is_ready(self):
        """Whether each part has said what it can say."""
        node = self.node
        raised = {one.get("key") for one in node.report("alerts", "list").get("alerts", [])}
        report = self.courier.report()
        target = next((one for one in report.get("targets", []) if one["id"] == "influx"), {})
        feeds = report.get("feeds", [])
        self.waits = {
            "alerts": len(raised) >= 2, "posts": bool(self.box.posts), "points": bool(self.lines.points),
            "feeds": len(feeds) == 2 and all(one.get("values", {}).get("written") for one in feeds),
            "stations": bool(objects(self.courier.roost("stations", "--json").stdout)[0].get("items")),
            "pictures": len(self.eyes.records()) > 1, "target": target.get("state"),
        }
        return all(self.waits.values())

    def now(self):
        """The station's time."""
        return self.node.report("clock", "show")["time"]

    def picture(self):
        """The number of the newest picture."""
        return max(one.get("number", 0) for one in self.eyes.records())
