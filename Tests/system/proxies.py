"""nginx and Caddy with the configurations of docs/guide/behind-a-proxy.md, and a visitor who comes through them."""

import contextlib
import http.client
import json
import os
import re
import shutil
import socket
import ssl
import subprocess

from .browser.dashboard import OWNER, free_port
from .check import ROOT, Failed, until
from .guide import texts
from .station import end

PAGE = os.path.join(ROOT, "docs", "guide", "behind-a-proxy.md")
NAME, ADDRESS = "air.example.org", "192.168.1.20"  # Of the page.
OTHERS = {1: "private", 2: "encrypted"}


def replaced(text, old, new):
    """A text with all places of another one changed, of which there must be one."""
    if old not in text:
        raise Failed(f"the page's configuration has no {old!r}")
    return text.replace(old, new)


class Proxy:
    """A proxy with the page's configuration, on ports of the loopback.

    Of the page's blocks the first is whole; `with_block` 1 keeps strangers out, 2 encrypts the way to the station.
    """

    def __init__(self, check, guide, web, with_block=0):
        self.check, self.guide, self.web = check, guide, web
        self.port, self.plain, self.process = free_port(), free_port(), None
        self.folder = check.path(f"{self.program}-{self.port}")
        self.file = os.path.join(self.folder, "configuration")
        os.makedirs(self.folder)
        # A worker of nginx has another user.
        os.chmod(self.folder, 0o755)
        blocks = guide.of(self.program)
        with open(self.file, "w", encoding="utf-8") as file:
            text = self.configuration(blocks[0], **{OTHERS[with_block]: blocks[with_block]} if with_block else {})
            file.write(replaced(text, ADDRESS, f"127.0.0.1:{web.tls_port if with_block == 2 else web.port}"))
        check.ends(self)

    def start(self):
        with open(self.check.path("proxy.log"), "ab") as log:
            self.process = subprocess.Popen(self.command(), stdout=log, stderr=log,
                                            env={**os.environ, "HOME": self.folder})
        if not until(self.answers, 20):
            raise Failed(f"{self.program} does not start; see {self.check.path('proxy.log')}")
        return self

    def answers(self):
        with contextlib.suppress(OSError):
            with self.wire():
                return True
        return False

    def wire(self, name=NAME):
        """An encrypted connection to the proxy, by a client that asks for this name."""
        context = ssl.create_default_context(cafile=self.guide.certificate)
        context.check_hostname = name == NAME
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=20)
        try:
            return context.wrap_socket(plain, server_hostname=name)
        except BaseException:
            plain.close()
            raise

    def close(self):
        if self.process is not None:
            end(self.process)


class Nginx(Proxy):
    program = "nginx"

    def configuration(self, text, private="", encrypted=""):
        if encrypted:
            text = replaced(text, "    location / { proxy_pass http://192.168.1.20; }", encrypted)
            text = replaced(text, "    proxy_set_header Origin $roost_origin;\n", "")
            text = replaced(text, "/etc/nginx/roost-ca.pem", self.guide.authority)
        for port, own in ((80, self.plain), (443, self.port)):
            text = re.sub(rf"listen \[::\]:{port}\b.*\n", "", text)
            text = replaced(text, f"listen {port}", f"listen 127.0.0.1:{own}")
        text = re.sub(r"(ssl_certificate) .*;", rf"\1 {self.guide.certificate};", text)
        text = re.sub(r"(ssl_certificate_key) .*;", rf"\1 {self.guide.key};", text)
        text = replaced(text, "    client_max_body_size", private + "\n    client_max_body_size")
        folders = " ".join(f"{kind}_temp_path {self.folder}/{kind};"
                           for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        return (f"daemon off; pid {self.folder}/pid; error_log stderr;\nevents {{}}\n"
                f"http {{ access_log off; {folders}\n{text}\n}}\n")

    def command(self):
        return [program(self.program), "-e", "stderr", "-c", self.file]


class Caddy(Proxy):
    program = "caddy"

    def configuration(self, text, private="", encrypted=""):
        if encrypted:
            text = re.sub(r"\treverse_proxy .*?\n\t}", lambda _: encrypted, text, flags=re.S)
            text = replaced(text, "/etc/caddy/roost-ca.pem", self.guide.authority)
        text = replaced(text, "\tlog\n", f"\ttls {self.guide.certificate} {self.guide.key}\n\tlog\n{private}\n")
        return (f"{{\n\tadmin off\n\thttp_port {self.plain}\n\thttps_port {self.port}\n"
                f"\tstorage file_system {self.folder}\n}}\n{text}\n")

    def command(self):
        return [program(self.program), "run", "--adapter", "caddyfile", "--config", self.file]


def program(name):
    return shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin")


class Guide:
    """The page's blocks, and a certificate for its name."""

    def __init__(self, check):
        self.page = texts.Page(PAGE)
        self.certificate, self.key = check.path("air.pem"), check.path("air.key")
        self.authority = check.path("roost-ca.pem")
        done = subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
             "-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}", "-keyout", self.key, "-out",
             self.certificate], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failed(f"openssl: {done.stderr}")
        os.chmod(self.key, 0o644)

    def of(self, language):
        return [block.text for block in self.page.blocks if block.language == language]

    def words(self):
        """What the page gives roost-web."""
        found = re.search(r"^ExecStart=/usr/bin/roost-web (.+)$", "\n".join(self.of("ini")), re.M)
        if not found:
            raise Failed("the page has no ExecStart= with an option of roost-web")
        return found[1].split()


class Visitor:
    """A browser at the proxy's page."""

    def __init__(self, proxy):
        self.proxy, self.cookie = proxy, None

    def ask(self, method, path, body=None, host=NAME, origin=f"https://{NAME}", **headers):
        """Status, headers and body; empty ones where the proxy closes the connection."""
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if method != "GET" and origin:
            headers["Origin"] = origin
        if body is not None:
            headers["Content-Type"] = "application/json"
        if self.cookie:
            headers["Cookie"] = self.cookie
        connection = http.client.HTTPConnection(host, timeout=30)
        connection.sock = self.proxy.wire()
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def log_in(self, **more):
        form = {name: OWNER[name] for name in ("email", "password")}
        status, headers, _ = self.ask("POST", "/api/v1/login", json.dumps(form), **more)
        self.cookie = (headers["Set-Cookie"] or "").split(";")[0] or self.cookie
        return status, [part.strip() for part in (headers["Set-Cookie"] or "").split(";")[1:]]
