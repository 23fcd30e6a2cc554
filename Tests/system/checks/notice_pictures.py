"""A motion becomes a notice with its picture: by mail to aiosmtpd, and to servers that answer as ntfy and Telegram do.

A node with simulated pins sees visitors, roost-eyes takes a picture of each by a script, roost-courier sends what the rule
`motion` raises. Each receiver gets the picture of that motion, byte for byte; one without `"pictures": true` gets none, one
whose server refuses files gets the notice alone, and without a picture the notice goes all the same; each says why.
"""

import email
import email.policy
import email.header
import http.server
import json
import os
import select
import subprocess
import types
import threading

from .. import live_program, standin
from ..check import Failed, Skipped, until
from ..courier import Courier, Server
from ..station import Part, end, kill
from .targets import PACKAGES, PASSWORD, MailServer

PRODUCTS = ("roost", "roost-eyes", "roost-courier")
NEEDS = "openssl, the network once"
TAKE = """#!/bin/sh
n=$(cat {count} 2>/dev/null || echo 0); n=$((n + 1)); echo $n >{count}
exec {python} -c 'import sys; sys.path.insert(0, "{tests}"); from system import live_program as p; \\
sys.stdout.buffer.write(p.jpeg('$n', 20000))'
"""


class Node:
    """A station that sees a visitor each few seconds, with its camera."""

    def __init__(self, check):
        self.check, self.folder = check, check.path("node")
        os.makedirs(self.folder)
        self.socket, self.ring = (os.path.join(self.folder, name) for name in ("socket", "pictures"))
        part = Part(check, "sds011", link=check.path("dust"))
        config = os.path.join(self.folder, "roost.json")
        with open(config, "w", encoding="utf-8") as file:
            json.dump({"name": "gate", "detect": False, "mode": "live", "socket": self.socket, "alerts": {"use": ["motion"]},
                       "devices": [{"name": "dust", "type": "sds011", "port": part.place},
                                   {"name": "door", "type": "pir", "line": "GPIO17", "settleSeconds": 15, "blockSeconds": 1}],
                       "store": {"folder": os.path.join(self.folder, "store"), "megabytes": 8}}, file)
        take = os.path.join(self.folder, "take")
        with open(take, "w", encoding="utf-8") as file:
            file.write(TAKE.format(count=os.path.join(self.folder, "count"), python="/usr/bin/env python3",
                                   tests=os.path.dirname(os.path.dirname(live_program.__file__))))
        os.chmod(take, 0o755)
        eyes = os.path.join(self.folder, "eyes.json")
        with open(eyes, "w", encoding="utf-8") as file:
            json.dump({"command": [take], "ring": self.ring, "megabytes": 4, "pictures": 60}, file)
        with open(check.path("node.log"), "ab") as log:
            self.node = subprocess.Popen([check.program("roost"), "demo-node", "--config", config, "--seed", "7"],
                                         stdin=subprocess.PIPE, stdout=log, stderr=log)
            self.eyes = subprocess.Popen([check.program("roost-eyes"), "run", "--config", eyes, "--socket", self.socket,
                                          "--control", os.path.join(self.folder, "eyes.sock")], stderr=log)
        check.ends(self)
        if not until(lambda: check.roost("clock", "trust", "--socket", self.socket).returncode == 0, 30):
            raise Failed("the node with simulated pins does not answer")

    def picture(self, name):
        """The ring's picture of that name."""
        done = subprocess.run([self.check.program("roost"), "records", "list", "--json", "--ring", self.ring],
                              capture_output=True, text=True, check=False)
        for line in map(json.loads, done.stdout.splitlines()):
            if line["name"] == name:
                return subprocess.run([self.check.program("roost"), "records", "get", str(line["number"]), "--output", "-",
                                       "--ring", self.ring], capture_output=True, check=True).stdout
        return None

    def close(self):
        kill(self.eyes)
        self.node.stdin.close()
        end(self.node)


class Services(http.server.BaseHTTPRequestHandler):
    """ntfy's and Telegram's answers, as their documents have them."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def take(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        owner = self.server.owner
        owner.taken.append((self.command, self.path, self.headers, body))
        if self.command == "PUT" and owner.refuses:
            return self.answer(400, {"code": 40014, "http": 400, "error": "invalid request: attachments not allowed"})
        if self.path.startswith("/bot"):
            return self.answer(200, {"ok": True, "result": {"message_id": 1}})
        topic = self.path.strip("/") or json.loads(body)["topic"]
        return self.answer(200, {"id": "m1", "event": "message", "topic": topic})

    do_POST = do_PUT = take

    def answer(self, status, content):
        text = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


class ServiceServer:
    def __init__(self, check, refuses=False):
        self.taken, self.refuses = [], refuses
        self.server = Server(("127.0.0.1", 0), Services)
        self.server.owner, self.port = self, self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        check.ends(self)

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def receiver(name, kind, server, **words):
    return {"id": name, "type": kind, "url": f"http://127.0.0.1:{server.port}", "local": True, "everySeconds": 60, "waitSeconds": 1,
            "resolved": False, **words}


def of_mail(check, node, courier, mail):
    if not until(lambda: select.select([mail.process.stdout], [], [], 0)[0], 40):
        raise Failed(f"no mail: {courier.report().get('receivers')}")
    message = email.message_from_string(mail.message()["text"], policy=email.policy.default)
    check.same([str(defect) for defect in message.defects], [], "what Python's email says is wrong")
    check.same((message.get_content_type(), message["Subject"].startswith("Motion: ")), ("multipart/mixed", True), "the mail")
    parts = list(message.iter_attachments())
    check.same([part.get_content_type() for part in parts], ["image/jpeg"], "attachments")
    name = parts[0].get_filename()
    check.same(parts[0].get_content(), node.picture(name), f"the picture {name} of the mail")
    check.demand("motion:door" in message.get_body().get_content(), "the text of the mail")


def of_services(check, node, ntfy, telegram, small, plain):
    found = until(lambda: ntfy.taken and telegram.taken and len(small.taken) > 1 and plain.taken, 60)
    if not check.demand(found, f"notices: {[len(one.taken) for one in (ntfy, telegram, small, plain)]}"):
        return
    command, path, headers, body = ntfy.taken[0]
    check.same((command, path), ("PUT", "/door-9"), "ntfy's request")
    title = str(email.header.make_header(email.header.decode_header(headers["Title"])))
    check.same((title, body), ("Motion", node.picture(headers["Filename"])), "ntfy's picture")
    command, path, headers, body = telegram.taken[0]
    check.same((command, path), ("POST", "/bot7:AB/sendPhoto"), "Telegram's request")
    form = email.message_from_bytes(b"Content-Type: " + headers["Content-Type"].encode() + b"\r\n\r\n" + body,
                                    policy=email.policy.HTTP)
    parts = {part.get_param("name", header="content-disposition"): part for part in form.iter_parts()}
    check.same(sorted(parts), ["caption", "chat_id", "disable_notification", "photo"], "fields of Telegram's form")
    check.same(parts["photo"].get_payload(decode=True), node.picture(parts["photo"].get_filename()), "Telegram's picture")
    check.same([each[0] for each in small.taken[:2]], ["PUT", "POST"], "a server that takes no files")
    check.demand("No picture: the receiver did not take it" in json.loads(small.taken[1][3])["message"],
                 f"what it gets instead: {small.taken[1][3]}")
    text = json.loads(plain.taken[0][3])
    check.same((plain.taken[0][0], "picture" in text["message"].lower()), ("POST", False), "a receiver without pictures")


def run(check, options):
    if subprocess.run(["openssl", "version"], capture_output=True, check=False).returncode != 0:
        raise Skipped("openssl is missing: apt install openssl")
    PACKAGES.demand()
    mail = MailServer(check)
    ntfy, telegram, small, plain, dark = (ServiceServer(check, refuses=index == 2) for index in range(5))
    node = Node(check)
    topic = {"secret": "topic"}
    letter = {"id": "mail", "type": "smtp", "url": f"smtp://localhost:{mail.port}", "from": "roost@example.org", "to": ["ann@example.org"],
              "user": "roost", "password": {"secret": "smtp"}, "trust": mail.certificate, "local": True, "waitSeconds": 1, "pictures": True}
    courier = Courier(check, node, receivers=[
        letter, receiver("ntfy", "ntfy", ntfy, topic=topic, pictures=True),
        receiver("telegram", "telegram", telegram, token={"secret": "bot"}, chat="-100", pictures=True),
        receiver("small", "ntfy", small, topic=topic, pictures=True), receiver("plain", "ntfy", plain, topic=topic)])
    courier.words = ("--pictures", node.ring)
    courier.environment = {"LD_PRELOAD": standin.preload("clock")}  # A mail needs the date of a time server.
    # Another one that finds no camera.
    folder = check.path("other")
    os.makedirs(folder)
    blind = Courier(check, types.SimpleNamespace(folder=folder, socket=node.socket),
                    receivers=[receiver("blind", "ntfy", dark, topic=topic, pictures=True, language="it")])
    blind.words = ("--pictures", os.path.join(folder, "none"))
    for each in (courier, blind):
        for name, text in (("smtp", PASSWORD), ("topic", "door-9"), ("bot", "7:AB")):
            each.secret(name, text)
        each.start()
    of_services(check, node, ntfy, telegram, small, plain)
    of_mail(check, node, courier, mail)
    check.demand(until(lambda: dark.taken, 30), f"no notice without a camera: {blind.report()}")
    words = [json.loads(each[3])["message"] for each in dark.taken]
    check.demand(words and "Nessuna foto: nessuna telecamera" in words[0], f"without a camera: {words}")
    return "a motion's picture by mail, ntfy and Telegram; a notice without one says why"
