"""Sensor.Community's address for values, with the rules of its published code (feinstaub-api, serializers.py)."""

import http.server
import json
import threading

from ..courier import Server


class Pushes(http.server.BaseHTTPRequestHandler):
    """A node with one sensor takes any pin; one with several refuses a pin that is not registered."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_POST(self):
        owner = self.server.owner
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        pin = self.headers.get("X-Pin")
        owner.requests.append((self.path, dict(self.headers), body))
        sensors = owner.nodes.get(self.headers.get("X-Sensor"))
        if sensors is None:
            return self.answer(403, {"detail": "Node not found in database."})
        number = next(iter(sensors.values())) if len(sensors) == 1 else sensors.get(pin)
        if number is None:
            return self.answer(400, ["sensor could not be selected."])
        return self.answer(201, {"sensor": number, "sampling_rate": None, **body})


class SensorCommunity:
    """`nodes` has the sensors of each id by their pin; `requests` holds path, headers and body of each."""

    def __init__(self, check, **nodes):
        self.nodes, self.requests = {name.replace("_", "-"): sensors for name, sensors in nodes.items()}, []
        self.server = Server(("127.0.0.1", 0), Pushes)
        self.server.owner, self.port = self, self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        check.ends(self)

    def values(self):
        """The newest values of each pin."""
        return {headers.get("X-Pin"): {one["value_type"]: one["value"] for one in body["sensordatavalues"]}
                for _, headers, body in list(self.requests)}

    def close(self):
        self.server.shutdown()
        self.server.server_close()
