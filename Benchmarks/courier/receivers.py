"""The other ends of the benchmark: servers that count, plain and by TLS, and a broker's topics."""

import http.server
import json
import os
import ssl
import subprocess
import threading
import time


def now():
    """Seconds since boot, as the simulator's trace has them."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Handler(http.server.BaseHTTPRequestHandler):
    """Takes whatever is posted, by HTTP/1.1 with connections that stay."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.owner.arrivals.append((now(), self.path, self.server.owner.keep(body)))
        self.send_response(204)
        self.end_headers()

    do_GET = do_POST


class Quiet(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass


class Receiver:
    """A server on loopback; `arrivals` has moment, path and what `keep` makes of each body."""

    def __init__(self, check, keep=lambda body: body, certificate=None):
        self.arrivals, self.keep = [], keep
        self.server = Quiet(("127.0.0.1", 0), Handler)
        self.server.owner = self
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.scheme = "https" if certificate else "http"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        check.ends(self)

    @property
    def url(self):
        return f"{self.scheme}://127.0.0.1:{self.server.server_port}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Count:
    """Lines of line protocol, and how old the newest of each body was when it came."""

    def __init__(self):
        self.lines, self.lags, self.last = 0, [], None

    def __call__(self, body):
        lines = body.splitlines()
        self.lines += len(lines)
        self.last = now()
        newest = max((int(line.rsplit(b" ", 1)[1]) for line in lines), default=0)
        age = time.time() - newest / (1e9 if newest > 1e17 else 1e3 if newest > 1e11 else 1)
        # What is older than an hour is backlog, which has no lag.
        if age < 3600:
            self.lags.append(age)
        return len(lines)


def certificate(folder):
    """A certificate for 127.0.0.1 that signs itself: paths of both halves."""
    paths = tuple(os.path.join(folder, name) for name in ("server.pem", "server.key"))
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
         "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-out", paths[0], "-keyout", paths[1]],
        check=True, capture_output=True)
    return paths


class Topics:
    """mosquitto, and all that is published there with its moment."""

    def __init__(self, check, program, port):
        self.arrivals = []
        with open(check.path("mosquitto.log"), "ab") as log:
            self.broker = subprocess.Popen([program, "-p", str(port)], stdout=log, stderr=log)
            time.sleep(1)
            self.client = subprocess.Popen(
                ["mosquitto_sub", "-p", str(port), "-t", "#", "-v"], stdout=subprocess.PIPE, stderr=log, text=True)
        threading.Thread(target=self.listen, daemon=True).start()
        check.ends(self)

    def listen(self):
        for line in self.client.stdout:
            topic, _, text = line.rstrip("\n").partition(" ")
            self.arrivals.append((now(), topic, text))

    def close(self):
        for process in (self.client, self.broker):
            process.terminate()
            process.wait()


def frames(trace):
    """Moment and PM2.5, PM10 in tenths of each frame of an SDS011's trace that has values."""
    found = []
    with open(trace, encoding="ascii") as file:
        for line in file:
            moment, way, text = line.rstrip("\n").split(" ", 2)
            data = bytes.fromhex(text)
            if way == "<" and data[:2] == b"\xaa\xc0":
                found.append((float(moment), int.from_bytes(data[2:4], "little"), int.from_bytes(data[4:6], "little")))
    return found


def words(value):
    return json.dumps(value, indent=2)
