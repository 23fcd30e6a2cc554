"""Why a station is not in its Wi-Fi: the access point's script, with stand-ins for the radio.

The script of the image runs with all its paths in the check's folder, and the real `roost provision` writes there. Stand-ins
take the place of wpa_cli, iw, ip, journalctl, systemctl and sleep: time passes by the number of sleeps. The radio itself
is `scripts/check image wireless`.
"""

import os
import shutil
import subprocess

from ..check import ROOT

PRODUCTS = ("roost",)
STATION = "country=DE\nwifi=My \"net\\work\nwifi-password=my password\n"
DENIED = 'wlan0: CTRL-EVENT-SSID-TEMP-DISABLED id=0 ssid="My \\"net\\\\work" auth_failures=1 duration=10 reason=WRONG_KEY\n'
WRONG = "Wi-Fi: 'My \"net\\work' does not accept the password."
# A route or the Wi-Fi comes at the sleep whose number stands in the file of that name.
STANDINS = {
    "ip": '[ "$1 $2 $3" != "-4 route show" ] || { [ ! -e is-route ] || echo default; }',
    "wpa_cli": '[ "$3" != status ] || { [ -e is-joined ] && echo wpa_state=COMPLETED || echo wpa_state=SCANNING; }',
    "iw": "cat scan",
    "journalctl": "cat log",
    "systemctl": ":",
    "networkctl": ":",
    "wpa_supplicant": "cp run/roost-access-point/address address; exec /bin/sleep 600",
    "sleep": 'echo >>slept; count=$(wc -l <slept); for name in route joined; do [ "$(cat $name)" != "$count" ] || : >is-$name; done',
    "roost": 'exec "$ROOST" "$@" --folder boot --root "$PWD"',
}


class Case:
    def __init__(self, check, name, station=STATION, log="", scan="", route=0, joined=0):
        self.check, self.name, self.folder = check, name, check.path(name)
        for folder in ("boot", "run", "tools", "etc", "sys/class/net/wlan0"):
            os.makedirs(os.path.join(self.folder, folder))
        self.write("boot/station.txt", station)
        self.write("sys/class/net/wlan0/address", "02:00:00:00:ab:cd\n")
        self.environment = {**os.environ, "PATH": os.path.join(self.folder, "tools") + ":" + os.environ["PATH"],
                            "ROOST": check.program("roost")}
        for tool, text in STANDINS.items():
            self.write(f"tools/{tool}", f'#!/bin/sh\necho "{tool} $*" >>calls\n{text}\n')
            os.chmod(os.path.join(self.folder, "tools", tool), 0o755)
        with open(f"{ROOT}/packaging/image/root/usr/lib/roost/access-point", encoding="utf-8") as file:
            text = file.read()
        for top in ("/run/", "/sys/class/", "/etc/"):
            text = text.replace(top, self.folder + top)
        self.write("script", text)
        self.start()
        self.set(log=log, scan=scan, route=route, joined=joined)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        try:
            with open(os.path.join(self.folder, name), encoding="utf-8", newline="") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def start(self):
        """What the start of the image does before; the memory is empty then."""
        shutil.rmtree(os.path.join(self.folder, "run"))
        os.makedirs(os.path.join(self.folder, "run"))
        self.provision()

    def provision(self, *words):
        self.check.roost("provision", "--folder", "boot", "--root", ".", *words, status=0, cwd=self.folder)

    def set(self, **values):
        for name, value in values.items():
            self.write(name, str(value))

    def run(self):
        """Runs the script; returns what it printed."""
        for name in ("slept", "calls", "is-route", "is-joined"):
            self.write(name, "")
        for name in ("is-route", "is-joined"):
            os.remove(os.path.join(self.folder, name))
        done = subprocess.run(["sh", "script"], cwd=self.folder, env=self.environment, capture_output=True, text=True,
                              timeout=120, check=False)
        self.same(done.returncode, 0, f"status ({done.stderr[-300:]})")
        return done.stdout

    def same(self, found, wanted, what):
        return self.check.same(found, wanted, f"{self.name}: {what}")

    def demand(self, is_so, what):
        return self.check.demand(is_so, f"{self.name}: {what}")

    def calls(self, start):
        return [line for line in self.read("calls").splitlines() if line.startswith(start)]

    def is_over(self, reloads):
        self.same(self.read("run/roost-wifi.txt"), "", "the finding in memory")
        self.demand("Wi-Fi: " not in self.read("boot/roost-said.txt"), "the finding stays on the card")
        self.same(len(self.calls("systemctl --no-block reload roostd.service")), reloads, "reloads")
        self.demand(not os.path.exists(os.path.join(self.folder, "run/roost-access-point")), "its folder stays")


def wrong(check):
    # 31 sleeps for a network, 180 of the access point, then every 20 s.
    case = Case(check, "wrong", log=DENIED * 3, scan="\tSSID: My \"net\\x5cwork\n", joined=240)
    said = case.run()
    case.demand(WRONG in said and "access point roost-ABCD" in said and "is in its Wi-Fi" in said, f"it says {said}")
    # By it the dashboard lets no one of an open network own the station.
    case.same(case.read("address"), "10.66.0.1\n", "the address of the access point, while it is there")
    calls = case.read("calls").splitlines()
    case.demand(calls.index("iw dev wlan0 scan dump") < calls.index("systemctl stop wpa_supplicant@wlan0.service"),
                "it looks when the radio is taken")
    case.same(len(case.calls("roost provision")), 3, "looks")
    case.is_over(reloads=2)
    # The next start, with the router's answer the same, and no end of it.
    case.set(joined=0)
    case.provision("--wifi", "log")
    before = os.stat(os.path.join(case.folder, "boot/roost-said.txt")).st_ino
    case.start()
    case.demand(WRONG in case.read("run/roost-wifi.txt"), "the next start does not know it")
    case.set(joined=3, route=3)
    case.same(os.stat(os.path.join(case.folder, "boot/roost-said.txt")).st_ino, before, "the file of a start that says the same")
    case.demand("access point" not in case.run(), "an access point beside a network")
    case.is_over(reloads=1)


def absent(check):
    case = Case(check, "absent", scan="\tSSID: \n\tSSID: my \"net\\x5cwork\n", joined=214)
    said = case.run()
    case.demand("is not in range; 'my \"net\\work' is." in said, f"it says {said}")
    case.is_over(reloads=2)


def nothing(check):
    case = Case(check, "cable", log=DENIED, route=5)
    case.same(case.run(), "", "with a cable it says")
    case.same(case.calls("roost"), [], "with a cable it looks")
    case = Case(check, "none", station="name=hut\n", log=DENIED)
    case.demand("Wi-Fi:" not in case.run(), "it says something of no Wi-Fi")
    case.is_over(reloads=0)
    case.same(case.read("boot/roost-said.txt"), "", "the card")


def run(check, _):
    for part in (wrong, absent, nothing):
        part(check)
