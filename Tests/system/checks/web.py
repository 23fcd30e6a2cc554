"""The dashboard's server is asked by hostile, slow and broken clients, and by ones that come back.

The real roostd with a simulated SDS011 at 1 Hz, and the real roost-web before it, without accounts:

  hostile     smuggled lengths, broken heads, escapes, methods and bodies: each gets a clear refusal or a
              closed connection, and the server answers the next one
  resume      a page that loses its connection again and again misses no value and gets none twice
  daemon      roostd ends and comes back: the dashboard says so, and the page goes on
  slow        64 connections that read nothing: the station measures on, and others are answered
  proxied     the live stream passes nginx with its defaults, and Caddy, at once (each where it is installed)
  crowded     a connection too many of an address is answered 429, and not cut off
  idle        a socket as from systemd: it ends without a visitor, and no request is lost
"""

import http.client
import json
import os
import random
import re
import shutil
import socket
import subprocess
import time

from ..check import Failed, now, until
from ..station import Part, Station, end

PRODUCTS = ("roost", "roostd", "roost-web")
SEED = 20261122


class Dashboard:
    """A roost-web on a loopback port."""

    def __init__(self, check, station, *words):
        self.check = check
        with open(check.path("web.log"), "ab") as log:
            self.process = subprocess.Popen(
                [check.program("roost-web"), "--socket", station.socket, "--open", "--listen",
                 "127.0.0.1:0", "--name", "balcony", *words],
                stdout=subprocess.PIPE, stderr=log, text=True)
        check.ends(self)
        line = self.process.stdout.readline()
        if not line.startswith("listening"):
            raise Failed(f"roost-web does not start: {line}")
        self.port = int(line.split()[-1])

    def get(self, path, headers=(), method="GET", body=None):
        """Status, headers and body of one answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request(method, path, body=body, headers=dict(headers))
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def station(self):
        return json.loads(self.get("/api/v1/station")[2])

    def raw(self, data, seconds=2.0):
        """What comes back for bytes as they are; empty for a connection that is closed."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=seconds) as wire:
            answer = b""
            try:
                wire.sendall(data)
                wire.shutdown(socket.SHUT_WR)
                while piece := wire.recv(65536):
                    answer += piece
            except OSError:
                pass
            return answer

    def memory(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            text = file.read()
        return {name: int(value) for name, value in
                re.findall(r"(VmRSS|RssAnon|Threads|voluntary_ctxt_switches):\s+(\d+)", text)}

    def close(self):
        end(self.process)
        self.process.stdout.close()


HEAD = b"Host: balcony\r\n"
# Each with the first digit of the statuses that are right; 0 is a closed connection.
HOSTILE = [
    (b"GET / HTTP/1.1\r\n\r\n", "4"),
    (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "4"),
    (b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", "4"),
    (b"GET  / HTTP/1.1\r\n" + HEAD + b"\r\n", "240"),
    (b"GET /%2e%2e/etc/passwd HTTP/1.1\r\n" + HEAD + b"\r\n", "4"),
    (b"GET /a/x/../../../etc/passwd HTTP/1.1\r\n" + HEAD + b"\r\n", "4"),
    (b"GET /" + b"a" * 3000 + b" HTTP/1.1\r\n" + HEAD + b"\r\n", "4"),
    (b"GET / HTTP/1.1\r\n" + HEAD + b"X: " + b"a" * 70000 + b"\r\n\r\n", "40"),
    (b"GET / HTTP/1.1\r\n" + HEAD + b"".join(b"X%d: 1\r\n" % n for n in range(200)) + b"\r\n", "40"),
    (b"BREW / HTTP/1.1\r\n" + HEAD + b"\r\n", "40"),
    (b"GET / HTTP/9.9\r\n" + HEAD + b"\r\n", "40"),
    (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "40"),
    (b"GET /api/v1/station?x=%zz HTTP/1.1\r\n" + HEAD + b"\r\n", "4"),
    (b"GET /api/v1/station?" + b"&".join(b"k%d=1" % n for n in range(60)) + b" HTTP/1.1\r\n"
     + HEAD + b"\r\n", "4"),
    (b"POST /api/v1/mode HTTP/1.1\r\n" + HEAD + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
     "40"),
    (b"POST /api/v1/mode HTTP/1.1\r\n" + HEAD + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
     b"0\r\n\r\nGET /metrics HTTP/1.1\r\n" + HEAD + b"\r\n", "40"),
    (b"POST /api/v1/mode HTTP/1.1\r\n" + HEAD + b"Transfer-Encoding: xchunked\r\n\r\n", "40"),
    (b"POST /api/v1/mode HTTP/1.1\r\n" + HEAD + b"Origin: http://balcony\r\nContent-Length: 99999999\r\n"
     b"Content-Type: application/json\r\n\r\n{", "40"),
    (b"POST /api/v1/mode HTTP/1.1\r\n" + HEAD + b"Origin: http://balcony\r\nContent-Length: 8\r\n"
     b"Content-Type: application/json\r\n\r\n{\"mode\":", "40"),
    (b"POST /api/v1/mode HTTP/1.1\r\n" + HEAD + b"Origin: http://evil\r\nContent-Length: 15\r\n"
     b"Content-Type: application/json\r\n\r\n{\"mode\":\"live\"}", "4"),
    (b"DELETE / HTTP/1.1\r\n" + HEAD + b"Origin: http://balcony\r\n\r\n", "4"),
    (b"GET /\x00 HTTP/1.1\r\n" + HEAD + b"\r\n", "40"),
    (b"GET / HTTP/1.1\r\n" + HEAD + b"A: b\r\n c\r\n\r\n", "402"),
]


def refusals(dashboard, check):
    for data, wanted in HOSTILE:
        answer = dashboard.raw(data)
        first = answer.split(b"\r\n", 1)[0]
        status = first.split()[1:2] if first.startswith(b"HTTP/1.1 ") else []
        found = status[0][:1].decode() if status else "0"
        check.demand(found in wanted, f"{data[:60]!r}: {first!r}, not one of {wanted}")
        # A second answer would belong to a request that was smuggled in.
        check.demand(answer.count(b"HTTP/1.1 ") <= 1, f"{data[:60]!r}: answered twice: {answer[:300]!r}")
        check.demand(b"root:" not in answer, f"{data[:60]!r}: a file of this machine")


def framing(dashboard, check):
    """What follows an answer belongs to the next one; a refusal does not wait for its body."""
    for path in (b"/api/v1/export?format=csv", b"/api/v1/live"):
        answer = dashboard.raw(b"HEAD " + path + b" HTTP/1.1\r\n" + HEAD + b"\r\n")
        check.demand(answer.endswith(b"\r\n\r\n") and answer.count(b"\r\n\r\n") == 1,
                     f"HEAD {path!r}: a body follows: {answer[-80:]!r}")
    old = dashboard.raw(b"GET /api/v1/export?format=csv HTTP/1.0\r\n" + HEAD + b"\r\n")
    check.demand(old.split(b"\r\n\r\n", 1)[-1].startswith(b"time,"), f"HTTP/1.0: chunks: {old[-200:]!r}")
    began = now()
    with socket.create_connection(("127.0.0.1", dashboard.port), timeout=5) as wire:
        wire.sendall(b"POST /api/v1/mode HTTP/1.1\r\n" + HEAD + b"Origin: http://evil\r\n"
                     b"Content-Type: application/json\r\nContent-Length: 10\r\n\r\n")
        check.demand(wire.recv(4096).startswith(b"HTTP/1.1 403"), "a refusal without its body")
    check.demand(now() - began < 3, "a refusal waits for the body")


def fuzz(dashboard, check, count):
    """Flips, cuts and repeats bytes of good and bad requests."""
    chance = random.Random(SEED)
    good = b"GET /api/v1/station HTTP/1.1\r\n" + HEAD + b"\r\n"
    for _ in range(count):
        data = bytearray(chance.choice([good, *(data for data, _ in HOSTILE)])[:4000])
        for _ in range(chance.randint(1, 8)):
            at = chance.randrange(len(data))
            kind = chance.randrange(4)
            if kind == 0:
                data[at] = chance.randrange(256)
            elif kind == 1 and len(data) > 2:
                del data[at:at + chance.randint(1, 20)]
            elif kind == 2:
                data[at:at] = data[at:at + chance.randint(1, 40)]
            else:
                data[at:at] = bytes(chance.randrange(256) for _ in range(chance.randint(1, 6)))
            if not data:
                data = bytearray(b"\r")
        dashboard.raw(bytes(data), seconds=0.5)
        if dashboard.process.poll() is not None:
            raise Failed(f"roost-web ended with {dashboard.process.returncode} after {bytes(data)!r} "
                         f"(seed {SEED})")


def read_items(dashboard, last, count, seconds=20):
    """The next items of the live stream: their numbers and readings."""
    items, rest = [], b""
    with socket.create_connection(("127.0.0.1", dashboard.port), timeout=seconds) as wire:
        resume = f"Last-Event-ID: {last}\r\n".encode() if last else b""
        wire.sendall(b"GET /api/v1/live HTTP/1.1\r\n" + HEAD + resume + b"\r\n")
        while len(items) < count:
            piece = wire.recv(65536)
            if not piece:
                break
            rest += piece
            *done, rest = rest.split(b"\n\n")
            for text in done:
                fields = dict(re.findall(r"^(id|event|data): (.*)$", text.decode(errors="replace"), re.M))
                if fields.get("event") == "reset":
                    items.append(("reset", None))
                elif "id" in fields:
                    items.append((fields["id"], fields["event"]))
    return items[:count]


def resume(dashboard, check, rounds):
    last, seen = None, []
    for turn in range(rounds):
        items = read_items(dashboard, last, 1 + turn % 3)
        check.demand(all(event for _, event in items), f"a reset in round {turn}: {items}")
        if not items:
            raise Failed(f"round {turn}: the stream ended")
        seen += [int(number.split("-")[1]) for number, _ in items]
        last = items[-1][0]
    check.same(seen, list(range(seen[0], seen[0] + len(seen))), "the numbers of the items")
    return len(seen)


def daemon(dashboard, station, check):
    station.stop()
    gone = until(lambda: dashboard.station()["daemon"]["state"] == "down", 10)
    check.demand(gone, "the page does not say that the station's program is down")
    check.same(dashboard.station()["verdict"]["code"], "daemon.down", "verdict of a station that is down")
    check.same(dashboard.get("/healthz")[0], 503, "/healthz of a station that is down")
    station.start()
    back = until(lambda: dashboard.station()["verdict"]["code"].startswith("level"), 60)
    check.demand(back, "the page does not see the station again")


def slow(dashboard, station, check):
    wires, refused = [], 0
    for _ in range(64):
        wire = socket.create_connection(("127.0.0.1", dashboard.port), timeout=5)
        try:
            wire.sendall(b"GET /api/v1/live HTTP/1.1\r\n" + HEAD + b"\r\n")
        except OSError:
            refused += 1
        wires.append(wire)
    oldest, began = 0.0, now()
    while now() < began + 6:
        oldest = max(oldest, station.value_age())
        time.sleep(0.2)
    check.demand(oldest < 3, f"the station's youngest value was {oldest:.1f} s old")
    for wire in wires:
        wire.close()
    answered = until(lambda: asked(dashboard) == 200, 10)
    check.demand(answered, "no answer after 64 slow connections")
    return oldest


PROXIES = {
    "nginx": ("%s.conf", """daemon off; pid %s.pid; error_log stderr;
events {}
http { access_log off; server { listen 127.0.0.1:%d; location / { proxy_pass http://127.0.0.1:%d; } } }
""", lambda file: ["-c", file, "-e", "stderr"]),
    "caddy": ("%s.Caddyfile", """{
\tadmin off
\tauto_https off
\tstorage file_system %s.d
}
http://:%d {
\tbind 127.0.0.1
\treverse_proxy 127.0.0.1:%d
}
""", lambda file: ["run", "--adapter", "caddyfile", "--config", file]),
}


def proxied(dashboard, check):
    """Live items come at once behind a reverse proxy that has its defaults; the proxies that were tried."""
    tried = []
    for name, (file, text, words) in PROXIES.items():
        program = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin")
        if not program:
            continue
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        place = check.path(name)
        with open(file % place, "w", encoding="utf-8") as config, open(check.path("proxy.log"), "ab") as log:
            config.write(text % (place, port, dashboard.port))
            config.flush()
            process = subprocess.Popen([program, *words(config.name)], stdout=log, stderr=log)
        try:
            def stream():
                try:
                    return socket.create_connection(("127.0.0.1", port), timeout=5)
                except OSError:
                    return None
            wire = until(stream, 10)
            if not check.demand(wire, f"{name} does not start"):
                continue
            with wire:
                began, answer = now(), b""
                wire.sendall(b"GET /api/v1/live HTTP/1.1\r\n" + HEAD + b"\r\n")
                try:
                    while b"event: hello" not in answer and (piece := wire.recv(65536)):
                        answer += piece
                except OSError:
                    pass
            waited = now() - began
            check.demand(b"event: hello" in answer and waited < 3,
                         f"behind {name} the live stream says {answer[:200]!r} in {waited:.1f} s")
            tried.append(f"{name} {waited * 1000:.0f} ms")
        finally:
            end(process)
    return tried


def crowded(dashboard, check):
    """A quarter of the 64 connections is for one address; the next is answered, and later there is room."""
    wires = [socket.create_connection(("127.0.0.1", dashboard.port), timeout=5) for _ in range(16)]
    try:
        answer = until(lambda: dashboard.raw(b"GET /healthz HTTP/1.1\r\n" + HEAD + b"\r\n"), 5)
        check.demand(answer.startswith(b"HTTP/1.1 429") and b"connections" in answer,
                     f"a connection too many: {answer[:200]!r}")
    finally:
        for wire in wires:
            wire.close()
    check.same(until(lambda: asked(dashboard) == 200, 10), True, "room after they are closed")


def asked(dashboard):
    try:
        return dashboard.get("/api/v1/station")[0]
    except (OSError, http.client.HTTPException):
        return 0


def idle(check, station, rounds):
    """Requests aimed at the moment in which the process ends are answered by the next one."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.bind(("127.0.0.1", 0))
    listener.listen(64)
    port, processes, lost = listener.getsockname()[1], [], 0
    script = ("exec 3<&%d; export LISTEN_PID=$$ LISTEN_FDS=1; exec \"$0\" \"$@\"" % listener.fileno())

    def start():
        return subprocess.Popen(
            ["bash", "-c", script, check.program("roost-web"), "--socket", station.socket, "--open",
             "--name", "balcony", "--idle", "1"],
            pass_fds=(listener.fileno(),), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)

    chance = random.Random(SEED)
    process = start()
    for _ in range(rounds):
        time.sleep(1.0 + chance.uniform(-0.02, 0.06))
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        try:
            connection.request("GET", "/healthz", headers={"Host": "balcony"})
            # As systemd does: it starts the service when a connection waits.
            if until(lambda: process.poll() is not None, 0.05, pause=0.01):
                processes.append(process.returncode)
                process = start()
            lost += connection.getresponse().status != 200
        except OSError:
            lost += 1
        finally:
            connection.close()
            if process.poll() is not None:
                processes.append(process.returncode)
                process = start()
    process.kill()
    process.wait()
    listener.close()
    check.same(lost, 0, "requests lost at the end of an idle process")
    check.same(set(processes) - {0}, set(), "ends of idle processes")
    return len(processes)


def arguments(parser):
    parser.add_argument("--full", action="store_true", help="100 times as much fuzz, 1 000 resumptions")


def run(check, options):
    sensor = Part(check, "sds011", "--air", "waves", link=check.path("sensor"))
    station = Station(
        check, "web", detect=False, mode="live",
        devices=[{"name": "dust", "type": "sds011", "port": sensor.place}],
        store={"folder": check.path("store"), "megabytes": 4})
    station.start()
    if not until(lambda: station.values(), 30):
        raise Failed(f"no value: {station.log()[-500:]}")
    dashboard = Dashboard(check, station)
    refusals(dashboard, check)
    framing(dashboard, check)
    fuzz(dashboard, check, 100_000 if options.full else 1_000)
    check.same(asked(dashboard), 200, "the answer after the fuzz")
    check.say(f"{len(HOSTILE)} hostile requests and the fuzz refused (seed {SEED})")
    count = resume(dashboard, check, 1_000 if options.full else 12)
    check.say(f"{count} live items over cut connections, none lost or twice")
    tried = proxied(dashboard, check)
    check.say(f"live stream behind a proxy: {', '.join(tried) or 'none is installed'}")
    crowded(dashboard, check)
    daemon(dashboard, station, check)
    age = slow(dashboard, station, check)
    check.say(f"64 slow connections: the station's youngest value was {age:.1f} s old at most")
    # What the slow connections left is due within 30 s of them.
    for _ in range(12):
        before = dashboard.memory()
        time.sleep(3)
        after = dashboard.memory()
        wakes = after["voluntary_ctxt_switches"] - before["voluntary_ctxt_switches"]
        if wakes == 0:
            break
    check.demand(wakes == 0, f"{wakes} wake-ups in 3 s without a visitor")
    check.demand(after["Threads"] <= 3, f"{after['Threads']} threads")
    check.say(f"{after['VmRSS'] / 1024:.1f} MiB resident, {after['RssAnon'] / 1024:.1f} MiB of it private, "
              f"{after['Threads']} threads, {wakes} wake-ups in 3 s without a visitor")
    ends = idle(check, station, 200 if options.full else 8)
    check.say(f"{ends} ends of an idle process, no request lost")
