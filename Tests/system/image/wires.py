"""Sensors with a wire of their own, chosen on the page: written, restarted, and said when the board does not have them.

QEMU's board has other pins than a Pi, so U-Boot leaves them out here; the case pi3 has a Pi's device tree.
"""

import json

from . import bench as shared
from ..check import until
from .bench import LabFailed
from .reset import BOOT_SECONDS, PERSON, Page

CHOSEN = ["w1-gpio-4", "dht11-17"]


def wires(bench):
    """An owner chooses two, the station restarts without them and says so, and she takes them back."""
    card, port, demand = bench.card("wires", shared.STATION), shared.free_port(), bench.check.demand
    with bench.board("wires", card, web=port, wait=0) as machine:
        shared.wait_for_page(machine, port, BOOT_SECONDS)
        machine.wait_for_boot(BOOT_SECONDS)
        if not until(lambda: shared.ask(port, "claim").get("isOpen"), 120, 2):
            raise LabFailed("a new station cannot be claimed")
        shared.claim(port, PERSON)
        page = Page(port)
        demand(page.ask("PUT", "wires", {"overlays": CHOSEN, "restarts": True}) == 200, "the choice is refused")
        bench.figure("wires: from the choice until the restart is done", f"{machine.wait_for_boot(BOOT_SECONDS):.0f} s")
        bench.check.same(state(machine), {"used": [], "next": CHOSEN}, "what the board has")
        words = f"overlays.txt: the board started without {', '.join(CHOSEN)}"
        for what in ("cat /boot/firmware/roost-said.txt", "roost status", "roost doctor"):
            says = lambda what=what: machine.run(f"{what} 2>&1", 120, check=False)[1]  # noqa: E731
            # The station may still start.
            demand(until(lambda: words in says(), 120, 2), f"{what} does not say '{words}': {says()}")
        if not until(lambda: shared.page(port), 300, 2):
            raise LabFailed("no page after the restart")
        Page(port).ask("PUT", "wires", {"overlays": []})
        demand(until(lambda: state(machine)["next"] == [], 60, 1), f"not taken back: {state(machine)}")
        demand(machine.run("head -n 1 /boot/firmware/overlays.txt").strip() == "overlays=", "overlays.txt still names them")
        demand(machine.run("stat -c %s /boot/firmware/overlays.txt").strip() == "512", "overlays.txt is not one sector")
    bench.close(card)


def state(machine):
    said = json.loads(machine.run("cat /run/roost-wires.json"))
    return {name: said[name] for name in ("used", "next")}
