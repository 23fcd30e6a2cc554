"""A server for drives by the rules of Safecast's own, with moods."""

import email.parser
import email.policy
import hashlib
import http.server
import json
import threading
import time
import urllib.parse

from ..courier import Server


class Imports(http.server.BaseHTTPRequestHandler):
    """Files are unique by their MD5; one is read after a while, and then its status is set, whatever it was."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=None, **fields):
        data = json.dumps(body).encode() if body is not None else b""
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def handle_any(self):
        owner = self.server.owner
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        place = urllib.parse.urlsplit(self.path)
        owner.requests.append((self.command, place.path))
        if urllib.parse.parse_qs(place.query).get("api_key") != [owner.key]:
            return self.answer(401, {"error": "Invalid authentication token."})
        with owner.lock:
            owner.read()
            reply = owner.act(self.command, place.path.strip("/").split("/"), self.headers, body)
        if owner.lost > 0 and self.command != "GET":
            owner.lost -= 1
            self.close_connection = True
            return None
        return self.answer(*reply[:2], **(reply[2] if len(reply) > 2 else {}))

    do_GET = do_POST = do_PATCH = do_PUT = handle_any


class DriveServer:
    """`imports` by their number; `lost` answers of requests that change something get lost."""

    def __init__(self, check, key, reading_seconds=3):
        self.key, self.reading_seconds, self.lost = key, reading_seconds, 0
        self.imports, self.requests, self.lock = {}, [], threading.Lock()
        self.server = Server(("127.0.0.1", 0), Imports)
        self.server.owner, self.port = self, self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        check.ends(self)

    def read(self):
        for made in self.imports.values():
            if made["at"] is not None and time.monotonic() >= made["at"]:
                made["status"], made["at"] = "processed", None

    def act(self, method, parts, headers, body):
        if parts[0] != "bgeigie_imports":
            return 404, {}
        if method == "POST" and len(parts) == 1:
            return self.create(headers, body)
        number = parts[1].removesuffix(".json") if len(parts) > 1 else ""
        made = self.imports.get(int(number)) if number.isdigit() else None
        if made is None:
            return 404, {}
        if method == "GET" and len(parts) == 2:
            return 200, {"id": int(number), "approved": False, "rejected": False, "md5sum": made["md5"],
                         **{key: made[key] for key in ("status", "cities", "credits", "name")}}
        if method == "PATCH" and len(parts) == 2:
            wanted = json.loads(body)["bgeigie_import"]
            if not wanted.get("cities") or not wanted.get("credits"):
                return 422, {"errors": {"cities": ["can't be blank"]}}
            made.update(wanted)
            return 204, None
        if method == "PUT" and parts[2:] == ["submit"]:
            made["status"] = "submitted"
            made["submissions"] += 1
            return 302, None, {"Location": f"http://127.0.0.1:{self.port}/en-US/bgeigie_imports/{number}"}
        return 404, {}

    def create(self, headers, body):
        head = f"Content-Type: {headers['Content-Type']}\r\n\r\n".encode()
        message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + body)
        for part in message.iter_parts():
            if part.get_param("name", header="content-disposition") != "bgeigie_import[source]":
                continue
            data = part.get_payload(decode=True)
            md5 = hashlib.md5(data).hexdigest()
            for number, known in self.imports.items():
                if known["md5"] == md5:
                    words = f"is the same as of Bgeigie Import with the ID: {number}"
                    return 422, {"errors": {"md5sum": [words]}}
            number = 4711 + len(self.imports)
            self.imports[number] = {
                "md5": md5, "data": data, "file": part.get_filename(), "status": "unprocessed", "cities": None,
                "credits": None, "name": None, "submissions": 0, "at": time.monotonic() + self.reading_seconds}
            return 201, {"id": number, "status": "unprocessed", "md5sum": md5}
        return 422, {"errors": {"source": ["can't be blank"]}}

    def close(self):
        self.server.shutdown()
        self.server.server_close()
