"""A station given away: by the page what the owner has left goes and what was measured stays, in a shell both go."""

import json
import urllib.error
import urllib.request

from . import bench as shared
from ..check import until
from .bench import LabFailed, board

BOOT_SECONDS = 900
PERSON = {"name": "anna", "email": "anna@example.org", "password": "seven-Kettles-hum"}
TITLE = "Anna's balcony"
STATION = "name=attic\ncountry=DE\nwifi=My network\nwifi-password=my password\n"
LEFT = ("/etc/wpa_supplicant/wpa_supplicant-wlan0.conf", "/var/lib/roost/settings.json", "/etc/roost/secrets/influx",
        "/etc/roost/courier.json", "/var/lib/roost-eyes/settings.json")


class Page:
    """The owner's requests, with the cookie of a login."""

    def __init__(self, port):
        self.site, self.cookie = f"http://127.0.0.1:{port}", None
        self.ask("POST", "login", {"email": PERSON["email"], "password": PERSON["password"]})

    def ask(self, method, path, body):
        heads = {"Content-Type": "application/json", "Origin": self.site, "If-Match": "*", **({"Cookie": self.cookie} if self.cookie else {})}
        request = urllib.request.Request(f"{self.site}/api/v1/{path}", json.dumps(body).encode(), heads, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                self.cookie = (answer.headers.get("Set-Cookie") or self.cookie or "").split(";")[0]
                return answer.status
        except urllib.error.HTTPError as error:
            raise LabFailed(f"{method} {path}: {error.code} {error.read().decode(errors='replace')}") from None


def reset(bench):
    """A claimed station with a Wi-Fi, a title, a secret and readings is reset by its page, then in a shell."""
    card, port, demand = bench.card("reset"), shared.free_port(), bench.check.demand
    board.write_boot(card, "station.txt", STATION)
    with bench.board("reset", card, web=port, wait=0) as machine:
        shared.wait_for_page(machine, port, BOOT_SECONDS)
        machine.wait_for_boot(BOOT_SECONDS)
        fill(bench, machine, port)
        demand(Page(port).ask("POST", "reset", {"password": PERSON["password"], "history": False}) in (200, 204), "the reset is refused")
        bench.figure("reset: by the page, until its restart is done", f"{machine.wait_for_boot(BOOT_SECONDS):.0f} s")
        gone(bench, machine, port, "by the page")
        demand(until(lambda: shared.values(machine) > 0, 120, 2), "by the page: what was measured is gone")
        machine.run("systemd-run --quiet roost reset --yes --history")
        machine.wait_for_boot(BOOT_SECONDS)
        gone(bench, machine, port, "in a shell")
        bench.check.same(shared.values(machine), 0, "in a shell: readings")
    bench.close(card)


def fill(bench, machine, port):
    """What an owner leaves in a station."""
    if not until(lambda: shared.ask(port, "claim").get("isOpen"), 120, 2):
        raise LabFailed("a new station cannot be claimed")
    shared.claim(port, PERSON)
    page = Page(port)
    page.ask("PATCH", "settings", {"title": TITLE})
    machine.run("mkdir -p /etc/roost/secrets; printf secret >/etc/roost/secrets/influx; echo '{ \"targets\": [] }' >/etc/roost/courier.json")
    machine.run("roost camera set record false", 120)
    began = machine.seconds()
    bench.plug(machine, bench.sensor())
    shared.wait_for_value(machine, began + 600)
    for path in LEFT:
        bench.check.demand(machine.run(f"ls {path}", check=False)[0] == 0, f"a station in use has no {path}")


def gone(bench, machine, port, where):
    """Nothing of the owner is left, and the station takes a new one."""
    demand = bench.check.demand
    claim = until(lambda: shared.ask(port, "claim") if shared.page(port) else None, 300, 2)
    demand(bool(claim), f"{where}: no page after the reset")
    demand(until(lambda: shared.ask(port, "claim").get("isOpen"), 120, 2), f"{where}: the station takes no new owner: {claim}")
    for path in LEFT:
        demand(machine.run(f"grep -s . {path}", check=False)[0] != 0, f"{where}: {path} is left")
    demand(TITLE not in json.dumps(machine.ask_roost("status")), f"{where}: the title is left")
    failed = machine.run("systemctl --failed --no-legend --plain").strip()
    demand(not failed, f"{where}: failed units: {failed}")
    said = machine.run("cat /boot/firmware/roost-said.txt 2>/dev/null; cat /boot/firmware/station.txt", check=False)[1]
    demand("my password" not in said, f"{where}: a password on the card: {said}")
