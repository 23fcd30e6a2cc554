"""The configurations in docs/guide/targets are right, and a notice reaches a mail server of another project.

Each configuration of the pages goes through `roost courier check`. A notice that is marked TEST goes by STARTTLS and with a
log-in to aiosmtpd: what it took is read by Python's `email`; with another password, or another certificate than that of the
station's authority, nothing arrives and the command says why.
A database that has a field with another type refuses each point with it: the others arrive, status and log name the field,
nothing waits. So answers InfluxDB 1 (apt install influxdb), where the field arrives once its owner has dropped the wrong
type, and a server of the check's own in the words of versions 2 and 3.
"""

import email
import email.policy
import glob
import json
import os
import re
import subprocess

from .. import standin
from ..browser.dashboard import free_port
from ..check import ROOT, Failed, Skipped, until
from ..courier import Courier
from ..packaging.python_packages import PythonPackages
from ..servers.influx_conflict import conflict
from ..station import Part, Station, end

PRODUCTS = ("roost", "roostd", "roost-courier")
NEEDS = "openssl, the network once; influxd for a part"
PACKAGES = PythonPackages(".build-mail", ("aiosmtpd==1.4.6",))
PAGES = ("docs/guide/targets/*.md", "docs/guide/home-assistant.md", "docs/reference/courier.md")
PASSWORD = "a grey heron"


def pages(check):
    """`roost courier check` takes every configuration that a page shows."""
    count, path = 0, check.path("courier.json")
    for page in sorted(page for pattern in PAGES for page in glob.glob(os.path.join(ROOT, pattern))):
        with open(page, encoding="utf-8") as file:
            blocks = re.findall(r"^```json\n(.*?)^```", file.read(), re.DOTALL | re.MULTILINE)
        for block in blocks:
            if not {"targets", "receivers", "feeds"} & set(json.loads(block)):
                continue
            with open(path, "w", encoding="utf-8") as file:
                file.write(block)
            done = check.roost("courier", "check", path)
            check.demand(done.returncode == 0, f"{os.path.relpath(page, ROOT)}: {done.stdout}{done.stderr}")
            count += 1
    check.demand(count >= 15, f"only {count} configurations in the pages")
    return count


def certificate(check, name):
    key, path = check.path(f"{name}.key"), check.path(f"{name}.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
                    "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key,
                    "-out", path], check=True, stderr=subprocess.DEVNULL)
    return path, key


class MailServer:
    """An aiosmtpd; `message` waits for the next that it takes."""

    def __init__(self, check):
        self.certificate, key = certificate(check, "mail")
        self.port = free_port()
        script = os.path.join(ROOT, "Tests", "system", "servers", "mail_server.py")
        with open(check.path("mail.log"), "ab") as log:
            self.process = subprocess.Popen(
                [PACKAGES.python, script, str(self.port), self.certificate, key, "roost", PASSWORD], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=log, text=True)
        check.ends(self)
        if not self.process.stdout.readline():
            raise Failed("the mail server does not start")

    def message(self):
        return json.loads(self.process.stdout.readline())

    def rest(self):
        """Ends it; what it took besides."""
        self.process.stdin.close()
        return self.process.stdout.read()

    def close(self):
        end(self.process)


def mail(check):
    server = MailServer(check)
    part = Part(check, "sds011", link=check.path("sensor"))
    station = Station(check, "targets", store={"folder": check.path("store")}, mode="live",
                      devices=[{"name": "dust", "type": "nova-sds011", "port": part.place}])
    station.start()
    station.trust_clock()
    receiver = {"id": "mail", "type": "smtp", "url": f"smtp://localhost:{server.port}", "from": "roost@example.org",
                "to": ["ann@example.org", "bob@example.org"], "user": "roost", "password": {"secret": "smtp"},
                "trust": server.certificate, "local": True}
    courier = Courier(check, station, receivers=[receiver])
    courier.environment = {"LD_PRELOAD": standin.preload("clock")}  # A mail needs the date of a time server.

    def send(password, status, **changes):
        courier.secret("smtp", password)
        courier.configure(receivers=[{**receiver, **changes}])
        return courier.roost("courier", "send", "mail", "--config", courier.config_path, "--socket", station.socket,
                             "--secrets", courier.secrets, status=status)

    said = send("another", 1).stderr
    check.demand("refuses the log-in" in said, f"a wrong password: {said}")
    said = send(PASSWORD, 1, trust=certificate(check, "other")[0]).stderr
    check.demand("certificate" in said, f"another certificate: {said}")
    done = send(PASSWORD, 0)
    if done.returncode != 0:
        raise Failed(f"no mail is sent: {done.stdout}{done.stderr}")
    taken = server.message()
    check.same((taken["from"], taken["to"], taken["encrypted"]),
               ("roost@example.org", ["ann@example.org", "bob@example.org"], True), "the envelope")
    message = email.message_from_string(taken["text"], policy=email.policy.default)
    check.same((message["From"], message["To"]), ("roost@example.org", "ann@example.org, bob@example.org"), "the addresses")
    check.same((message.get_content_type(), message.get_content_charset()), ("text/plain", "utf-8"), "the kind")
    check.demand("TEST" in message["Subject"] + message.get_content(), f"not marked as a test: {taken['text']}")
    check.demand(message["Date"].datetime is not None and message["Message-ID"], f"no date or id: {taken['text']}")
    check.same([str(defect) for defect in message.defects], [], "what Python's email says is wrong")
    check.same(server.rest(), "", "messages besides")
    return check.say("aiosmtpd took a notice by STARTTLS, and none with a wrong password or certificate")


def run(check, options):
    if subprocess.run(["openssl", "version"], capture_output=True, check=False).returncode != 0:
        raise Skipped("openssl is missing: apt install openssl")
    count = pages(check)
    conflict(check)
    PACKAGES.demand()
    mail(check)
    return f"{count} configurations of the pages are right"
