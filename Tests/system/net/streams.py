"""What follows a station: server-sent events, the followers of the command line, the live picture."""

import json
import re
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

from ..station import end
from .moments import steady

SECONDS = 12  # Until each kind of item came.
ITEMS = {"hello", "reading dust", "reading court", "event", "station", "alert"}  # `beat` comes each quarter of a minute.


def items(stage, wanted, seconds=SECONDS):
    """What stands before the items of /live, and the items by name until each wanted one came."""
    web, found, rest, head = stage.web, {}, b"", None
    deadline = time.monotonic() + seconds
    with socket.create_connection(("127.0.0.1", web.port), timeout=2) as wire:
        wire.sendall(f"GET /api/v1/live HTTP/1.1\r\nHost: 127.0.0.1:{web.port}\r\nCookie: {web.cookies['owner']}\r\n\r\n".encode())
        poke(stage)
        while time.monotonic() < deadline and not wanted <= set(found):
            try:
                piece = wire.recv(65536)
            except TimeoutError:
                continue
            if not piece:
                break
            rest += piece
            if head is None:
                if b"\r\n\r\n" not in rest:
                    continue
                head, rest = rest.split(b"\r\n\r\n", 1)
            *done, rest = rest.split(b"\n\n")
            for text in done:
                collect(found, text.decode(errors="replace"))
    return (head or b"").decode(errors="replace"), found


def collect(found, text):
    """One item, by its name; a reading by its device, too, and none of a note's own kind."""
    fields = dict(re.findall(r"^(id|event|data|retry): (.*)$", text, re.M))
    name, data = fields.get("event"), fields.get("data", "{}")
    if name == "reading":
        name = f"reading {json.loads(data)['channel'].split('/')[0]}"
    if name:
        found.setdefault(name, []).append((" ".join(sorted(fields)), data))


def poke(stage):
    """Has an event of each kind come."""
    stage.node.roost("mode", "normal", status=0)
    stage.node.roost("mode", "live", "--for", "2h", status=0)
    stage.node.roost("alerts", "ack", "2", "--for", "1h", status=0)


def live(stage, goldens):
    """One golden for each kind of item; how many."""
    head, found = items(stage, ITEMS)
    stage.check.demand(ITEMS <= set(found), f"the live stream has only {sorted(found)} after {SECONDS} s")
    kept = [line for line in head.splitlines() if re.match(r"(HTTP|content-type|cache-control)", line, re.I)]
    goldens.look("stream/head", sorted(kept))
    for name in sorted(ITEMS & set(found)):
        fields, data = found[name][0]
        goldens.look(f"stream/{name.replace(' ', '-')}", [f"fields: {fields}", *steady(data, frozenset())])
    return len(ITEMS)


def by_kind(text):
    """The shapes of a stream of lines, by what a line has."""
    kinds = {}
    for line in text.splitlines():
        value = json.loads(line)
        kinds.setdefault(next(iter(value)) if len(value) == 1 else "more", []).append(line)
    return [line for kind, texts in sorted(kinds.items())
            for line in ("", f"lines with {kind}", *steady("\n".join(["[]", *texts]), frozenset()))]


def followers(stage, goldens):
    """`roost live` and `roost watch`."""
    def lines_of(name):
        done = stage.node.roost(name, "--for", "8s", "--json")
        return [f"$ roost {name} --json", f"status {done.returncode}", *by_kind(done.stdout)]

    with ThreadPoolExecutor(2) as pool:
        for name, lines in zip(("live", "watch"), pool.map(lines_of, ("live", "watch"))):
            goldens.look(f"stream/{name}", lines)


def demo(check, goldens):
    """`roost demo`, whose status depends on what a visitor did meanwhile, and a simulator's first line; how many questions."""
    with subprocess.Popen([check.program("roost"), "simulator", "sds011", "--json"], stdout=subprocess.PIPE, text=True) as child:
        line = child.stdout.readline()
        end(child)
    goldens.look("stream/simulator", ["$ roost simulator sds011 --json", *steady(line)])
    done = check.roost("demo", "--for", "12s", "--json")
    goldens.look("stream/demo", ["$ roost demo --json", *by_kind(done.stdout)])
    return 2


def picture(stage, goldens):
    """The first bytes of the live picture, for each kind of visitor."""
    lines = []
    for who in ("owner", "viewer", None):
        status, headers, body = stage.web.ask("/api/v1/camera/live", who, limit=60)
        lines.append(f"{who or 'stranger'}: {status} · {headers.get('content-type')} · {headers.get('cache-control')}")
        if status == 200:
            lines += [f"| {line}" for line in body.split(b"\xff\xd8")[0].decode(errors='replace').splitlines()]
    goldens.look("stream/camera-live", lines)
