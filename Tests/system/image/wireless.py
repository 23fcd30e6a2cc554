"""Wi-Fi on the kernel's simulated radios (mac80211_hwsim): the access point of a station without a network, and a router's.

With `--only wrong_password` time passes as fast as the emulated processor is idle, so that a wrong day is short.

The station has the radio wlan0; wlan1 is in a network of its own, as the phone that joins or as the router. busybox
stands there for a phone's DHCP and browser.
"""

import glob
import json
import re
import shlex
import subprocess

from . import bench as shared
from ..check import ROOT
from .bench import LabFailed, board
from .writes import SENSOR, put_sensor

BOOT_SECONDS = 900
POINT = "10.66.0.1"
PERSON = {"name": "anna", "email": "anna@example.org", "password": "seven-Kettles-hum"}
STATION = "name=attic\ncountry=DE\nwifi=My network\nwifi-password=my password\n"
TURNS = 3  # A station once did not join after an access point.
WRONG = "Wi-Fi: 'My network' does not accept the password"
ABSENT = "Wi-Fi: 'My network' is not in range"
BUSYBOX = "/run/busybox"
# What udhcpc runs when it has an address.
BOUND = "#!/bin/sh\n[ \"$1\" != bound ] || ip address add \"$ip/$mask\" dev \"$interface\"\n"
ROUTER = """country=DE
network={
    ssid="My network"
    psk="my password"
    mode=2
    frequency=2437
    key_mgmt=WPA-PSK
    proto=RSN
    pairwise=CCMP
}
"""
LEASES = "interface wlan1\nstart 192.168.77.20\nend 192.168.77.40\noption router 192.168.77.1\noption subnet 255.255.255.0\n" \
         "lease_file /run/leases\npidfile /run/udhcpd.pid\n"


def wireless(bench):
    """Without any network, then with the owner's, which is not there at first."""
    for part in PARTS:
        if not bench.wants(part.__name__):
            continue
        try:
            part(bench)
        except LabFailed as failure:
            bench.check.problems.append(f"{part.__name__}: {failure}")


def radios(machine):
    """Loads the two radios and takes the second one away from the station."""
    machine.run(f"cp /boot/firmware/busybox {BUSYBOX} && chmod 755 {BUSYBOX}")
    machine.run("modprobe mac80211_hwsim radios=2 && udevadm settle && ip netns add other && "
                "iw phy \"$(cat /sys/class/net/wlan1/phy80211/name)\" set netns name other", 120)


def other(machine, command, limit=60, check=True):
    """Runs a command where the second radio is."""
    return machine.run(f"ip netns exec other sh -c {shlex.quote(command)}", limit, check=check)


def card(bench, name):
    path = bench.card(name)
    parts = sorted(glob.glob(f"{ROOT}/.build-image/cache/parts-*/busybox-static_*.deb"))
    board.write_boot(path, "busybox", subprocess.run(
        f"dpkg-deb --fsys-tarfile '{parts[-1]}' | tar -xO ./usr/bin/busybox", shell=True, check=True, stdout=subprocess.PIPE).stdout)
    return path


def wait_for_point(bench, machine):
    """Seconds until the access point is there, and its name."""
    began = machine.seconds()
    machine.wait("[ -e /run/roost-access-point/wpa.conf ]", 240, "no access point")
    machine.wait("iw dev wlan0 info | grep -q 'type AP'", 120, "the radio is no access point")
    name = re.search(r"access point (roost-[0-9A-F]{4}),", machine.run("journalctl -b -u roost-access-point --no-pager"))
    if not name:
        raise LabFailed("the access point has another name")
    return machine.seconds() - began, name[1]


def without_network(bench):
    """roost-XXXX, joined by a phone: an address, the first page, the claim."""
    check, path = bench.check, card(bench, "wireless-none")
    board.write_boot(path, "roost-claim.txt", b"ABCD-efgh-12\n")
    with bench.board("wireless-none", path, net=False, wait=BOOT_SECONDS) as machine:
        radios(machine)
        seconds, name = wait_for_point(bench, machine)
        bench.figure(f"without a network: {name} after", f"{seconds:.0f} s")
        machine.write("/run/phone.conf", f'network={{\n    ssid="{name}"\n    key_mgmt=NONE\n}}\n')
        machine.write("/run/bound", BOUND)
        other(machine, "chmod 755 /run/bound; ip link set wlan1 up; wpa_supplicant -B -i wlan1 -c /run/phone.conf")
        other(machine, f"{BUSYBOX} udhcpc -f -n -q -t 20 -i wlan1 -s /run/bound", 120)
        address = other(machine, "ip -4 -o address show dev wlan1")
        check.demand("10.66.0." in address, f"without a network: the phone's address: {address}")
        portal(check, machine)
        claim = json.loads(other(machine, f"{BUSYBOX} wget -q -O - http://{POINT}/api/v1/claim"))
        check.demand(claim.get("isOpen") is False, f"without a network: a stranger near needs no code: {claim}")
        check.demand("<html" in other(machine, f"{BUSYBOX} wget -q -O - http://{POINT}/").lower(), "without a network: no page")
        status, said = other(
            machine, f"{BUSYBOX} wget -q -O - --header 'Content-Type: application/json' --header 'Origin: http://{POINT}' "
            f"--post-data {shlex.quote(json.dumps({**PERSON, 'code': 'ABCD-efgh-12'}))} http://{POINT}/api/v1/claim", 120, check=False)
        check.demand(status == 0 and '"role":"owner"' in said, f"without a network: the claim: {said}")
        by_the_page(bench, machine)
        # The station has an owner: its access point has the password that stands on the card.
        other(machine, "kill $(cat /run/router.pid); rm -f /run/router.pid")
        machine.wait('[ -z "$(ip -4 route show default)" ]', 60, "the route of a network that is gone stays")
        machine.run("systemctl --no-block start roost-access-point")
        wait_for_point(bench, machine)
        password = machine.run("cat /etc/roost/access-point-password").strip()
        check.demand(f'psk="{password}"' in machine.run("cat /run/roost-access-point/wpa.conf"), "an owner's access point is open")
        check.demand(password in machine.run("cat /boot/firmware/roost-said.txt"), "its password is not on the card")
        ends(bench, machine, "without a network")
    bench.close(path)


def portal(check, machine):
    """The requests by which phones look for the internet lead to the page; names do, too."""
    for host, target in (("connectivitycheck.gstatic.com", "generate_204"), ("captive.apple.com", "hotspot-detect.html"),
                         ("www.msftconnecttest.com", "connecttest.txt"), ("nmcheck.gnome.org", "check_network_status.txt")):
        # As a phone does: a redirection is followed under the address that it names, not under the name asked for.
        said = other(machine, f"printf 'GET /{target} HTTP/1.0\\r\\nHost: {host}\\r\\n\\r\\n' | {BUSYBOX} nc {POINT} 80")
        place = re.search(r"^Location: (\S+)", said, re.IGNORECASE | re.MULTILINE)
        text = other(machine, f"{BUSYBOX} wget -q -O - {shlex.quote(place.group(1))}") if place else said
        check.demand("<html" in text.lower(), f"portal: {host} is answered with {said[:300]}")
        said = other(machine, f"{BUSYBOX} nslookup {host} {POINT}", check=False)[1]
        check.demand(said.count(POINT) >= 2, f"portal: the name {host}: {said}")


def by_the_page(bench, machine):
    """The owner's requests for a Wi-Fi: one with a wrong password, which ends in the access point, then the right one."""
    check, site = bench.check, "http://127.0.0.1"
    heads = f"--header 'Content-Type: application/json' --header 'Origin: {site}'"
    login = json.dumps({"email": PERSON["email"], "password": PERSON["password"]})
    said = machine.run(f"{BUSYBOX} wget -S -q -O /dev/null {heads} --post-data {shlex.quote(login)} {site}/api/v1/login 2>&1", 120)
    cookie = re.search(r"Set-Cookie: ([^;\r\n]+)", said, re.IGNORECASE)
    if not cookie:
        raise LabFailed(f"by the page: no session: {said}")
    heads += f" --header 'Cookie: {cookie[1]}'"
    other(machine, "killall wpa_supplicant; ip address flush dev wlan1", check=False)
    machine.write("/run/router.conf", ROUTER)
    machine.write("/run/leases.conf", LEASES)
    router(machine)

    def join(password):
        wish = json.dumps({"network": b"My network".hex(), "password": password, "country": "DE"})
        began = machine.seconds()
        machine.run(f"{BUSYBOX} wget -q -O - {heads} --post-data {shlex.quote(wish)} {site}/api/v1/network", 120)
        machine.wait("! [ -e /run/roost-web/network-wanted ] && ! [ -e /run/roost-network/busy.json ]", 240, "the try does not end")
        return machine.seconds() - began, json.loads(machine.run("cat /run/roost-network/last.json"))["result"]

    seconds, result = join("the old password")
    check.same(result, "wrongPassword", "by the page: a wrong password")
    check.demand(seconds <= 100, f"by the page: a wrong password is said after {seconds:.0f} s")
    seconds += wait_for_point(bench, machine)[0]
    bench.figure("by the page: the access point is back after a wrong password", f"{seconds:.0f} s")
    check.demand(not machine.run("ls /etc/wpa_supplicant/*.conf /etc/wpa_supplicant/*.candidate 2>/dev/null", check=False)[1].strip(),
                 "by the page: a network that was not proved stays")
    seconds, result = join("my password")
    check.same(result, "joined", "by the page: the right password")
    bench.figure("by the page: joined after", f"{seconds:.0f} s")
    joined(machine)
    for command in ("journalctl -b --no-pager", "cat /run/roost-network/*", "cat /boot/firmware/roost-said.txt"):
        check.demand("my password" not in machine.run(command), f"by the page: {command} says the password")


def ends(bench, machine, where):
    """What the access point leaves when its time is over, which a stop stands for."""
    machine.run("systemctl stop roost-access-point", 120)
    left = machine.run("ls /run/systemd/network /run/roost-access-point 2>/dev/null; ip -4 -o address show dev wlan0", check=False)[1]
    bench.check.demand(POINT not in left and "access-point" not in left, f"{where}: left by the access point: {left}")
    failed = machine.run("systemctl --failed --no-legend --plain").strip()
    bench.check.demand(not failed, f"{where}: failed units: {failed}")


def with_router(bench):
    """The owner's network: not there at first, then there, away and back."""
    check, path = bench.check, card(bench, "wireless-router")
    board.write_boot(path, "station.txt", STATION)
    with bench.board("wireless-router", path, net=False, wait=BOOT_SECONDS) as machine:
        radios(machine)
        seconds, name = wait_for_point(bench, machine)
        bench.figure(f"the owner's network is away: {name} after", f"{seconds:.0f} s")
        says(bench, machine, ABSENT)
        ends(bench, machine, "the owner's network is away")
        machine.write("/run/router.conf", ROUTER)
        machine.write("/run/leases.conf", LEASES)
        router(machine)
        bench.figure("the owner's network is there: an address after", f"{joined(machine):.0f} s")
        address = re.search(r"192\.168\.77\.\d+", machine.run("ip -4 -o address show dev wlan0"))[0]
        text = other(machine, f"{BUSYBOX} wget -q -O - http://{address}/")
        check.demand("<html" in text.lower(), f"over Wi-Fi: no page: {text[:200]}")
        country = machine.run("iw reg get")
        check.demand("country DE" in country, f"over Wi-Fi: the country is not set: {country[:300]}")
        other(machine, "kill $(cat /run/router.pid); rm -f /run/router.pid")
        machine.wait("! iw dev wlan0 link | grep -q Connected", 120, "the network's end is not noticed")
        machine.run("sleep 30", 60)
        router(machine)
        seconds = machine.wait("iw dev wlan0 link | grep -q Connected", 300, "the network is back, and is not joined")
        bench.figure("the owner's network is back: joined after", f"{seconds:.0f} s")
        joined(machine)
        text = other(machine, f"{BUSYBOX} wget -q -O - http://{address}/")
        check.demand("<html" in text.lower(), f"over Wi-Fi, again: no page: {text[:200]}")
        for turn in range(1, TURNS + 1):
            after_another_point(bench, machine, turn)
    bench.close(path)


def after_another_point(bench, machine, turn):
    """The radio goes from station to access point and back: it is the owner's again each time."""
    other(machine, "kill $(cat /run/router.pid); rm -f /run/router.pid")
    machine.wait("! iw dev wlan0 link | grep -q Connected", 120, "the network's end is not noticed")
    # A short loss is ignored, and until then the access point takes the network for one.
    machine.wait('[ -z "$(ip -4 route show default)" ]', 60, "the route of a network that is gone stays")
    machine.run("systemctl --no-block start roost-access-point")
    wait_for_point(bench, machine)
    ends(bench, machine, f"access point {turn + 1}")
    router(machine)
    bench.figure(f"after access point {turn + 1}: an address after", f"{joined(machine):.0f} s")


def wrong_password(bench):
    """The owner's password is wrong for a day, which the station says; then the router's is the one that the station has."""
    check, path, hours = bench.check, card(bench, "wireless-wrong"), bench.options.hours
    board.write_data(path, "system/etc/roost/roost.json", json.dumps(
        {"store": {"journal": "auto"}, "claim": {"window": True}, "mode": "normal", "devices": [SENSOR]}))
    board.write_boot(path, "station.txt", STATION.replace("my password", "the old password"))
    with bench.board("wireless-wrong", path, usb=(), net=False, wait=BOOT_SECONDS, is_fast=True) as machine:
        put_sensor(machine)
        radios(machine)
        machine.write("/run/router.conf", ROUTER)
        machine.write("/run/leases.conf", LEASES)
        router(machine)
        seconds, name = wait_for_point(bench, machine)
        bench.figure(f"a wrong password: {name} after", f"{seconds:.0f} s")
        says(bench, machine, WRONG)
        # Over after its 15 min, in the guest's time; a guest that asks all the while is not idle, and time is slow.
        machine.run("sleep 880", 3600)
        machine.wait("! iw dev wlan0 info | grep -q 'type AP'", 240, "the access point does not end")
        machine.run("sleep 300", 1800)
        changed = machine.run("stat -c %y /boot/firmware/roost-said.txt").strip()
        written, memory, values = machine.written()[0], in_use(machine), shared.values(machine)
        machine.run(f"sleep {int(hours * 3600)}", 6 * 3600)
        check.demand("192.168.77" not in machine.run("ip -4 -o address show dev wlan0"), "a wrong password: there is an address")
        bench.figure(f"a wrong password for {hours:g} h: written", f"{(machine.written()[0] - written) / 1e6:.2f} MB")
        bench.figure("a wrong password: values in that time", shared.values(machine) - values)
        check.demand(shared.values(machine) - values > hours * 10, "a wrong password: the station does not measure on")
        bench.figure("a wrong password: memory in use before and after", f"{memory} and {in_use(machine)} MB")
        failed = machine.run("systemctl --failed --no-legend --plain").strip()
        check.demand(not failed, f"a wrong password: failed units: {failed}")
        says(bench, machine, WRONG)
        check.same(machine.run("stat -c %y /boot/firmware/roost-said.txt").strip(), changed, "when roost-said.txt was written")
        machine.write("/run/router.conf", ROUTER.replace("my password", "the old password"))
        other(machine, "kill $(cat /run/router.pid); rm -f /run/router.pid")
        machine.run("sleep 5", 60)
        router(machine)
        bench.figure("a wrong password: the router has the same now: an address after", f"{joined(machine, 900):.0f} s")
        seconds = machine.wait("! [ -e /run/roost-wifi.txt ]", 300, "the station is in its Wi-Fi and says that it is not")
        bench.figure("a wrong password: not said any more after", f"{seconds:.0f} s")
        machine.wait("! roost status | grep -q boot-files", 120, "roost status goes on to say it")
        said = machine.run("cat /boot/firmware/roost-said.txt; roost doctor", check=False)[1]
        check.demand("Wi-Fi: " not in said, f"a password that is right: {said}")
    bench.close(path)


def says(bench, machine, words):
    """Where a person learns why there is no Wi-Fi; and nowhere a password."""
    texts = {command: machine.run(command, 120, check=False)[1] for command in (
        "cat /boot/firmware/roost-said.txt", "roost status", "roost doctor", "journalctl -b -u roost-access-point --no-pager")}
    for command, text in texts.items():
        bench.check.demand(words in text, f"{command} does not say '{words}': {text[-600:]}")
        bench.check.demand("old password" not in text and "my password" not in text, f"{command} says a password: {text[-600:]}")


def in_use(machine):
    return int(machine.run("free -m | awk '/^Mem/ {print $3}'"))


def router(machine):
    other(machine, "ip link set wlan1 up; ip address replace 192.168.77.1/24 dev wlan1; "
                   "wpa_supplicant -B -P /run/router.pid -i wlan1 -c /run/router.conf; "
                   f"touch /run/leases; [ -e /run/udhcpd.pid ] || {BUSYBOX} udhcpd -S /run/leases.conf")


def joined(machine, limit=180):
    try:
        return machine.wait("ip -4 -o address show dev wlan0 | grep -q 192.168.77", limit, "no address over Wi-Fi")
    except LabFailed:
        # Into the transcript, for who looks for the cause.
        machine.run("systemctl status wpa_supplicant@wlan0 --no-pager; iw dev; networkctl status wlan0 --no-pager; "
                    "journalctl -b --no-pager -n 60 -u wpa_supplicant@wlan0 -u roost-access-point -u systemd-networkd", check=False)
        other(machine, "iw dev; ip address; ps | grep -E 'wpa|udhcpd'", check=False)
        raise


PARTS = (without_network, with_router, wrong_password)
