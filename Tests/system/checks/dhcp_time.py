"""The NTP servers of a DHCP lease reach systemd-timesyncd where NetworkManager has the network.

The script of the package runs with its paths in the check's folder and a stand-in for systemctl, as NetworkManager's
dispatcher runs it.
"""

import os
import subprocess

from ..check import ROOT

SCRIPT = f"{ROOT}/packaging/networkmanager/40-roost-time"
LONG = " ".join(f"192.168.1.{number}" for number in range(1, 7))


def arguments(_):
    pass


def run(check, _):
    folder = check.path("root")
    for name in ("tools", "usr/lib/systemd", "run"):
        os.makedirs(os.path.join(folder, name))
    with open(SCRIPT, encoding="utf-8") as file:
        text = file.read()
    for top in ("/run/", "/usr/lib/systemd/", "/lib/systemd/"):
        text = text.replace(f" {top}", f" {folder}{top}").replace(f"={top}", f"={folder}{top}")
    files = {"script": text, "tools/systemctl": f'#!/bin/sh\necho "$*" >>{folder}/calls\n',
             "usr/lib/systemd/systemd-timesyncd": "#!/bin/sh\n"}

    def put(name):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(files[name])
        os.chmod(path, 0o755)

    def calls():
        path = os.path.join(folder, "calls")
        if not os.path.exists(path):
            return 0
        with open(path, encoding="utf-8") as file:
            return file.read().count("--no-block try-restart systemd-timesyncd.service\n")

    def told(interface, action, servers=None):
        """All files after a change, by name: what NTP= says."""
        environment = {"PATH": f"{folder}/tools:{os.environ['PATH']}"}
        if servers is not None:
            environment["DHCP4_NTP_SERVERS"] = servers
        # In the root folder, as the dispatcher: a name with * must match nothing there.
        done = subprocess.run([f"{folder}/script", interface, action], env=environment, cwd="/", check=False,
                              capture_output=True, text=True)
        check.same((done.returncode, done.stdout, done.stderr), (0, "", ""), f"{interface} {action} {servers}")
        place, found = os.path.join(folder, "run/systemd/timesyncd.conf.d"), {}
        for name in os.listdir(place) if os.path.isdir(place) else []:
            with open(os.path.join(place, name), encoding="utf-8") as file:
                found[name] = file.read().partition("[Time]\nNTP=")[2]
        return found

    put("script")
    put("tools/systemctl")
    check.same(told("eth0", "up", "192.168.1.1"), {}, "without systemd-timesyncd")
    put("usr/lib/systemd/systemd-timesyncd")
    for servers in ("", None, "pool.ntp.org", "fe80::1", "0.0.0.0", "127.0.0.1", "224.0.1.1", "255.255.255.255", "256.1.1.1",
                    "1.2.3", "1.2.3.4.5", "01.2.3.4", "1..2.3", ".1.2.3", "1.2.3.", "*", "1.2.3.4;reboot", "-n", "999999.1.1.1"):
        check.same(told("eth0", "up", servers), {}, f"nothing by {servers!r}")
    for interface in ("", ".", "../x", "a b", "a/b", "é"):
        check.same(told(interface, "up", "192.168.1.1"), {}, f"nothing for {interface!r}")
    check.same(told("eth0", "hostname", "192.168.1.1"), {}, "another action")
    check.same(calls(), 0, "restarts so far")
    one = {"roost-eth0.conf": "192.168.1.1\n"}
    check.same(told("eth0", "up", "192.168.1.1"), one, "a server")
    check.same(told("eth0", "dhcp4-change", "192.168.1.1"), one, "the lease is renewed")
    check.same(calls(), 1, "no restart where nothing changed")
    both = {"roost-eth0.conf": "10.0.0.7 9.9.9.9\n"}
    check.same(told("eth0", "dhcp4-change", "10.0.0.7 NTP=x 9.9.9.9\n[Time]"), both, "two servers and what is none")
    check.same(told("wlan0", "up", LONG), {**both, "roost-wlan0.conf": "192.168.1.1 192.168.1.2 192.168.1.3 192.168.1.4\n"},
               "four at most, of another interface")
    check.same(told("wlan0", "dhcp4-change", ""), both, "a lease that names none")
    check.same(told("eth0", "down", "10.0.0.7"), {}, "the connection ends")
    check.same(told("eth0", "down"), {}, "and again")
    check.same(calls(), 5, "restarts")
