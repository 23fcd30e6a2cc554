"""Why a station is not in its Wi-Fi, and Wi-Fi of the page: the access point's script and `roost provision --network`.

The script of the image runs with all its paths in the check's folder, and the real `roost provision` writes there, with
stand-ins for the radio. They
take the place of wpa_cli, iw, ip, journalctl, systemctl and sleep: time passes by the number of sleeps. The radio itself
is `scripts/check image wireless`.
"""

import json
import os
import re
import shutil
import signal
import subprocess

from ..check import ROOT, until

PRODUCTS = ("roost", "roost-web")
STATION = "country=DE\nwifi=My \"net\\work\nwifi-password=my password\n"
DENIED = 'wlan0: CTRL-EVENT-SSID-TEMP-DISABLED id=0 ssid="My \\"net\\\\work" auth_failures=1 duration=10 reason=WRONG_KEY\n'
WRONG = "Wi-Fi: 'My \"net\\work' does not accept the password."
# A route or the Wi-Fi comes at the sleep whose number stands in the file of that name.
STANDINS = {
    "ip": '[ "$1 $2 $3" != "-4 route show" ] || { [ ! -e is-route ] || echo default; }\n'
          '[ "$1 $2" != "-o address" ] || { [ ! -e is-joined ] || [ -e no-address ] || echo 3: wlan0 inet 192.168.7.7/24; }',
    "wpa_cli": '[ "$3" != status ] || { [ -e is-joined ] && echo wpa_state=COMPLETED || echo wpa_state=SCANNING; }',
    "iw": "cat scan",
    "journalctl": "cat log",
    "systemctl": ":",
    "networkctl": ":",
    "wpa_supplicant": "cat trial-log; cp run/roost-access-point/address address; exec /bin/sleep 600",
    "dnsmasq": "exec /bin/sleep 600",
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
        self.set(log=log, scan=scan, route=route, joined=joined, **{"trial-log": ""})

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
        self.forget()
        done = self.call("sh", "script")
        self.same(done.returncode, 0, f"status ({done.stderr[-300:]})")
        return done.stdout

    def call(self, *command):
        return subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=120, check=False)

    def forget(self):
        for name in ("slept", "calls", "is-route", "is-joined"):
            self.write(name, "")
        for name in ("is-route", "is-joined"):
            os.remove(os.path.join(self.folder, name))

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
    case.same(len(case.calls("roost provision --wifi")), 3, "looks")
    demand_names(case)
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


def demand_names(case):
    """Every name leads to the access point, and its own file is for its owner alone."""
    case.same(len([one for one in case.calls("dnsmasq") if "--address=/#/10.66.0.1" in one and "--interface=wlan0" in one]), 1, "dnsmasq")


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


SECRET, NEW = "planted-Wi-Fi-secret", "My new net"
PRESENT = "etc/wpa_supplicant/wpa_supplicant-wlan0.conf"
OURS = "wpa_supplicant@wlan0.service"


class Try(Case):
    """A request of the page in a station that has another Wi-Fi."""

    def __init__(self, check, name, **words):
        super().__init__(check, name, **words)
        self.before = self.read(PRESENT)
        self.forget()

    def ask(self, text=None, **words):
        request = {"act": "join", "network": NEW.encode().hex(), "password": SECRET, **words}
        self.write("wanted", text or json.dumps(request))
        os.chmod(os.path.join(self.folder, "wanted"), 0o600)
        done = self.call(self.environment["ROOST"], "provision", "--folder", "boot", "--root", ".", "--network", "wanted")
        self.demand(not os.path.exists(os.path.join(self.folder, "wanted")), "the request stays")
        self.demand(SECRET not in done.stdout + done.stderr + self.read("calls"), f"the password is said: {done.stdout}{done.stderr}")
        for folder, _, names in os.walk(os.path.join(self.folder, "run")):
            for name in names:
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    self.demand(SECRET not in file.read(), f"the password is in {name}")
        self.demand(not self.read("run/roost-network/busy.json"), "it is busy for ever")
        return done

    def last(self):
        return json.loads(self.read("run/roost-network/last.json") or "{}")

    def has_returned(self, result):
        self.same(self.last().get("result"), result, "the end of the try")
        self.same(self.read(PRESENT), self.before, "the present network")
        self.same(os.listdir(os.path.join(self.folder, "etc/wpa_supplicant")), [os.path.basename(PRESENT)], "files of wpa_supplicant")
        self.same(self.calls("systemctl")[-2:],
                  [f"systemctl --no-block start {OURS}", "systemctl --no-block restart roost-access-point.service"], "the way back")


def joins(check):
    case = Try(check, "joins", joined=3, scan="BSS 02:00:00:00:01:00(on wlan0)\n\tsignal: -40.00 dBm\n\tSSID: My new net\n")
    done = case.ask(country="it", isHidden=True)
    case.same(done.returncode, 0, f"status ({done.stderr[-300:]})")
    case.same(case.last().get("result"), "joined", "the end")
    text = case.read(PRESENT)
    for line in ("country=IT\n", f'\tpsk="{SECRET}"\n', "\tscan_ssid=1\n", f"\tssid={NEW.encode().hex()}\n"):
        case.demand(line in text, f"the new configuration has no {line!r}")
    case.same(os.stat(os.path.join(case.folder, PRESENT)).st_mode & 0o777, 0o600, "who may read it")
    case.same(len(case.read("slept").splitlines()), 3, "sleeps")
    calls = case.calls("systemctl")
    case.same(calls[:2] + calls[-1:], ["systemctl stop roost-access-point.service", f"systemctl stop {OURS}", f"systemctl --no-block start {OURS}"],
              "calls")
    seen = json.loads(case.read("run/roost-network/seen.json"))
    case.same((seen.get("joined"), seen.get("known"), len(seen.get("networks", []))), (NEW.encode().hex(),) * 2 + (1,), "what the page is told")
    case.ask(text='{"act":"scan"}')
    case.start()
    case.same(case.read(PRESENT), text, "the proved network after a restart")


def returns(check):
    """Each way that a try ends in vain, within its time."""
    denied = f'wlan0: CTRL-EVENT-SSID-TEMP-DISABLED id=0 ssid="{NEW}" auth_failures=1 duration=10 reason=WRONG_KEY\n'
    for result, words, looks in (("wrongPassword", {"trial-log": denied}, 11), ("absent", {}, 45), ("refused", {"scan": f"\tSSID: {NEW}\n"}, 45),
                                 ("noAddress", {"no-address": "", "joined": 1}, 45)):
        case = Try(check, f"returns-{result}")
        case.set(**words)
        case.ask()
        case.has_returned(result)
        count = len(case.read("slept").splitlines())
        # The clock ends a try, too: where a look takes long there are fewer.
        check.demand(2 <= count <= looks, f"returns-{result}: {count} looks of two seconds, not {looks}")
    # By the access point: it is there again at once, and says why.
    case = Try(check, "returns-point", station="name=hut\n", scan=f"\tSSID: {NEW}\n")
    os.makedirs(os.path.join(case.folder, "run/roost-access-point"))
    case.write("run/roost-access-point/address", "10.66.0.1\n")
    case.ask()
    case.demand(not os.path.exists(os.path.join(case.folder, PRESENT)), "a network that was not proved stays")
    case.demand(f"Wi-Fi: '{NEW}' is in range" in case.read("boot/roost-said.txt"), "the card does not say why")
    case.same(len(case.calls("systemctl --no-block reload roostd.service")), 1, "reloads")
    said = case.run()
    case.demand("access point roost-ABCD" in said, f"the access point: {said}")
    case.demand(len(case.calls("sleep")) < 200, "it waits for a minute before")
    case.demand(f"Wi-Fi: '{NEW}' is in range" in case.read("boot/roost-said.txt"), "the access point forgets why")


def refuses(check):
    """What is no request touches nothing."""
    case = Try(check, "refuses")
    for text, words in (("{", {}), ("x" * 5000, {}), (None, {"password": "short"}), (None, {"network": "zz"}), (None, {"country": "Germany"}),
                        (None, {"password": None})):
        case.ask(text, **words)
        case.same(case.read(PRESENT), case.before, f"the present network after {text or words}")
        case.same(case.calls("systemctl"), [], f"what is done by {text or words}")
    case.same(case.last().get("result"), "invalid", "the end")
    os.symlink(PRESENT, os.path.join(case.folder, "wanted-elsewhere"))
    done = case.call(case.environment["ROOST"], "provision", "--folder", "boot", "--root", ".", "--network", "wanted-elsewhere")
    case.demand(done.returncode != 0 and case.read(PRESENT) == case.before, f"a link is followed: {done.stdout}")


def cut(check):
    """The power is lost in the middle of a try."""
    case = Try(check, "cut")
    case.write("tools/sleep", "#!/bin/sh\necho >>slept\n[ $(wc -l <slept) -lt 5 ] || exec /bin/sleep 600\n")
    case.write("wanted", json.dumps({"act": "join", "network": NEW.encode().hex(), "password": SECRET}))
    os.chmod(os.path.join(case.folder, "wanted"), 0o600)
    process = subprocess.Popen([case.environment["ROOST"], "provision", "--folder", "boot", "--root", ".", "--network", "wanted"],
                               cwd=case.folder, env=case.environment, start_new_session=True, stderr=subprocess.DEVNULL)
    case.demand(until(lambda: len(case.read("slept").splitlines()) >= 5, 30), "the try does not begin")
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    case.demand(SECRET in case.read(PRESENT + ".candidate"), "the new configuration is not on the card")
    case.start()
    case.same((case.read(PRESENT), case.read(PRESENT + ".candidate")), (case.before, ""), "the configurations after a restart")
    case.same(case.last(), {"network": NEW.encode().hex(), "result": "interrupted"}, "the end")


# A station and a phone, each in a network of its own: the phone knows no address but that of the station's names.
PORTAL = r"""
set -u
mount --make-rprivate /
mkdir -p /run/roost-access-point state
mount -t tmpfs none /run/roost-access-point
echo 10.66.0.1 >/run/roost-access-point/address
ip link set lo up
unshare -n sleep 120 & phone=$!
until [ "$(readlink /proc/$phone/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do :; done
ip link add wlan0 type veth peer name phone netns $phone
ip address add 10.66.0.1/24 dev wlan0
ip link set wlan0 up
nsenter -n -t $phone sh -c "ip address add 10.66.0.17/24 dev phone; ip link set phone up; ip route add default via 10.66.0.1"
$NAMES & names=$!
"$WEB" --listen 0.0.0.0:80 --socket none --state state --www "$WWW" --idle 0 >ready & web=$!
until grep -q listening ready; do kill -0 $web || exit 1; done
echo nameserver 10.66.0.1 >resolv.conf
nsenter -n -t $phone unshare -m sh -c 'mount --bind resolv.conf /etc/resolv.conf
    for one in $ASKED; do echo "$one $(curl -s -m 20 -o /dev/null -w "%{http_code} %{redirect_url}" "http://$one")"; done
    curl -sL -m 20 http://captive.apple.com/hotspot-detect.html | grep -o "<!doctype html>"'
curl -s -o /dev/null -w "itself %{http_code}\n" -H "Host: captive.apple.com" http://10.66.0.1/
rm /run/roost-access-point/address
nsenter -n -t $phone curl -s -o /dev/null -w "later %{http_code}\n" -H "Host: captive.apple.com" http://10.66.0.1/
kill $web $names $phone
"""
ASKED = ("connectivitycheck.gstatic.com/generate_204", "captive.apple.com/hotspot-detect.html", "www.msftconnecttest.com/connecttest.txt",
         "nmcheck.gnome.org/check_network_status.txt")


def portal(check):
    """The requests by which phones look for the internet, with the script's own dnsmasq and the real roost-web."""
    if os.geteuid() or not all(map(shutil.which, ("dnsmasq", "unshare", "nsenter", "curl"))):
        return check.say("portal: skipped, as it needs root and the program dnsmasq")
    with open(f"{ROOT}/packaging/image/root/usr/lib/roost/access-point", encoding="utf-8") as file:
        names = re.search(r"^dnsmasq .*?(?= &$)", file.read(), re.MULTILINE | re.DOTALL)[0]
    folder = check.path("portal")
    os.makedirs(folder)
    environment = {**os.environ, "WEB": check.program("roost-web"), "WWW": f"{ROOT}/Sources/RoostWeb/www", "ASKED": " ".join(ASKED)}
    script = PORTAL.replace("$NAMES", names.replace('"$device"', "wlan0"))
    done = subprocess.run(["unshare", "-n", "-m", "sh", "-c", script], cwd=folder, env=environment, capture_output=True, text=True,
                          timeout=240, check=False)
    wanted = [f"{one} 302 http://10.66.0.1/" for one in ASKED] + ["<!doctype html>", "itself 421", "later 421"]
    check.same(done.stdout.splitlines(), wanted, f"portal ({done.stderr[-300:]})")


def run(check, _):
    for part in (wrong, absent, nothing, joins, returns, refuses, cut, portal):
        part(check)
