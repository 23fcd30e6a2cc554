"""Services whose values a courier fetches, as servers of a check: data.gov.sg, ARPA Lombardia."""

import datetime
import http.server
import json
import re
import threading
import urllib.parse

from ..courier import Server

REGIONS = {"west": 5, "east": 25, "central": 6, "south": 14, "north": 7}
# What is national has 0, 0 there.
PLACES = {"west": (1.35735, 103.7), "east": (1.35735, 103.94), "central": (1.35735, 103.82), "south": (1.29587, 103.82),
          "north": (1.41803, 103.82), "national": (0, 0)}
REGISTRY = [{"idsensore": "10273", "nometiposensore": "PM10 (SM2005)", "unitamisura": "µg/m³", "idstazione": "705",
             "nomestazione": "Milano Pascal", "lat": "45.4785", "lng": "9.2316"}]
# Of sensor 10273, by hour of the day before; the other hours have no validated value.
LOMBARDY = {3: "21.5", 22: "23.5"}
ZONE = datetime.timezone(datetime.timedelta(hours=8))
SOLAR = datetime.timezone(datetime.timedelta(hours=1))  # Lombardy's, in summer, too.


class Answers(http.server.BaseHTTPRequestHandler):
    """Answers as the owner's mood says."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.server.owner.answer(self)

    def say(self, status, body, kind="application/json"):
        text = body if isinstance(body, str) else json.dumps(body)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())


class AirServices:
    """Both services at one port; `mood` is well, busy, page or gone, `shift` is added to each value.

    `is_old` has data.gov.sg answer in its first shape (v1). `given` has the hours of Singapore that were answered.
    `is_current` has Lombardy answer up to the hour before, and validate that one.
    """

    def __init__(self, check):
        self.mood, self.shift, self.paths, self.is_old = "well", 0, [], False
        self.is_current = False
        self.given = set()
        self.server = Server(("127.0.0.1", 0), Answers)
        self.server.owner, self.port = self, self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        check.ends(self)

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    def answer(self, request):
        self.paths.append(request.path)
        place = urllib.parse.urlsplit(request.path)
        query = urllib.parse.parse_qs(place.query)
        if self.mood == "page":
            request.say(200, "<html>Log in to the hotel</html>", "text/html")
        elif self.mood == "busy":
            request.say(200, {"code": 24, "name": "TOO_MANY_REQUESTS", "errorMsg": "API rate limit exceeded"})
        elif self.mood == "gone":
            request.say(503, {"error": "later"})
        elif place.path.startswith("/v2/real-time/api/"):
            request.say(200, self.singapore(place.path.rsplit("/", 1)[-1], query["date"][0]))
        elif place.path.startswith("/resource/ib47-atvt"):
            request.say(200, REGISTRY)
        else:
            request.say(200, self.lombardy(query))

    def singapore(self, data, date):
        """The hours of a day up to now, oldest first."""
        now = datetime.datetime.now(ZONE)
        hour = datetime.datetime.fromisoformat(date).replace(tzinfo=ZONE)
        items = []
        while hour.date().isoformat() == date and hour <= now:
            self.given.add(hour)
            values = {region: value + hour.hour + self.shift for region, value in REGIONS.items()}
            if data == "psi":
                whole = {**values, "national": 60}
                if hour + datetime.timedelta(hours=1) > now:
                    # The east's index of this hour is not there yet: left out in the first shape, -1 in the second.
                    whole = {name: value for name, value in whole.items() if name != "east"} if self.is_old else {**whole, "east": -1}
                readings = {"psi_twenty_four_hourly": whole, "pm10_sub_index": values}
            else:
                readings = {"pm25_one_hourly": values}
            items.append({"date": date, "timestamp": hour.isoformat(), "readings": readings})
            hour += datetime.timedelta(hours=1)
        regions = [{"name": name, "labelLocation": {"latitude": north, "longitude": east}}
                   for name, (north, east) in PLACES.items()]
        if self.is_old:
            places = [{"name": one["name"], "label_location": one["labelLocation"]} for one in regions]
            return {"region_metadata": places, "items": items, "api_info": {"status": "healthy"}}
        return {"code": 0, "errorMsg": "", "data": {"regionMetadata": regions, "items": items}}

    def lombardy(self, query):
        """Hours of the sensors that are asked for, in pages: up to yesterday's end, two of them validated."""
        where = query["$where"][0]
        ids = sorted(re.findall(r"'(\d+)'", where.split(" and ")[0]))
        hour = datetime.datetime.fromisoformat(re.search(r"data >= '([^']+)'", where).group(1))
        now = datetime.datetime.now(SOLAR).replace(tzinfo=None, minute=0, second=0, microsecond=0)
        yesterday, newest, rows = now.date() - datetime.timedelta(days=1), now - datetime.timedelta(hours=1), []
        while hour <= newest and (self.is_current or hour.date() <= yesterday):
            for one in ids:
                valid = (LOMBARDY if one == "10273" and hour.date() == yesterday else {}).get(hour.hour)
                if self.is_current and hour == newest:
                    valid = "22.5"
                rows.append({"idsensore": one, "data": hour.isoformat(timespec="milliseconds"), "valore": valid or "-9999",
                             "stato": "VA" if valid else "NA"})
            hour += datetime.timedelta(hours=1)
        first = int(query.get("$offset", ["0"])[0])
        return rows[first:first + int(query["$limit"][0])]

    def close(self):
        self.server.shutdown()
        self.server.server_close()
