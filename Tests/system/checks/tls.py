"""The dashboard by HTTPS: its certificates, hostile clients, what it costs, and a phone without a connection.

A simulated SDS011, a real roostd, and roost-web with a plain and an encrypted port:

  papers     the authority by openssl: P-256, its constraints; what it signs for others is refused
  wrong      plain HTTP on the encrypted port and TLS on the plain one end clearly; TLS 1.1 and h2 are refused
  slow       silent handshakes count among the connections of an address, and end after ten seconds
  fuzz       broken handshakes and records: the server answers the next visitor
  cost       CPU a handshake, whole and resumed, and resident memory
  app        Chromium with the authority in its profile: the worker registers, the page opens without the station
             and says so, and nothing is left after a log-out; an unknown certificate that was clicked away
             registers none; a certificate of this authority for another name is refused
  redirect   Chromium, by the hash of the server's key: plain HTTP leads to HTTPS once it has trusted, not before

  scripts/check tls --records 100000          as many broken records
  scripts/check tls --only papers app         these parts

The part app is left out without Chromium, its driver and certutil (libnss3-tools), the part redirect without the first
two.
"""

import base64
import hashlib
import os
import random
import re
import shutil
import socket
import ssl
import subprocess
import sys
import time

from ..browser.dashboard import OWNER, Balcony, Dashboard, free_port
from ..check import Failed, until
from ..packaging.python_packages import PythonPackages

PRODUCTS = ("roost", "roostd", "roost-web")
NEEDS = "openssl; for the part app: chromium, chromium-driver, libnss3-tools, the network once"
PACKAGES = PythonPackages(".build-browser", ("selenium==4.51.0", "axe-playwright-python==0.1.8"))
SEED = 20261123
HEAD = b"GET /healthz HTTP/1.1\r\nHost: balcony.local\r\nConnection: close\r\n\r\n"


def arguments(parser):
    parser.add_argument("--records", type=int, default=2000, help="broken records (2000)")
    parser.add_argument("--only", nargs="+", metavar="PART", help="these parts alone")


class Encrypted(Dashboard):
    """A dashboard with an encrypted port beside the plain one."""

    def __init__(self, check, station):
        self.tls_port = free_port()
        super().__init__(check, station, "--name", "balcony", "--listen-tls", f"127.0.0.1:{self.tls_port}")
        self.ca = check.path("ca.pem")

    def start(self):
        super().start()
        self.process.stdout.readline()  # The encrypted port.

    def fetch_authority(self):
        status, _, body = plain(self.port, b"GET /ca.pem HTTP/1.1\r\nHost: balcony.local\r\nConnection: close\r\n\r\n")
        if status != 200:
            raise Failed(f"/ca.pem answers {status}")
        with open(self.ca, "wb") as file:
            file.write(body)

    def context(self):
        context = ssl.create_default_context(cafile=self.ca)
        context.set_alpn_protocols(["http/1.1"])
        return context

    def ask(self, context, session=None):
        """A request over a new connection: status, and the session for the next."""
        with socket.create_connection(("127.0.0.1", self.tls_port), timeout=10) as wire:
            with context.wrap_socket(wire, server_hostname="balcony.local", session=session) as tls:
                tls.sendall(HEAD)
                answer = read(tls)
                return int(answer.split()[1]), tls.session, tls.session_reused

    def figures(self):
        """Resident KiB, and seconds of CPU."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            resident = int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return resident, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def read(wire):
    data = b""
    try:
        while piece := wire.recv(65536):
            data += piece
    except OSError:
        pass
    return data


def plain(port, request):
    with socket.create_connection(("127.0.0.1", port), timeout=10) as wire:
        wire.sendall(request)
        answer = read(wire)
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]) if head.startswith(b"HTTP/") else 0, head, body


def openssl(*words, text=""):
    answer = subprocess.run(["openssl", *words], input=text, capture_output=True, text=True, check=False, timeout=30)
    return answer.stdout + answer.stderr


def forge(check, web, host):
    """A certificate that the station's authority signs for another host; certificate and key."""
    with open(os.path.join(web.folder, "authority.pem"), encoding="ascii") as file:
        pair = file.read()
    key, made, signer = check.path("forged.key"), check.path("forged.pem"), check.path("signer.key")
    with open(signer, "w", encoding="ascii") as file:
        file.write(pair[pair.index("-----BEGIN PRIVATE"):])
    with open(check.path("forged.ext"), "w", encoding="ascii") as file:
        file.write(f"subjectAltName={host}\nextendedKeyUsage=serverAuth\n")
    openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key,
            "-subj", "/CN=other", "-out", check.path("forged.csr"))
    openssl("x509", "-req", "-in", check.path("forged.csr"), "-CA", web.ca, "-CAkey", signer, "-days", "30",
            "-out", made, "-extfile", check.path("forged.ext"))
    return made, key


def papers(check, web, _):
    text = openssl("x509", "-in", web.ca, "-noout", "-text")
    for words in ("NIST CURVE: P-256", "CA:TRUE, pathlen:0", "X509v3 Name Constraints: critical",
                  "DNS:balcony.local", "IP:192.168.0.0/255.255.0.0", "Certificate Sign, CRL Sign"):
        check.demand(words in text, f"the authority has {words}")
    place = f"127.0.0.1:{web.tls_port}"
    said = openssl("s_client", "-connect", place, "-servername", "balcony.local", "-verify_hostname", "balcony.local",
                   "-CAfile", web.ca, "-alpn", "http/1.1", text="Q\n")
    check.demand("Verify return code: 0 (ok)" in said, "openssl takes the server's certificate")
    check.demand("ALPN protocol: http/1.1" in said, "ALPN says http/1.1")
    for host, isGood in (("DNS:balcony.local", True), ("IP:10.0.0.1", True), ("DNS:bank.example", False),
                         ("IP:8.8.8.8", False)):
        made, _ = forge(check, web, host)
        verdict = openssl("verify", "-CAfile", web.ca, made)
        check.demand(("OK" in verdict) == isGood, f"the authority {'may' if isGood else 'may not'} sign for {host}")
    for name in ("authority.pem", "server.pem"):
        mode = os.stat(os.path.join(web.folder, name)).st_mode & 0o777
        check.demand(mode == 0o600, f"{name} has mode {mode:o}")


def wrong(check, web, _):
    status, _, body = plain(web.tls_port, b"GET / HTTP/1.1\r\nHost: balcony.local\r\n\r\n")
    check.demand(status == 400 and b"https://" in body, "plain HTTP on the encrypted port gets words")
    said = openssl("s_client", "-connect", f"127.0.0.1:{web.port}", text="Q\n")
    check.demand("alert protocol version" in said, "TLS on the plain port gets an alert")
    place = f"127.0.0.1:{web.tls_port}"
    check.demand("alert protocol version" in openssl("s_client", "-tls1_1", "-connect", place, text="Q\n"),
                 "TLS 1.1 is refused")
    check.demand("no application protocol" in openssl("s_client", "-alpn", "h2", "-connect", place, text="Q\n"),
                 "h2 alone is refused")
    check.demand(web.ask(web.context())[0] == 200, "the next visitor is answered")


def slow(check, web, _):
    wires = [socket.create_connection(("127.0.0.1", web.tls_port), timeout=15) for _ in range(16)]
    try:
        with socket.create_connection(("127.0.0.1", web.tls_port), timeout=5) as more:
            check.demand(read(more) == b"", "the 17th connection of an address is closed")
        began = time.monotonic()
        for wire in wires[:8]:
            wire.sendall(b"\x16\x03\x01\x02\x00\x01")  # The beginning of a ClientHello.
        ends = [wire.recv(1) for wire in wires]
        took = time.monotonic() - began
        check.demand(ends == [b""] * 16 and 5 < took < 13, f"16 silent handshakes end after {took:.1f} s")
    finally:
        for wire in wires:
            wire.close()
    check.demand(web.ask(web.context())[0] == 200, "the next visitor is answered")


def damage(data, dice):
    data = bytearray(data)
    for _ in range(dice.randint(1, 4)):
        place = dice.randrange(len(data)) if data else 0
        kind = dice.randrange(5)
        if kind == 0 and data:
            del data[place:]
        elif kind == 1 and data:
            del data[place]
        elif kind == 2:
            data[place:place] = data[:place]
        elif data:
            data[place] = dice.randrange(256)
    return bytes(data)


def hello():
    """The first flight of a client."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    context = ssl.create_default_context()
    client = context.wrap_bio(incoming, outgoing, server_hostname="balcony.local")
    try:
        client.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


def later_record(web, dice):
    """A broken record after a good handshake."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = web.context().wrap_bio(incoming, outgoing, server_hostname="balcony.local")
    with socket.create_connection(("127.0.0.1", web.tls_port), timeout=10) as wire:
        while True:
            try:
                client.do_handshake()
                break
            except ssl.SSLWantReadError:
                wire.sendall(outgoing.read())
                incoming.write(wire.recv(65536))
        client.write(HEAD)
        send(wire, damage(outgoing.read(), dice))


def send(wire, data):
    try:
        wire.sendall(data)
        wire.shutdown(socket.SHUT_WR)
    except OSError:
        return
    read(wire)


def fuzz(check, web, options):
    dice, first, began = random.Random(SEED), hello(), time.monotonic()
    before, _ = web.figures()
    for count in range(options.records):
        if count % 20 == 0:
            later_record(web, dice)
            continue
        with socket.create_connection(("127.0.0.1", web.tls_port), timeout=10) as wire:
            send(wire, damage(first, dice))
        if web.process.poll() is not None:
            raise Failed(f"roost-web ended after {count} broken records")
    after, _ = web.figures()
    check.demand(web.ask(web.context())[0] == 200,
                 f"{options.records} broken records in {time.monotonic() - began:.0f} s, then an answer; "
                 f"resident {before} -> {after} KiB")


def cost(check, web, _):
    context, count = web.context(), 200
    _, session, _ = web.ask(context)
    (resident, start) = web.figures()
    for _ in range(count):
        web.ask(context)
    _, middle = web.figures()
    resumed = 0
    for _ in range(count):
        _, session, wasResumed = web.ask(context, session)
        resumed += wasResumed
    after, last = web.figures()
    check.demand(resumed == count, f"{resumed} of {count} sessions were resumed")
    print(f"  a connection with a request: {(middle - start) / count * 1000:.2f} ms of CPU, "
          f"resumed {(last - middle) / count * 1000:.2f} ms; resident {resident} -> {after} KiB")
    wires = []
    for _ in range(15):
        wire = socket.create_connection(("127.0.0.1", web.tls_port), timeout=10)
        wires.append(context.wrap_socket(wire, server_hostname="balcony.local"))
    full, _ = web.figures()
    print(f"  15 open connections: {(full - after) / 15:.1f} KiB each")
    for wire in wires:
        wire.close()


def phones(part, programs):
    """The browsers; nil where a program is missing."""
    missing = [name for name in programs if shutil.which(name) is None]
    if missing:
        print(f"  {part}: left out, {' and '.join(missing)} missing (apt install chromium chromium-driver libnss3-tools)")
        return None
    PACKAGES.demand()
    sys.path.insert(0, PACKAGES.library)
    from ..browser import phone  # Imports selenium, which is there only now.

    return phone


def redirect(check, web, _):
    phone = phones("redirect", ("chromium", "chromedriver"))
    if phone:
        der = ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate(("127.0.0.1", web.tls_port)))
        key = subprocess.run(["openssl", "x509", "-inform", "DER", "-pubkey", "-noout"], input=der, capture_output=True,
                             check=True).stdout.decode("ascii")
        body = base64.b64decode("".join(line for line in key.splitlines() if not line.startswith("-")))
        phone.redirected(check, web, base64.b64encode(hashlib.sha256(body).digest()).decode("ascii"))


def app(check, web, _):
    phone = phones("app", ("chromium", "chromedriver", "certutil"))
    if phone:
        phone.run(check, web, OWNER, lambda: forge(check, web, "DNS:bank.example"))


PARTS = (papers, wrong, slow, fuzz, cost, redirect, app)


def run(check, options):
    balcony = Balcony(check)
    web = Encrypted(check, balcony.station)
    web.start()
    if not until(lambda: plain(web.port, HEAD)[0] == 200, 20):
        raise Failed("the station does not answer")
    web.fetch_authority()
    for part in PARTS:
        if not options.only or part.__name__ in options.only:
            part(check, web, options)
    return f"{len(PARTS)} parts"
