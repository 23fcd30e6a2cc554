"""Each GET of roost-web: before a running station for an owner, a viewer and a stranger, and over planted stores to the digit.

The list of routes is the server's own description (/api/v1/openapi.json), and what the sources name besides.
"""

import glob
import json
import os
import re
import urllib.parse
from datetime import datetime, timezone

from ..check import ROOT
from .cards import lines_of, values_of
from .moments import steady

WHO = ("owner", "viewer", None)
PLAIN = {"date", "content-length", "connection", "server", "set-cookie", "keep-alive"}
# Each answer has these; get/pages has their values.
SECURE = {"content-security-policy", "cross-origin-opener-policy", "cross-origin-resource-policy", "permissions-policy",
          "referrer-policy", "x-content-type-options"}
# Pages of the dashboard are one file; these addresses have no route of their own in the description.
PAGES = ["/", "/history", "/events", "/devices", "/more", "/measurements", "/proof", "/health", "/numbers", "/surveys", "/settings",
         "/account", "/claim", "/login", "/trust", "/alerts", "/outbox", "/sites", "/backup", "/update", "/network", "/records", "/live", "/camera", "/dose", "/start"]
OTHERS = ["/map", "/map/leaflet.js", "/ca.pem", "/ca.mobileconfig", "/.well-known/security.txt", "/sw.js", "/manifest.webmanifest",
          "/favicon.ico", "/healthz", "/now.txt", "/metrics", "/a/0/app.css", "/nowhere",
          "/compat/alert?client=net", "/compat/files/hourly", "/compat/files/hourly/absent.csv", "/compat/semicolon",
          "/compat/history?start=23/05/2020&end=27/05/2020", "/data.json"]
# Debian's script, as far as its package is there; scripts/check browser --only first reads its codes.
UNASKED = {"/qrcode.js"}
# A path for each route whose template is no path, or that says more with a query.
EXAMPLES = {
    "/explain/{quantity}": "/explain/pm25", "/clusters/{quantity}": "/clusters/pm25?last=1h",
    "/gaps/{device}/{quantity}/{time}": "/gaps/dust/pm25/2020-01-01T00:00:00Z",
    "/series": "/series?channel=dust/pm25&last=1h&points=5", "/means": "/means?channel=dust/pm25&by=hour&last=1d",
    "/ledger": "/ledger?channel=dust/pm25", "/readings": "/readings?channel=dust/pm25&limit=5",
    "/export": "/export?format=csv&channel=dust/pm25", "/files/{type}": "/files/hourly",
    "/files/{type}/{name}": "/files/hourly/absent.csv", "/copies/{id}": "/copies/0",
    "/dose": "/dose?channel=dust/pm25", "/events": "/events?kind=muted", "/outbox/fates": "/outbox/fates?time={now}",
    "/records/{number}/picture": "/records/{picture}/picture", "/outbox/{id}/entry": "/outbox/influx/entry",
    "/camera/settings/picture": "/camera/settings/picture?trial=1",
}
STREAMS = {"/live", "/camera/live"}  # Followed by streams.py.


def file_name(path):
    """The name of a golden: the path without what a query says."""
    return re.sub(r"[^A-Za-z0-9.-]+", "-", path.split("?")[0].strip("/")).strip("-") or "root"


def from_sources():
    """GET routes that the sources spell out, besides the description's."""
    found = set()
    for place in glob.glob(os.path.join(ROOT, "Sources", "**", "*.swift"), recursive=True):
        with open(place, encoding="utf-8") as file:
            found.update(re.findall(r'Route\(\.get, "(/[^"]*)"', file.read()))
    return {path for path in found if not path.startswith("/api/v1/")}


def uncovered():
    """Routes of the sources that no path here asks."""
    asked = [path.split("?")[0] for path in PAGES + OTHERS]

    def fits(route):
        pattern = re.compile(re.sub(r"\\\{[^}]*\\\}", ".+", re.escape(route)) + r"\Z")
        return any(pattern.match(path) for path in asked)
    return sorted(route for route in from_sources() - UNASKED if not fits(route))


def head(status, headers):
    """What a client goes by: the type, how long it may be kept, and which other headers there are."""
    names = {name.lower() for name in headers} - PLAIN
    more = sorted(names - SECURE - {"content-type", "cache-control"}) + [f"no {name}" for name in sorted(SECURE - names)]
    return " · ".join([str(status), str(headers.get("content-type")), str(headers.get("cache-control")), *more])


def body_of(check, headers, body, path):
    """The lines of a body by its type; pages, scripts and pictures by their type alone."""
    kind = (headers.get("content-type") or "").split(";")[0]
    text = body.decode(errors="replace")
    if kind.endswith("json") and text:
        if kind == "application/problem+json":
            answer = json.loads(text)
            return [f"{answer['type']}: {re.sub(r'[0-9]+', '#', answer['detail'])}"]
        if path.endswith("openapi.json"):
            return []  # See contract.
        lines = steady(text)
        return [line for line in lines if line.count(".") < 3] if path.endswith("diagnostics") else lines
    if path.startswith("/metrics"):
        lines = (line for line in text.splitlines() if "roost_outbox_oldest_waiting_seconds" not in line)  # While one waits.
        return sorted({re.sub(r'="[^"]*"', '="*"', line.rsplit(" ", 1)[0]) if not line.startswith("#") else line
                       for line in lines})
    if kind == "text/csv":
        return [f"| {line}" for line in text.splitlines()[:1]]
    if kind == "text/plain" and path != "/now.txt":
        return [f"| {re.sub(r'[0-9]+', '#', line)}" for line in text.splitlines()[:12]]
    return []


def described(web):
    """The GET routes of the description, each with its role and sentence."""
    description = json.loads(web.ask("/api/v1/openapi.json")[2])
    return {path: entry["get"] for path, entry in description["paths"].items() if "get" in entry}, description


def contract(description):
    """The whole API in a line a route: method, role, keys of the query, sentence."""
    found = []
    for path, entry in sorted(description["paths"].items()):
        for method, one in sorted(entry.items()):
            keys = " ".join(key["name"] for key in one.get("parameters", []) if key["in"] == "query")
            keys = " ".join(key["name"] for key in one.get("parameters", [])) if not keys else keys
            doors = " ".join(sorted(name for scheme in one.get("security", []) for name in scheme))
            found.append(f"{method.upper()} {path} · {one.get('x-role', 'anyone')} · {doors or '–'} · {keys or '–'} · "
                         f"{one['operationId']} · {one.get('summary')}")
    return found


def look(check, web, path):
    """One address, for each kind of visitor; bodies that are the same stand once."""
    found, bodies = [], {}
    for who in WHO:
        status, headers, body = web.ask(path, who)
        lines = body_of(check, headers, body, path)
        problem = f" · {lines.pop()}" if status >= 400 and len(lines) == 1 else ""
        found.append(f"{who or 'stranger'}: {head(status, headers)}{problem}")
        bodies.setdefault("\n".join(lines), []).append(who or "stranger")
    for text, people in bodies.items():
        if text:
            found += ["", f"body for {', '.join(people)}", *text.split("\n")]
    return found


def live(stage, goldens):
    """All routes before a running station; how many there are."""
    web, check = stage.web, stage.check
    routes, description = described(web)
    goldens.look("get/api", contract(description))
    count = 0
    for template in sorted(set(routes) - STREAMS):
        path = EXAMPLES.get(template, template)
        if not check.demand("{" not in path or path != template, f"GET {template} has no example in Tests/system/net/routes.py"):
            continue
        path = "/api/v1" + path.format(now=urllib.parse.quote(stage.began), picture=stage.picture())
        goldens.look(f"get/api-{file_name(template)}", [f"GET /api/v1{template}", *look(check, web, path)])
        count += 1
    for path in OTHERS:
        goldens.look(f"get/{file_name(path)}", [f"GET {path}", *look(check, web, path)])
    lines = [f"{path}: {head(*web.ask(path)[:2])}" for path in PAGES]
    goldens.look("get/pages", [*lines, "", *security(web)])
    for route in uncovered():
        check.demand(False, f"GET {route}: no golden: ask it in Tests/system/net/routes.py, then scripts/check net --update")
    return count + len(OTHERS) + len(PAGES)


def security(web):
    """Headers that every page has, with their values."""
    _, headers, _ = web.ask("/")
    names = {name.lower() for name in headers} - PLAIN - {"etag", "content-type", "cache-control"}
    return [f"{name}: {headers[name]}" for name in sorted(names)]


RANGE = "from=2026-01-01T00:00:00Z&to=2026-01-01T03:00:00Z"
WEEK = "from=2026-04-01T00:00:00Z&to=2026-04-09T00:00:00Z"
# What is asked of a card, to the digit: `{c}` is a channel of it, `{r}` all of its time.
CARD = [
    "/station", "/channels", "/explain/{q}", "/series?channel={c}&points=5&{r}", "/means?channel={c}&by=hour&zone=UTC&{r}",
    "/ledger?channel={c}&{r}", "/events?limit=20&{r}", "/readings?channel={c}&limit=20&{r}",
    "/proof", "/export?format=csv&channel={c}&{r}", "/export?format=ndjson&channel={c}&{r}", "/export?format=json&channel={c}&{r}",
    "/files/hourly?{r}", "/files/daily?{r}", "/notes?{r}", "/surveys", "/dose?channel={c}&{r}", "/sites?{r}", "/clusters/{q}?{r}",
    "/devices", "/health", "/tree", "/settings", "/me",
]
# What only a drive has, and what only a card with each cause has.
DRIVE = ["/channels", "/dose?channel={c}&{r}", "/clusters/{q}?{r}", "/surveys", "/events?limit=20&{r}", "/explain/{q}"]
CAUSES = ["/channels", "/ledger?channel={c}&{r}", "/proof", "/means?channel={c}&by=day&zone=UTC&{r}"]


def gaps(web, channel):
    """The middle of the longest stretch of each cause."""
    answer = json.loads(web.ask(f"/api/v1/ledger?channel={channel}&{WEEK}")[2])
    longest = {}
    for first, last, cause in answer["items"][0]["stretches"]:
        if cause not in longest or last - first > longest[cause][1] - longest[cause][0]:
            longest[cause] = first, last
    return sorted(longest.items())


def card(check, web, channel, span, paths):
    """What a card without a station says to each of these; one list of lines."""
    found = []
    quantity = channel.split("/")[1]
    for one in paths:
        path = one.format(c=channel, q=quantity, r=span)
        status, headers, body = web.ask("/api/v1" + path)
        body = re.sub(rb'("generation":)"[^"]*"', rb'\1"of this process"', body)
        kind = (headers.get("content-type") or "").split(";")[0]
        lines = values_of(check, body.decode(), 12) if kind in ("application/json", "application/x-ndjson") \
            else body_of(check, headers, body, path) if kind == "application/problem+json" \
            else lines_of(check, body.decode())[:6]
        found += [f"GET {path}", f"{status} {kind}", *lines, ""]
    return found


def causes(check, web):
    """Why there is no value, for each cause that the planted card has."""
    found = []
    for cause, (first, last) in gaps(web, "dust/pm25"):
        at = datetime.fromtimestamp((first + last) / 2, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        _, _, body = web.ask(f"/api/v1/gaps/dust/pm25/{at}?zone=UTC")
        if not found:
            found += [f"the gap at {at}", *values_of(check, body.decode(), 30), ""]
        answer = json.loads(body)
        found += [f"{cause}: {answer['name']} · {'' if answer['isLoss'] else 'no '}loss · {answer['sentence']} · {answer.get('nextStep', '')}"]
    return found
