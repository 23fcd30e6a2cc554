"""The guide's words, done on a card: station.txt as Flash it and First boot print it, the claim, the first reading."""

import os
import re
import subprocess

from . import bench as shared
from ..check import ROOT, until
from .bench import LabFailed, board
from .guide_pages import Pages

BOOT_SECONDS = 900
PERSON = {"name": "anna", "email": "anna@example.org", "password": "seven-Kettle"}  # 12 characters.


def guide(bench):
    """A card with the settings of both pages, from power on to the first reading."""
    check = bench.check
    key, settings = public_key(bench), {**settings_of("flash-it.md"), **settings_of("first-boot.md")}
    check.demand(set(settings) >= {"name", "country", "wifi", "wifi-password", "timezone", "user", "ssh-key"},
                 f"the pages print other settings: {sorted(settings)}")
    settings["ssh-key"] = key
    card, port = bench.card("guide"), shared.free_port()
    board.write_boot(card, "station.txt", "".join(f"{name}={value}\n" for name, value in settings.items()))
    with bench.board("guide", card, web=port, wait=0) as machine:
        bench.figure("guide: power on to the page", f"{shared.wait_for_page(machine, port, BOOT_SECONDS):.0f} s")
        machine.wait_for_boot(BOOT_SECONDS)
        look(check, machine, settings)
        is_open = until(lambda: shared.ask(port, "claim").get("isOpen"), 120, 2)
        check.demand(is_open, "the claim wants a code right after the station was switched on")
        try:
            shared.claim(port, {**PERSON, "password": PERSON["password"][:-1]})
            check.demand(False, "a password of 11 characters is taken")
        except LabFailed as refusal:
            check.demand("12" in str(refusal), f"a short password is refused without its least length: {refusal}")
        pages = Pages(bench, port) if bench.options.pictures else None
        if pages:
            pages.claim(PERSON)
        else:
            check.demand(shared.claim(port, PERSON) in (200, 201, 204), "a password of 12 characters is refused")
        began = machine.seconds()
        bench.plug(machine, bench.sensor())
        shared.wait_for_value(machine, began + 600)
        bench.figure("guide: sensor plugged in to its first reading", f"{machine.seconds() - began:.0f} s")
        if pages:
            pages.first_reading()
    bench.close(card)


def look(check, machine, settings):
    """What the station made of station.txt."""
    user = settings["user"]
    check.same(machine.run("hostname").strip(), settings["name"], "the name")
    check.same(machine.run("readlink -f /etc/localtime").strip(), f"/usr/share/zoneinfo/{settings['timezone']}", "the time zone")
    wireless = machine.run("cat /etc/wpa_supplicant/wpa_supplicant-wlan0.conf")
    check.demand(settings["country"] in wireless, f"the country is not set: {wireless}")
    name = settings["wifi"]
    check.demand(name in wireless or name.encode().hex() in wireless, f"the network is not set: {wireless}")
    text = machine.run("cat /boot/firmware/station.txt")
    check.demand("wifi-password=(taken)" in text and settings["wifi-password"] not in text, f"the password stays on the card: {text}")
    said = machine.run("cat /boot/firmware/roost-said.txt 2>/dev/null || true")
    fine = ("was taken into the station", "The station's own Wi-Fi")
    wrong = [line for line in said.splitlines()[1:] if line and not any(words in line for words in fine)]
    check.same(wrong, [], "what roost-said.txt calls wrong")
    check.demand(settings["ssh-key"].split()[1] in machine.run(f"cat ~{user}/.ssh/authorized_keys"), "the key is not taken")
    machine.run(f"runuser -u {user} -- sudo -n true")
    check.demand(machine.run("ss -Hltn 'sport = :22'").strip(), "SSH does not listen, and a key was given")
    check.same(machine.run("systemctl is-active avahi-daemon").strip(), "active", "avahi-daemon, which answers for the name")
    # Updates: where a stick is mounted by hand.
    machine.run("test -d /mnt && command -v lsblk >/dev/null")


def settings_of(page):
    """Lines `name=value` of the page's station.txt."""
    with open(os.path.join(ROOT, "docs", "guide", page), encoding="utf-8") as file:
        blocks = re.findall(r"^```text\n(name=.*?)^```", file.read(), re.M | re.S)
    if len(blocks) != 1:
        raise LabFailed(f"{page} prints {len(blocks)} files station.txt")
    return dict(line.split("=", 1) for line in blocks[0].splitlines())


def public_key(bench):
    path = bench.check.path("key")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "anna@laptop", "-f", path], check=True)
    with open(f"{path}.pub", encoding="ascii") as file:
        return file.read().strip()
