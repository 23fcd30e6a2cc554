"""The page Update of a station in the guest, by the requests that the page makes: upload, refusal, progress, restart, good."""

import http.cookiejar
import json
import os
import subprocess
import time
import urllib.error
import urllib.request

from . import bench as shared
from .bench import LabFailed
from .update_files import FAT_FIRST

PIECE = 1 << 20
PERSON = {"name": "anna", "email": "anna@example.org", "password": "seven-Kettles-hum"}
REFUSAL_SECONDS, WRITE_SECONDS, RESTART_SECONDS, CONFIRM_SECONDS = 60, 900, 900, 780


class Page:
    """A browser's part: the session's cookie, the same origin, bodies of the page's types."""

    def __init__(self, port):
        self.address = f"http://127.0.0.1:{port}"
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))

    def ask(self, method, path, body=None):
        """Status and content."""
        kind = "application/octet-stream" if isinstance(body, bytes) else "application/json"
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        heads = {"Accept": "application/json", "Origin": self.address, "If-Match": "*", **({"Content-Type": kind} if data else {})}
        request = urllib.request.Request(f"{self.address}/api/v1{path}", data, heads, method=method)
        try:
            with self.opener.open(request, timeout=60) as answer:
                return answer.status, json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read() or b"null")

    def view(self):
        """What the page shows; None while the station is not there."""
        try:
            status, view = self.ask("GET", "/update")
        except OSError:
            return None
        if status != 200:
            raise LabFailed(f"GET /api/v1/update: {status} {view}")
        return view

    def upload(self, path):
        size = os.path.getsize(path)
        with open(path, "rb") as file:
            for at in range(0, size, PIECE):
                status, said = self.ask("POST", f"/update/file?at={at}", file.read(PIECE))
                if status != 200:
                    raise LabFailed(f"the piece at {at}: {status} {said}")
        status, said = self.ask("POST", "/update", {"bytes": size})
        if status != 200:
            raise LabFailed(f"POST /api/v1/update: {status} {said}")


def page(station, _):
    bench = station.bench
    port, one = shared.free_port(), station.another("page")  # A new card: nobody's yet.
    try:
        one.start(web=port)
        walk(bench, one, Page(port))
    finally:
        one.stop()
    bench.close(one.card)


def walk(bench, station, browser):
    check = bench.check
    status, said = browser.ask("POST", "/claim", PERSON)
    if not check.demand(status in (200, 201, 204), f"page: the claim: {status} {said}"):
        return
    view = browser.view()
    check.demand(view["isImage"] and not view["isBusy"] and view["slot"] == 2 and view["keys"], f"page: at first {view}")
    check.same(browser.ask("POST", "/update/file?at=1048576", b"x")[0], 409, "page: a piece at a wrong place")
    refuse(bench, browser, take(station, "wrong-key"))
    take_it(bench, station, browser, take(station, "good"))


def take(station, name):
    """A file of the stick, on this computer."""
    path = station.bench.check.path(f"{name}.update")
    subprocess.run(["mcopy", "-n", "-i", f"{station.stick.path}@@{FAT_FIRST}", f"::{name}.update", path], check=True,
                   env={**os.environ, "MTOOLS_SKIP_CHECK": "1"})
    return path


def refuse(bench, browser, path):
    began = time.monotonic()
    browser.upload(path)
    bench.figure("page: upload", f"{os.path.getsize(path) / 1e6:.0f} MB in {time.monotonic() - began:.0f} s")
    end = time.monotonic() + REFUSAL_SECONDS
    while (view := browser.view())["isBusy"] and time.monotonic() < end:
        time.sleep(1)
    last = view.get("last") or {}
    bench.check.same((view["isBusy"], last.get("state"), last.get("code")), (False, "refused", "untrusted"), "page: a file of another key")
    bench.check.demand("this station trusts" in last.get("why", ""), f"page: the refusal says {last.get('why')!r}")


def take_it(bench, station, browser, path):
    check, machine, root = bench.check, station.machine, station.good_slot()
    before = shared.values(machine)
    browser.upload(path)
    began, percents = time.monotonic(), []
    while time.monotonic() - began < WRITE_SECONDS:
        view = browser.view()
        if view is None or not view["isBusy"]:
            break
        last = view.get("last") or {}
        if last.get("state") == "writing":
            percents.append(last.get("percent") or 0)
        time.sleep(1)
    shown = sorted(set(percents))
    bench.figure("page: percents shown while it was written", f"{len(shown)}, from {shown[:1]} to {shown[-1:]}, "
                 f"in {time.monotonic() - began:.0f} s")
    check.demand(len(shown) > 5 and percents == sorted(percents), f"page: the progress shown is {percents}")
    machine.wait_for_boot(RESTART_SECONDS)  # The service restarts the board.
    check.demand(station.slot() != root, f"page: the update is not tried: root {root} runs")
    began, view = time.monotonic(), None
    while time.monotonic() - began < CONFIRM_SECONDS:
        view = browser.view()  # With the cookie from before the restart.
        if view and (view.get("last") or {}).get("state") == "good":
            break
        time.sleep(5)
    last = (view or {}).get("last") or {}
    check.same((last.get("state"), (view or {}).get("slot")), ("good", 5 - int(root)), f"page: what it shows at last ({last})")
    bench.figure("page: shown as good, after the new root was up", f"{time.monotonic() - began:.0f} s")
    left = machine.run("ls /var/lib/roost-web/update /run/roost-web 2>/dev/null", check=False)[1]
    check.demand("new.update" not in left and "update-wanted" not in left, f"page: left behind: {left}")
    check.demand(shared.values(machine) >= before - shared.WINDOW, "page: the values are gone")
