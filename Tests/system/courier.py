"""A running roost-courier, and a server for it whose moods a check sets."""

import http.server
import json
import os
import re
import socket
import subprocess
import threading
import time
import urllib.parse

from .check import Failed, objects
from .station import end, kill


class Lines(http.server.BaseHTTPRequestHandler):
    """Takes line protocol as InfluxDB 1 does: a point is known by its series and its time."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, text="", kind="application/json"):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        server = self.server.owner
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        if server.server is None:  # A connection of before nothing listened.
            self.close_connection = True
            return self.connection.shutdown(socket.SHUT_RDWR)
        server.requests.append((self.path, dict(self.headers), body))
        with server.lock:
            return self.judge(server, server.mood, body)

    def judge(self, server, mood, body):
        if mood == "unauthorised" or (server.token and self.headers.get("Authorization") != server.token):
            return self.answer(401, '{"error":"unauthorized"}')
        if mood == "portal":
            return self.answer(200, "<!DOCTYPE html><title>Welcome</title>", "text/html")
        if mood == "moved":
            self.send_response(302)
            self.send_header("Location", "http://portal.example/")
            self.send_header("Content-Length", "0")
            return self.end_headers()
        if mood == "busy":
            return self.answer(503, '{"error":"timeout"}')
        if mood == "bad" and body:
            return self.answer(400, '{"error":"unable to parse"}')
        lines, refusal = body.splitlines(), None
        if server.conflict is not None:
            lines, refusal = server.conflict(lines)
        if mood != "cut before":
            for line in lines:
                series, fields, time = line.rsplit(" ", 2)
                server.points[(series, time)] = fields
        if mood.startswith("cut"):
            self.close_connection = True
            return self.connection.shutdown(socket.SHUT_RDWR)
        return self.answer(*refusal) if refusal else self.answer(204)

    def do_GET(self):
        """Counts and sums, as a server of InfluxQL answers them."""
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query).get("q", [""])[0]
        names = re.findall(r'count\("([^"]+)"\)', query)
        device = re.search(r"\"device\"='([^']+)'", query)
        first, end = (int(text) for text in re.findall(r"time >=? (\d+) AND time < (\d+)", query)[0])
        values = {name: [] for name in names}
        for (series, time), fields in list(self.server.owner.points.items()):
            if f",device={device[1]}" in series and first <= int(time.ljust(19, "0")) < end:
                for name, value in (field.split("=") for field in fields.split(",")):
                    values.get(name, []).append(float(value.rstrip("i")))
        row = ["1970-01-01T00:00:00Z"]
        for name in names:
            row += [len(values[name]), sum(values[name])]
        series = [{"name": "air", "values": [row]}] if any(values.values()) else []
        self.answer(200, json.dumps({"results": [{"series": series} if series else {}]}))


class Server(http.server.ThreadingHTTPServer):
    """Says nothing of clients that were killed."""

    daemon_threads = True

    def handle_error(self, request, client_address):
        pass


class LineServer:
    """`points` holds each point once; `mood` says how it answers.

    `conflict` gives of a batch's lines those that are kept, and status and text of the answer to the others.
    """

    def __init__(self, check, port=0):
        self.points, self.requests = {}, []
        self.mood, self.token, self.lock = "well", None, threading.Lock()
        self.conflict = None
        self.server, self.thread, self.port = None, None, port
        self.open()
        check.ends(self)

    def open(self):
        self.server = Server(("127.0.0.1", self.port), Lines)
        self.server.owner, self.port = self, self.server.server_port
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def begin(self, mood):
        """Answers in this mood from the next request on; returns how many points came before."""
        with self.lock:
            self.mood = mood
            return len(self.points)

    def shut(self):
        """Nothing listens at the port from now on."""
        server, self.server = self.server, None
        server.shutdown()
        server.server_close()

    def close(self):
        if self.server is not None:
            self.shut()


class Posts(http.server.BaseHTTPRequestHandler):
    """Keeps what is posted."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        self.server.owner.posts.append((self.path, body))
        self.send_response(201 if self.path == "/seed" else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()


class PostBox:
    """A server of webhooks: `posts` holds path and body of each."""

    def __init__(self, check):
        self.posts = []
        self.server = Server(("127.0.0.1", 0), Posts)
        self.server.owner, self.port = self, self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        check.ends(self)

    def at(self, path):
        return [body for place, body in list(self.posts) if place == path]

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Courier:
    """A roost-courier beside a station: configuration, secrets, socket, log."""

    words = ()  # Further ones of `roost-courier run`.
    environment = {}  # Of its programs, besides the check's own.

    def __init__(self, check, station, **config):
        self.check, self.station, self.process = check, station, None
        self.config_path = os.path.join(station.folder, "courier.json")
        self.socket = os.path.join(station.folder, "courier.sock")
        self.secrets = os.path.join(station.folder, "secrets")
        self.log_path = os.path.join(station.folder, "courier.log")
        os.makedirs(self.secrets, mode=0o700, exist_ok=True)
        self.configure(**config)
        check.ends(self)

    def configure(self, **config):
        with open(self.config_path, "w", encoding="utf-8") as file:
            json.dump(config, file)

    def secret(self, name, text):
        """Stores a secret as its owner does: from a pipe, with the end of its last line."""
        done = subprocess.run([self.check.program("roost-courier"), "secret", "set", name, "--folder", self.secrets],
                              input=text + "\n", capture_output=True, text=True, check=False)
        path = os.path.join(self.secrets, name)
        if done.returncode != 0 or not os.path.exists(path):
            raise Failed(f"the secret {name} cannot be stored: {done.stdout}{done.stderr}")
        with open(path, encoding="utf-8") as file:
            self.check.same(file.read(), text, f"the secret {name} as it is stored")

    def start(self, **options):
        command = [self.check.program("roost-courier"), "run", "--config", self.config_path,
                   "--socket", self.station.socket, "--control", self.socket, "--secrets", self.secrets,
                   *([] if "--state" in self.words else ["--state", os.path.join(self.station.folder, "courier")]),
                   "--verbose", *self.words]
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(command, env={**os.environ, **self.environment}, stdout=log, stderr=log,
                                            **options)

    def roost(self, *words, **demands):
        """`roost outbox …` and `roost courier …`, at this courier."""
        environment = {**os.environ, **self.environment, "ROOST_COURIER_SOCKET": self.socket}
        return self.check.roost(*words, env=environment, **demands)

    def report(self):
        """What `roost outbox --json` says; empty while no courier answers."""
        answer = self.roost("outbox", "--json")
        return next(iter(objects(answer.stdout)), {}) if answer.returncode in (0, 2) else {}

    def target(self, name):
        return next((one for one in self.report().get("targets", []) if one["id"] == name), {})

    def feed(self, name):
        return next((one for one in self.report().get("feeds", []) if one["id"] == name), {})

    def has_fetched(self, name, begun):
        """A turn of a feed ended well since a monotonic time; one that was under way then may be it."""
        one = self.feed(name)
        ended, counts = one.get("lastDeliverySeconds"), one.get("values", {})
        return (one.get("state") == "idle" and ended is not None and ended < time.monotonic() - begun
                and counts["written"] + counts["same"] > 0)

    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def kill(self):
        return kill(self.process)

    def stop(self):
        return end(self.process)

    def close(self):
        if self.process is not None:
            end(self.process)
