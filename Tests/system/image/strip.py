"""The first ten minutes of an owner with a phone of 360 px and a new card: from power on to the first reading.

The station has the simulated radio wlan0. A second one is the phone's, a third one the router's, each in a network of
its own; both are the kernel's mac80211_hwsim. Chromium is the phone's browser: what it asks for goes by a second cable
of QEMU's into the phone's network, and from there over the air. A server on this machine answers as ntfy does.
"""

import json
import re
import shlex
import subprocess
import sys
import threading

from . import bench as shared
from .bench import LabFailed, board
from .wireless import BOOT_SECONDS, BOUND, BUSYBOX, LEASES, POINT, ROUTER, card, wait_for_point
from ..check import Failed, until
from ..checks.browser import PACKAGES

CODE = "NEST7428"
OWNER = {"name": "Anna", "email": "anna@example.org", "password": "seven-Kettle"}  # The shortest that is taken.
WIFI, WIFI_PASSWORD = "My network", "my password"
OTHER = {"phone": "wlan1", "router": "wlan2"}
PHONE_CABLE, HOST, PAGE_PORT = "10.0.2.15", "10.0.2.2", 8080  # Addresses that QEMU gives.
NTFY = "192.168.77.1:8093"
RELAY = "/usr/lib/systemd/systemd-socket-proxyd"
PORTAL = "captive.apple.com"  # Which the phone asks for as it joins a network.
JOIN_SECONDS, VALUE_SECONDS = 240, 400
NO_PASSWORD = 'network={{\n    ssid="{name}"\n    key_mgmt=NONE\n}}\n'
PASSWORD = 'network={{\n    ssid="{name}"\n    psk="{password}"\n}}\n'
LIMITS = (
    "Seconds are those of an emulated board on a busy machine, mostly longer than a Pi's; taps and letters are exact.",
    "The phone's own screens (list of Wi-Fi, log in to the network, the notice that rings) are not in QEMU: drawn, and counted as "
    "two taps for a Wi-Fi and one tap to come back to the browser.",
    "The phone finds roost.local by the check; that Avahi answers for it is in the case guide.",
    "A server of this machine stands for ntfy in the owner's network: three taps and its address that ntfy.sh does not need.",
    "No time server is reached: the clock is trusted by a command as the station joins the Wi-Fi.",
)


class House:
    """The machine with the phone and the router beside it."""

    def __init__(self, machine, ntfy):
        self.machine = machine
        machine.run(f"cp /boot/firmware/busybox {BUSYBOX} && chmod 755 {BUSYBOX}")
        machine.write("/run/bound", BOUND)
        machine.run("chmod 755 /run/bound; ip netns add phone; ip netns add router; ip link set eth0 netns phone")
        machine.ask("set_link", name="phone", up=True)
        self.phone(f"ip link set lo up; ip link set eth0 up; ip address add {PHONE_CABLE}/24 dev eth0")
        machine.run("modprobe mac80211_hwsim radios=3 && udevadm settle", 120)
        for name, radio in OTHER.items():
            machine.run(f'iw phy "$(cat /sys/class/net/{radio}/phy80211/name)" set netns name {name}')
        machine.write("/run/router.conf", ROUTER)
        machine.write("/run/leases.conf", LEASES.replace("wlan1", OTHER["router"]))
        self.router(f"ip link set lo up; ip link set wlan2 up; ip address replace 192.168.77.1/24 dev wlan2; "
                    f"wpa_supplicant -B -i wlan2 -c /run/router.conf; touch /run/leases; {BUSYBOX} udhcpd -S /run/leases.conf")
        # Through the phone's network, as that one alone has a cable.
        self.relay("ntfy-cable", "phone", "/run/ntfy.sock", f"{HOST}:{ntfy}")
        self.relay("ntfy", "router", NTFY, "/run/ntfy.sock")

    def phone(self, command, limit=60, check=True):
        return self._in("phone", command, limit, check)

    def router(self, command, limit=60, check=True):
        return self._in("router", command, limit, check)

    def _in(self, name, command, limit, check):
        return self.machine.run(f"ip netns exec {name} sh -c {shlex.quote(command)}", limit, check=check)

    def relay(self, unit, name, listens, target):
        """Passes connections from an address in a network on to another one."""
        self.machine.run(f"systemctl stop {unit} 2>/dev/null; systemd-run --quiet --unit={unit} --collect ip netns exec {name} "
                         f"systemd-socket-activate --listen={listens} {RELAY} {target}", 60)

    def joins(self, settings, target):
        """The phone joins a network and has an address; its browser reaches the station at `target` from then on."""
        self.leaves()
        self.machine.write("/run/phone.conf", settings)
        self.phone("ip link set wlan1 up; wpa_supplicant -B -P /run/phone.pid -i wlan1 -c /run/phone.conf")
        self.phone(f"{BUSYBOX} udhcpc -f -n -q -t 20 -i wlan1 -s /run/bound", 180)
        self.relay("phone-page", "phone", f"{PHONE_CABLE}:{PAGE_PORT}", f"{target}:80")
        ask = f"ip netns exec phone {BUSYBOX} wget -q -T 20 -O /dev/null --header 'Host: {target}' http://{PHONE_CABLE}:{PAGE_PORT}/"
        try:
            self.machine.wait(ask, 120, "no page by the phone's Wi-Fi")
        except LabFailed:
            self.machine.run("journalctl -b --no-pager -n 40 -u phone-page -u roost-web; ip netns exec phone ss -ltn", check=False)
            raise

    def leaves(self):
        self.phone("[ ! -e /run/phone.pid ] || kill $(cat /run/phone.pid); sleep 1; rm -f /run/phone.pid; ip address flush dev wlan1",
                   check=False)

    def sees(self, name):
        """The networks that the phone sees, as its list has them, once one of them is there."""
        self.leaves()
        self.phone("ip link set wlan1 up")

        def scan():
            names = re.findall(r"^\tSSID: (.+)$", self.phone("iw dev wlan1 scan", 60, check=False)[1], re.M)
            return names if name in names else None

        names = until(scan, 60, 2)
        if not names:
            raise LabFailed(f"the phone does not see {name}")
        return "\n".join(names)


def strip(bench):
    """From a new card to the first reading, with a picture of each step."""
    PACKAGES.demand()
    if PACKAGES.library not in sys.path:
        sys.path.insert(0, PACKAGES.library)
    from ..browser.first import Server, Topics  # These import selenium, which is there only now.
    from .strip_frames import Frames, Hands, Phone

    check, port, path = bench.check, shared.free_port(), card(bench, "strip")
    ntfy = Server(("127.0.0.1", 0), Topics)
    ntfy.messages = []
    threading.Thread(target=ntfy.serve_forever, daemon=True).start()
    board.write_boot(path, "roost-claim.txt", CODE + "\n")
    browser = Phone(check, PACKAGES.library, port, (POINT, PORTAL, "roost.local"))
    hands, started = Hands(browser), []
    frames = Frames(check, browser, hands, bench.options.pictures or check.path("strip"), lambda: started[0].seconds() if started else 0)
    hands.elsewhere(3, len("roost-claim.txt") + len(CODE))
    frames.drawn("flash", "The card is written, and a code on it", listing(path),
                 "The image's file copied; Raspberry Pi Imager does this on a computer. The code is written with any editor.")
    try:
        machine = bench.board("strip", path, net=False, wait=0)
        machine.arguments += ["-netdev", f"user,id=phone,hostfwd=tcp:127.0.0.1:{port}-{PHONE_CABLE}:{PAGE_PORT}",
                              "-device", "virtio-net-pci,netdev=phone,romfile="]
        with machine:
            started.append(machine)
            try:
                way(bench, machine, (browser, hands, frames), ntfy)
            except (Failed, LabFailed):
                browser.driver.save_screenshot(check.path("strip-failed.png"))
                frames.strip(("Not complete: the next step failed.", *LIMITS))
                raise
        for limit in LIMITS:
            check.say(f"  {limit}")
        bench.figure("strip", frames.strip(LIMITS))
    finally:
        ntfy.shutdown()
        ntfy.server_close()
    bench.close(path)


def listing(path):
    """What a computer shows of the card's boot partition."""
    said = subprocess.run(["mdir", "-b", "-i", board.fat(path), "::"], check=True, capture_output=True, text=True).stdout
    names = sorted(line.removeprefix("::/") for line in said.splitlines())
    return "The drive ROOST:\n\n" + "\n".join(names) + f"\n\nroost-claim.txt:\n\n{CODE}"


def way(bench, machine, tools, ntfy):
    """The steps in their order; each one begins where the one before ended."""
    machine.ask("set_link", name="phone", up=False)
    machine.wait_for_boot(BOOT_SECONDS)
    frames = tools[2]
    frames.drawn("power", "Power on", "\n".join(machine.console().splitlines()[-20:])[-1500:], "A station has no screen: its console.")
    house = House(machine, ntfy.server_port)
    for step in (point, claim, wifi, home, sensor, place, notice, reading):
        step(bench, house, tools, ntfy)


def point(bench, house, tools, _):
    """The phone sees the access point, joins it, and is led to the page."""
    browser, hands, frames = tools
    _, name = wait_for_point(bench, house.machine)
    names = house.sees(name)
    hands.elsewhere(2)
    frames.drawn("point", "The phone's list of Wi-Fi", names, "Of a scan by the phone's radio; the phone's own list is not here.")
    house.joins(NO_PASSWORD.format(name=name), POINT)
    hands.elsewhere(1)
    browser.visit(f"http://{PORTAL}/hotspot-detect.html")
    bench.check.same(browser.address, f"http://{POINT}", "where the phone is led to as it joins")
    bench.check.demand(browser.shows("has no owner yet", 60), f"no claim: {browser.text()[:300]}")
    browser.shows("Type the code", 20)
    frames.shot("page", "The page that the phone opens")


def claim(bench, house, tools, _):
    browser, hands, frames = tools
    for label, text in (("Code", CODE), ("Name", OWNER["name"]), ("Email", OWNER["email"]), ("Password", OWNER["password"])):
        hands.fill(label, text)
    frames.shot("claim", "The claim, filled in")
    hands.press("Become the owner")
    if not browser.shows("No sensor yet", 90):
        raise Failed(f"no First steps after the claim: {browser.path} {browser.text('body')[:400]}")
    browser.ready()
    frames.shot("start", "First steps")


def wifi(bench, house, tools, _):
    """The owner's Wi-Fi by the page Network: the page is lost, the phone joins the same network."""
    browser, hands, frames = tools
    machine = house.machine
    hands.press("Choose your Wi-Fi")
    if not browser.shows(WIFI, 60):
        raise Failed(f"the page does not offer '{WIFI}': {browser.text()[:600]}")
    frames.shot("networks", "Wi-Fi in range of the station")
    hands.press(WIFI)
    hands.fill("Password of the network", WIFI_PASSWORD)
    frames.shot("join", "The password of the Wi-Fi")
    began = machine.seconds()
    hands.press("Join")
    if not browser.shows("The station tries “", 20, "main .big"):
        raise Failed(f"the page does not say that the station tries: {browser.text()[:400]}")
    frames.shot("tries", "The station tries it")
    machine.wait("! [ -e /run/roost-web/network-wanted ] && ! [ -e /run/roost-network/busy.json ]", JOIN_SECONDS, "the try does not end")
    bench.check.same(json.loads(machine.run("cat /run/roost-network/last.json"))["result"], "joined", "the owner's Wi-Fi")
    machine.wait("ip -4 -o address show dev wlan0 | grep -q 192.168.77", 60, "no address over Wi-Fi")
    bench.figure("strip: joined the owner's Wi-Fi after", f"{machine.seconds() - began:.0f} s")
    house.address = re.search(r"192\.168\.77\.\d+", machine.run("ip -4 -o address show dev wlan0"))[0]
    machine.run("roost clock trust", 60, check=False)


def home(bench, house, tools, _):
    """The phone is in the owner's Wi-Fi, too, and opens the address that the page said."""
    browser, hands, frames = tools
    names = house.sees(WIFI)
    hands.elsewhere(2)
    frames.drawn("home", "Back in the own Wi-Fi", names, "A phone does this by itself where its own Wi-Fi is saved.")
    house.joins(PASSWORD.format(name=WIFI, password=WIFI_PASSWORD), house.address)
    hands.elsewhere(1, len("roost.local"))
    browser.visit("http://roost.local/")
    frames.shot("login", "The same page at roost.local")
    hands.fill("Email", OWNER["email"])
    hands.fill("Password", OWNER["password"])
    hands.press("Log in")
    if not until(lambda: "Log in" not in browser.text(), 60):
        raise Failed(f"no page after the login: {browser.text('body')[:400]}")
    browser.ready()
    frames.shot("now-empty", "Logged in, without a sensor")


def sensor(bench, house, tools, _):
    browser, hands, frames = tools
    hands.press("First steps")
    browser.shows("No sensor yet", 30)
    began = house.machine.seconds()
    bench.plug(house.machine, bench.sensor())
    if not browser.shows("µg/m³", VALUE_SECONDS):
        raise Failed(f"no value on First steps: {browser.text()[:400]}")
    bench.figure("strip: sensor plugged in to its first value on the page", f"{house.machine.seconds() - began:.0f} s")
    frames.shot("sensor", "The sensor is plugged in")
    hands.press("Name")
    hands.fill("Name", "Street")
    hands.press("Save")
    browser.shows("Street", 30, "main .finding strong")
    frames.shot("named", "It has a name")
    hands.press("Go on")


def place(bench, house, tools, _):
    browser, hands, frames = tools
    browser.shows("Save and go on", 30)
    hands.fill("Station's name", "Balcony")
    frames.shot("place", "Name and place")
    hands.press("Save and go on")
    if not browser.shows("by the app ntfy", 60):
        raise Failed(f"name and place are not saved: {browser.text()[:600]}")


def notice(bench, house, tools, ntfy):
    """A test by a server of the owner's network, as the app would be told."""
    browser, hands, frames = tools
    browser.script("scrollTo(0, 0)")
    frames.shot("notice", "Who gets notices")
    hands.press("Another server than ntfy.sh")
    hands.fill("Address of the server (optional)", f"http://{NTFY}")
    hands.press("Send a test")
    if not browser.shows("Did it ring?", 120):
        raise Failed(f"no test: {browser.text()[-800:]}")
    frames.shot("ring", "The test was sent")
    bench.check.same(len(ntfy.messages), 1, "messages at the server of notices")
    message = ntfy.messages[-1] if ntfy.messages else {}
    frames.drawn("rang", "The phone rings", f"{message.get('title', '')}\n\n{message.get('message', '')}",
                 "What the server got; the app on the phone shows it.")
    hands.press("Yes")
    hands.press("Go on")


def reading(bench, house, tools, _):
    browser, hands, frames = tools
    browser.shows("Where do values go?", 30)
    frames.shot("sent", "Where values go")
    hands.press("Later")
    if not browser.shows("To the readings", 30):
        raise Failed(f"no end of First steps: {browser.text()[:400]}")
    frames.shot("done", "Done")
    hands.press("To the readings")
    bench.check.demand(browser.shows("µg/m³", 60), f"Now shows no value: {browser.text()[:400]}")
    browser.ready()
    frames.shot("reading", "The first reading")
