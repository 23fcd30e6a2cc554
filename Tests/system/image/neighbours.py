"""Two new stations on one network, both with the image's name: each has an address of its own, and they find each other."""

import re
import time

from . import bench as shared
from ..check import until
from .bench import LabFailed

BOOT_SECONDS = 900
# What a router gives by DHCP, and the card of the network that the two share.
LAN = "[Match]\nName=eth1\n\n[Network]\nAddress=192.168.99.{number}/24\n"
NAME = "busctl call org.freedesktop.Avahi / org.freedesktop.Avahi.Server GetHostNameFqdn"


def one_name(bench):
    """Both are switched on at one network; the one that comes later takes another name by itself."""
    cards, segment = [bench.card(f"one-name-{number}") for number in (1, 2)], shared.free_port()
    ports = [shared.free_port(), shared.free_port()]
    first, second = (bench.board(f"faults-one-name-{number}", card, usb=(), web=port, wait=0)
                     for number, (card, port) in enumerate(zip(cards, ports), 1))
    for number, (machine, how) in enumerate(((first, "listen"), (second, "connect")), 1):
        machine.arguments += ["-netdev", f"socket,id=lan,{how}=127.0.0.1:{segment}",
                              "-device", f"virtio-net-pci,netdev=lan,mac=52:54:00:99:00:0{number},romfile="]
    with first:
        joins(bench, first, ports[0], 1)
        bench.check.same(name(first), "roost.local", "the first station's name")
        with second:
            joins(bench, second, ports[1], 2)
            # Of two names that are the same, the later one yields.
            found = until(lambda: name(second) != "roost.local" or name(first) != "roost.local", 120, 2)
            bench.check.demand(found, "both stations answer to roost.local")
            # Avahi counts on where a name is taken while its network changes: often 2, seen is 3, too.
            names = [name(first), name(second)]
            bench.check.demand(names[0] == "roost.local" and re.fullmatch(r"roost-\d\.local", names[1]), f"the names of both: {names}")
            for number, machine in enumerate((first, second)):
                looks_around(bench, machine, names, number)
            bench.figure("one name: host names", " and ".join(names))
    bench.close(*cards)


def joins(bench, machine, port, number):
    """Waits for its page, then has it join the network of both."""
    seconds = shared.wait_for_page(machine, port, BOOT_SECONDS)
    machine.wait_for_boot(BOOT_SECONDS)
    bench.figure(f"one name: page of station {number} after", f"{seconds:.0f} s")
    machine.write("/run/systemd/network/10-lan.network", LAN.format(number=number))
    machine.run("networkctl reload && networkctl reconfigure eth1")
    machine.wait("ip -4 -o address show dev eth1 | grep -q 192.168.99", 60, "no address in the network of both")
    # The courier looks for other stations where its owner says so.
    machine.write("/etc/roost/courier.json", '{ "stations": {} }')


def name(machine):
    return machine.run(NAME).split('"')[1]


def looks_around(bench, machine, names, number):
    """Each has both names with their addresses, and `roost stations` the other one."""
    own = names[number]
    for place, host in enumerate(names, 1):
        address = f"192.168.99.{place}"
        try:
            machine.wait(f"avahi-resolve -4 -n {host} | grep -q {address}", 60, f"{own} does not resolve {host} to {address}")
        except LabFailed as failure:
            bench.check.problems.append(f"one name: {failure}; {machine.run(f'avahi-resolve -4 -n {host}', check=False)[1]}")
    other = f"192.168.99.{2 - number}"
    begun = time.monotonic()

    def said():
        return machine.run("roost stations --json 2>&1", 120, check=False)[1]

    bench.check.demand(until(lambda: other in said(), 180, 5), f"{own}: roost stations: {said()}")
    bench.figure(f"one name: {own} finds the other after", f"{time.monotonic() - begun:.0f} s")
