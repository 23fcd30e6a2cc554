"""The dashboard behind nginx and Caddy, with the configurations that docs/guide/behind-a-proxy.md shows.

The blocks `nginx` and `caddy` of the page as they stand, but for the station's address, ports and the certificate, and
the option that it gives roost-web. A real roostd with a simulated SDS011 at 1 Hz, its history filled, and a real
roost-web with accounts; a visitor speaks TLS with the proxy under the page's name.

  log-in    works through the proxy; the cookie has Secure; a page of another site is refused, and so is a log-in
            without the page's change of Origin; the session has the proxy's address, whatever X-Forwarded-For says
  live      each item comes within 2 s of the same one at the station itself
  export    is the station's own, byte by byte, its first piece long before its last; behind nginx one that breaks off
            is seen as such
  host      another name gets nothing of the station
  home      faces and claims are kept back
  upload    the largest body that the station takes reaches it
  crowd     with 12 live pages the others are answered; without them all connections are free again
  encrypted the same with the page's lines for HTTPS to the station: log-in as the browser asks, the station's own cookie,
            and nothing where another authority is trusted
  private   strangers are kept out by the lines that the page has for it

A proxy that is not installed is left out, with the reason.
"""

import contextlib
import http.client
import json
import re
import shutil
import socket
import threading
import time

from ..browser.dashboard import OWNER, Balcony, Dashboard, free_port
from ..check import Failed, now, until
from ..proxies import NAME, PAGE, Caddy, Guide, Nginx, Visitor, program

PRODUCTS = ("roost", "roostd", "roost-web")
NEEDS = "nginx, caddy, openssl"
OTHER = "other.example.org"
ROWS = 20_000  # Of the history before the station starts.
LIVE_SECONDS, LIVE_COUNT = 2, 5
CROWD = 12
BODY_BYTES = 1_390_000  # Of nearly the longest backup, as JSON.


def arguments(parser):
    parser.add_argument("--only", choices=("nginx", "caddy"), help="one proxy alone")


def straight(web, method, path, body=None, cookie=None):
    """A request to the station itself, by its own address: status, headers, body."""
    headers = {"Origin": f"http://127.0.0.1:{web.port}", "Content-Type": "application/json"}
    connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=30)
    try:
        connection.request(method, path, body, {**headers, **({"Cookie": cookie} if cookie else {})})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def log_in(check, web, visitor):
    name = visitor.proxy.program
    status, _ = visitor.log_in(origin="https://evil.example")
    check.same(status, 403, f"{name}: a log-in from a page of another site")
    status, marks = visitor.log_in(X_Forwarded_For="203.0.113.9")
    if status != 200:
        raise Failed(f"{name}: log-in is answered {status}")
    check.demand({"Secure", "HttpOnly", "SameSite=Strict", "Path=/"} <= set(marks), f"{name}: the cookie has {marks}")
    status, _, body = visitor.ask("GET", "/api/v1/me")
    check.demand(status == 200 and OWNER["name"] in body.decode(), f"{name}: /me answers {status}: {body[:200]}")
    _, _, body = visitor.ask("GET", "/api/v1/sessions")
    check.demand(b"127.0.0.1" in body and b"203.0.113" not in body, f"{name}: the sessions are {body[:300]}")
    visitor.ask("POST", "/api/v1/mode", json.dumps({"mode": "live", "seconds": 7_200}))
    # Why the page changes Origin: with the browser's own the station refuses.
    check.same(straight_login(web), 403, "a log-in with https as Origin on plain HTTP")


def straight_login(web):
    form = json.dumps({name: OWNER[name] for name in ("email", "password")})
    connection = http.client.HTTPConnection(NAME, timeout=30)
    connection.sock = socket.create_connection(("127.0.0.1", web.port), timeout=30)
    try:
        connection.request("POST", "/api/v1/login", form,
                           {"Origin": f"https://{NAME}", "Content-Type": "application/json"})
        return connection.getresponse().status
    finally:
        connection.close()


def items(wire, host, cookie, seen):
    """Remembers when each item with a number came, until there are enough."""
    text = f"GET /api/v1/live HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n"
    with contextlib.suppress(OSError), wire:
        wire.sendall(text.encode())
        rest = b""
        while len(seen) < 4 * LIVE_COUNT and (piece := wire.recv(65536)):
            rest += piece
            *lines, rest = rest.split(b"\n")
            for line in lines:
                if line.startswith(b"id: "):
                    seen.setdefault(line, now())


def live(check, web, visitor, cookie):
    name, ours, theirs = visitor.proxy.program, {}, {}
    near = socket.create_connection(("127.0.0.1", web.port), timeout=20)
    far = visitor.proxy.wire()
    threads = [threading.Thread(target=items, args=words, daemon=True) for words in (
        (near, f"127.0.0.1:{web.port}", cookie, ours), (far, NAME, visitor.cookie, theirs))]
    for thread in threads:
        thread.start()
    until(lambda: len(ours.keys() & theirs.keys()) >= LIVE_COUNT, 30)
    late = max((theirs[one] - ours[one] for one in ours.copy().keys() & theirs.copy().keys()), default=99)
    both = len(ours.copy().keys() & theirs.copy().keys())
    check.demand(both >= LIVE_COUNT and late < LIVE_SECONDS,
                 f"{name}: {both} live items by both ways, {late:.2f} s later by the proxy")
    for wire in (near, far):
        with contextlib.suppress(OSError):
            wire.shutdown(socket.SHUT_RDWR)
    for thread in threads:
        thread.join(25)
    return max(0, late)


def export(check, web, visitor, cookie):
    """Seconds to the first piece and to the end, and the size."""
    name, path = visitor.proxy.program, "/api/v1/export?format=csv&from=2026-08-01T00:00:00Z&to=2026-10-31T00:00:00Z"
    _, _, wanted = straight(web, "GET", path, cookie=cookie)
    began, pieces, first = now(), [], None
    connection = http.client.HTTPConnection(NAME, timeout=60)
    connection.sock = visitor.proxy.wire()
    try:
        connection.request("GET", path, headers={"Cookie": visitor.cookie})
        answer = connection.getresponse()
        while piece := answer.read1(65536):
            first = first or now() - began
            pieces.append(piece)
    finally:
        connection.close()
    whole, found = now() - began, b"".join(pieces)
    check.demand(found == wanted and len(found) > 1_000_000,
                 f"{name}: an export of {len(found)} bytes, not {len(wanted)}")
    check.demand(first is not None and first < whole / 2, f"{name}: the first piece after {first} s of {whole:.2f} s")
    return first or 0, whole, len(found)


def broken(check, web, visitor):
    """Whether a visitor sees that an export broke off, as its station died in its middle."""
    connection = http.client.HTTPConnection(NAME, timeout=60)
    connection.sock = visitor.proxy.wire()
    # Little room on the way, so that the station still writes when it dies.
    connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16_384)
    try:
        connection.request("GET", "/api/v1/export?format=ndjson", headers={"Cookie": visitor.cookie})
        answer = connection.getresponse()
        answer.read(1_000)
        web.process.kill()
        web.process.wait()
        try:
            answer.read()
            is_seen = False
        except (http.client.IncompleteRead, OSError):
            is_seen = True
    finally:
        connection.close()
    web.process.stdout.close()
    web.start()
    return is_seen


def hosts(check, visitor):
    name = visitor.proxy.program
    status, _, body = visitor.ask("GET", "/", host=OTHER)
    # nginx hands it on, and the station refuses; Caddy has no such site, and answers nothing.
    check.demand(status == 421 or not body, f"{name}: for another name / answers {status}: {body[:200]}")
    check.same(visitor.ask("GET", "/")[0], 200, f"{name}: / under its own name")
    wire = socket.create_connection(("127.0.0.1", visitor.proxy.plain), timeout=20)
    with wire:
        wire.sendall(f"GET /history HTTP/1.1\r\nHost: {NAME}\r\nConnection: close\r\n\r\n".encode())
        answer = wire.recv(4096).decode()
    check.demand(re.match(r"HTTP/1.1 30[18] ", answer) and f"https://{NAME}" in answer,
                 f"{name}: plain HTTP answers {answer[:200]!r}")


def home(check, web, visitor):
    form = json.dumps({**OWNER, "code": "AAAAAAAA"})
    check.same(straight(web, "POST", "/api/v1/claim", form)[0], 409, "a second claim at the station")
    # The station takes a path with a slash at its end for the same one.
    for end in ("", "/"):
        check.same(visitor.ask("POST", "/api/v1/claim" + end, form)[0], 404, f"{visitor.proxy.program}: a claim{end}")
        for path in ("/data.json", "/compat/alert"):
            check.same(straight(web, "GET", path + end)[0], 200, f"{path}{end} at the station")
            check.same(visitor.ask("GET", path + end)[0], 404, f"{visitor.proxy.program}: {path}{end}")


def upload(check, visitor):
    body = json.dumps({"file": "A" * (BODY_BYTES - 40), "isTrial": True})
    status, headers, answer = visitor.ask("POST", "/api/v1/restore", body)
    # It reads the whole body, and finds no backup in it.
    check.demand("problem+json" in (headers["Content-Type"] or "") and status == 415,
                 f"{visitor.proxy.program}: a body of {BODY_BYTES} bytes: {status} {answer[:200]}")


def crowd(check, visitor):
    """The station answers beside live pages, and has room again after them."""
    wires = []
    try:
        for _ in range(CROWD):
            wires.append(visitor.proxy.wire())
            wires[-1].sendall(f"GET /api/v1/live HTTP/1.1\r\nHost: {NAME}\r\nCookie: {visitor.cookie}\r\n\r\n".encode())
            head = wires[-1].recv(100)
            check.demand(b" 200 " in head, f"{visitor.proxy.program}: live page {len(wires)}: {head}")
        check.same([visitor.ask("GET", "/api/v1/station")[0] for _ in range(3)], [200] * 3,
                   f"{visitor.proxy.program}: answers beside {CROWD} live pages")
    finally:
        for wire in wires:
            wire.close()


def private(check, guide, web, kind):
    """The lines against strangers are taken; this machine's own address is none."""
    proxy = kind(check, guide, web, with_block=1).start()
    check.same(Visitor(proxy).ask("GET", "/")[0], 200, f"{kind.program}: a private address")
    proxy.close()
    with open(proxy.file, encoding="utf-8") as file:
        text = re.sub("allow 127.*", "", file.read()).replace("private_ranges", "10.0.0.0/8")
    with open(proxy.file, "w", encoding="utf-8") as file:
        file.write(text)
    proxy.start()
    check.same(Visitor(proxy).ask("GET", "/")[0], 403, f"{kind.program}: a stranger")
    proxy.close()


def encrypted(check, guide, web, kind):
    """HTTPS to the station, whose authority alone is trusted."""
    with open(guide.authority, "wb") as file:
        file.write(straight(web, "GET", "/ca.pem")[2])
    proxy = kind(check, guide, web, with_block=2).start()
    visitor = Visitor(proxy)
    status, marks = visitor.log_in()
    check.same(status, 200, f"{kind.program}: log-in with HTTPS to the station")
    check.demand((visitor.cookie or "").startswith("__Host-") and "Secure" in marks,
                 f"{kind.program}: the station's own cookie is {(visitor.cookie or '')[:20]}, {marks}")
    check.same(json.loads(visitor.ask("GET", "/api/v1/trust")[2])["isEncrypted"], True, f"{kind.program}: encrypted")
    proxy.close()
    shutil.copy(guide.certificate, guide.authority)
    proxy.start()
    check.same(Visitor(proxy).ask("GET", "/")[0], 502, f"{kind.program}: a station of another authority")
    proxy.close()


def history(check):
    """A store with a month of another sensor, so that an export is long."""
    path, store = check.path("month.csv"), check.path("proxy-store")
    with open(path, "w", encoding="ascii") as file:
        file.write("sensor_id;sensor_type;location;lat;lon;timestamp;P1;durP1;ratioP1;P2;durP2;ratioP2\n")
        for row in range(ROWS):
            when = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(1_788_220_800 + 120 * row))
            file.write(f"5331;SDS011;2671;48.8;9.2;{when};{10 + row % 90 / 10:.2f};;;{5 + row % 50 / 10:.2f};;\n")
    check.roost("import", path, "--as", "sensor-community", "--yes", "--megabytes", "64", "--store", store, status=0)


def walk(check, guide, web, kind):
    proxy = kind(check, guide, web).start()
    visitor = Visitor(proxy)
    log_in(check, web, visitor)
    cookie = straight_session(check, web)
    hosts(check, visitor)
    home(check, web, visitor)
    upload(check, visitor)
    late = live(check, web, visitor, cookie)
    first, whole, size = export(check, web, visitor, cookie)
    crowd(check, visitor)
    is_seen = broken(check, web, visitor)
    # Caddy 2.6 of Debian 12 ends such an answer as if it was whole, and the page says so.
    check.demand(is_seen or kind is Caddy, f"{proxy.program}: an export that broke off looks whole")
    proxy.close()
    encrypted(check, guide, web, kind)
    private(check, guide, web, kind)
    check.say(f"{proxy.program}: live items {late * 1000:.0f} ms later at most; an export of {size / 1e6:.1f} MB in "
              f"{whole:.1f} s, its first piece after {first:.2f} s; one that breaks off "
              f"{'is seen as such' if is_seen else 'looks whole'}")


def straight_session(check, web):
    status, headers, _ = straight(web, "POST", "/api/v1/login",
                                  json.dumps({name: OWNER[name] for name in ("email", "password")}))
    check.same(status, 200, "log-in at the station itself")
    return (headers["Set-Cookie"] or "").split(";")[0]


def run(check, options):
    kinds = [kind for kind in (Nginx, Caddy) if options.only in (None, kind.program)]
    for kind in kinds:
        if program(kind.program) is None:
            check.skip(f"{kind.program} is missing: apt install {kind.program}")
    kinds = [kind for kind in kinds if program(kind.program)]
    if not kinds:
        return "no proxy is installed"
    guide = Guide(check)
    for kind in kinds:
        if len(guide.of(kind.program)) != 3:
            raise Failed(f"{PAGE} has not three blocks of {kind.program}")
    history(check)
    chosen = check.path("faces.json")
    with open(chosen, "w", encoding="ascii") as file:
        file.write('{"alert": {}, "airrohr": {}}')
    balcony = Balcony(check, "proxy")
    tls_port = free_port()
    web = Dashboard(check, balcony.station, "--name", "balcony", "--faces", chosen, "--listen-tls",
                    f"127.0.0.1:{tls_port}", *guide.words())
    web.tls_port = tls_port
    web.start()
    balcony.wait_for_value()
    status, _, answer = straight(web, "POST", "/api/v1/claim", json.dumps({**OWNER, "code": web.claim_code()}))
    if status != 201:
        raise Failed(f"the claim is answered {status}: {answer[:300]}")
    for kind in kinds:
        walk(check, guide, web, kind)
    return ", ".join(kind.program for kind in kinds)
