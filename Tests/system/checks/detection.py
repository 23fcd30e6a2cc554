"""From plug to reading on real pseudo-terminals: every profile and stranger behind every adapter.

The parts are `roost simulator part`, each at its own rate; strangers are ours; what is plugged in is
a file that a case rewrites (`roostd --adapters`), in the form of udev. A simulator writes down every
byte that it hears, so `never written to` is a count.

  matrix   every profile and five strangers behind every adapter: exactly the right profile adopts,
           and a device that must not be written to hears 0 bytes
  people   devices, adopt, ignore, rename, forget and readings as commands; unplugged, moved
  restart  a sensor that sleeps is known again after a restart, by what the store remembers

All at the same time unless some are named. `scripts/check storm` plugs at random.
"""

import os
import subprocess
import threading
import time

from ..check import until as wait
from ..station import Part
from ..servers.strangers import STRANGERS, TALKERS, PluggedStation, Strangers, shipped

PRODUCTS = ("roost", "roostd")
WAIT = 45  # seconds for anything that is waited for: a probe, and a loaded machine
UNKNOWN_BRIDGE = ("2341", "0043")  # an Arduino: no shipped profile names it
SDS011_SLEEP = bytes.fromhex("aa b4 06 01 00")


def until(question):
    return wait(question, WAIT)


class Case:
    """One case with its parts, stations and strangers; its problems carry its name."""

    def __init__(self, check, name):
        self.check, self.name = check, name
        self.strangers = check.ends(Strangers())

    def part(self, profile, label):
        return Part(self.check, "part", profile["id"], "--seed", "1",
                    "--baud", str(profile["probe"]["bauds"][0]),
                    trace=self.check.path(f"{self.name}-{label}.trace"))

    def station(self, name, **config):
        return PluggedStation(self.check, name, **config)

    def demand(self, is_so, text):
        return self.check.demand(is_so, f"{self.name}: {text}")

    def say(self, text):
        self.check.say(f"{self.name}: {text}")


# MARK: Matrix


def place(peer):
    """Where a part or a stranger is."""
    return peer["node"] if isinstance(peer, dict) else peer.place


def matrix(case):
    profiles = shipped()
    named = {(m["vendorID"], m["productID"]) for p in profiles.values() for m in p["match"]}
    bridges = sorted(named) + [UNKNOWN_BRIDGE]
    cells = {}
    for bridge in bridges:
        label = "-".join(bridge)
        cells[bridge] = [
            (part_id, case.part(profile, f"{label}-{part_id}"))
            for part_id, profile in sorted(profiles.items())
        ] + [(kind, case.strangers.add(kind)) for kind in STRANGERS]
    stations = {}
    for bridge in bridges:
        station = stations[bridge] = case.station("-".join(bridge), mode="live")
        for socket, (_, peer) in enumerate(cells[bridge], 1):
            station.plug(socket, place(peer), bridge)
    case.strangers.thread.start()
    for station in stations.values():
        station.start()

    def settled(station, count):
        found = station.found().values()
        return len(found) == count and not [f for f in found if f["state"] in ("found", "probing")]

    adopted = unknown = silent = 0
    for bridge, station in stations.items():
        count = len(cells[bridge])
        case.demand(until(lambda: settled(station, count)), f"{bridge}: not settled in {WAIT} s")
        found = station.found()
        for label, peer in cells[bridge]:
            is_part = not isinstance(peer, dict)
            node = place(peer)
            entry = found.get(node, {"state": "missing", "why": ""})
            is_named = is_part and list(bridge) in [
                [m["vendorID"], m["productID"]] for m in profiles[label]["match"]]
            found_as = f"{label} behind {':'.join(bridge)}: {entry['state']} {entry.get('profile')}"
            if is_named:
                adopted += case.demand(
                    entry["state"] == "adopted" and entry["profile"] == label,
                    f"{found_as} ({entry['why']})")
            else:
                unknown += case.demand(entry["state"] == "unknown", f"{found_as} ({entry['why']})")
            heard = sum(map(len, peer.transfers(">"))) if is_part else len(peer["heard"])
            if bridge == UNKNOWN_BRIDGE or label in TALKERS:
                silent += case.demand(heard == 0, f"{found_as} heard {heard} bytes")
            if label in ("silent", "printer"):
                # Read-only questions, each once; a printer answers the first, and that ends them.
                limit = 19 if label == "printer" else 100
                case.demand(heard <= limit, f"{found_as} heard {heard} bytes")
    # The adopted ones of the commonest adapter measure, but those that need power for longer than that first.
    station, wanted = stations[("1a86", "7523")], set()
    for entry in station.found().values():
        preheat = profiles.get(entry.get("profile"), {}).get("duty", {}).get("preheatSeconds", 0)
        wanted |= {entry["name"]} if entry["state"] == "adopted" and preheat <= WAIT else set()
    silent_devices = until(
        lambda: not (wanted - {c.split("/")[0] for c in station.values()}) and "none") or sorted(
            wanted - {c.split("/")[0] for c in station.values()})
    case.demand(silent_devices == "none", f"no value of {silent_devices} within {WAIT} s")
    case.say(f"{len(bridges)} adapters: {adopted} adopted by the right profile, "
             f"{unknown} unknown, {silent} that may not be written to heard 0 bytes")


# MARK: People


def people(case):
    profiles = shipped()
    sds, pms = profiles["nova-sds011"], profiles["plantower-pms"]
    station = case.station("people", mode="live", store={
        "folder": case.check.path("people-store"), "lossWindowSeconds": 10,
        "megabytes": 16})
    usb = ("1a86", "7523")
    dust, other = case.part(sds, "people-sds"), case.part(pms, "people-pms")
    silent = case.strangers.add("silent")
    case.strangers.thread.start()
    station.plug(1, dust.place, usb)
    station.plug(2, other.place, ("10c4", "ea60"), serial="0001")
    station.plug(3, silent["node"], usb)
    station.start()

    def state(node):
        entry = station.found().get(node)
        return entry and (entry["state"], entry.get("name"))

    def reaches(node, wanted, words):
        case.demand(until(lambda: state(node) == wanted), f"{words}: {state(node)}")

    def say(*words, status=0):
        answer = station.roost(*words)
        case.demand(
            answer.returncode == status,
            f"roost {' '.join(words)}: {answer.returncode}, {answer.stderr.strip()}")
        return answer.stdout + answer.stderr

    started = time.monotonic()
    reaches(dust.place, ("adopted", "sds011"), "sds011")
    until(lambda: "sds011/pm25" in station.values())
    case.demand("sds011/pm25" in station.values(), "no value of sds011")
    case.say(f"first value {time.monotonic() - started:.1f} s after the start")
    reaches(other.place, ("adopted", "plantower"), "plantower")
    reaches(silent["node"], ("unknown", None), "the stranger")
    text = say("devices")
    for word in ("sds011", "plantower-pms:usb-0001", "silent, and answers no question"):
        case.demand(word in text, f"roost devices does not say {word}")

    # Names.
    say("devices", "rename", "sds011", "balcony")
    reaches(dust.place, ("adopted", "balcony"), "renamed")
    say("devices", "rename", "balcony", "store", status=1)
    say("devices", "rename", "balcony", "plantower", status=1)
    say("devices", "rename", "nobody", "somebody", status=1)
    until(lambda: "balcony/pm25" in station.values())
    text = until(lambda: (lambda t: t if "balcony/pm25" in t and "sds011/pm25" not in t else "")(
        station.roost("readings", "--last", "1h").stdout))
    case.demand(text, "roost readings has not the past of a renamed device under its new name")
    # Left alone, and taken again.
    say("devices", "ignore", "balcony")
    reaches(dust.place, ("ignored", "balcony"), "ignored")
    # Its driver puts it to sleep on the way out; after that it is left alone.
    case.demand(until(lambda: dust.transfers(">")[-1].startswith(SDS011_SLEEP)),
                "an ignored sensor was not put to sleep")
    heard = len(dust.transfers(">"))
    time.sleep(3)
    case.demand(len(dust.transfers(">")) == heard, "an ignored sensor was written to")
    say("devices", "adopt", dust.place)
    reaches(dust.place, ("adopted", "balcony"), "adopted again")
    # A stranger that somebody vouches for.
    say("devices", "adopt", silent["node"], "--profile", "plantower-pms", "--name", "attic")
    reaches(silent["node"], ("adopted", "attic"), "vouched for")
    say("devices", "adopt", silent["node"], "--profile", "no-such", status=1)
    say("devices", "ignore", "attic")
    reaches(silent["node"], ("ignored", "attic"), "attic ignored")
    # Pulled out, and plugged in elsewhere under another node.
    station.unplug(1)
    dust.close()
    case.demand(until(lambda: state("nova-sds011:A160") == ("absent", "balcony")),
                f"unplugged: {state('nova-sds011:A160')}")
    entry = station.found().get("nova-sds011:A160", {"why": ""})
    case.demand("unplugged" in entry["why"], f"unplugged: why {entry['why']}")
    text = say("devices")
    case.demand("unusable" not in text, "roost devices calls an unplugged sensor unusable")
    again = case.part(sds, "people-again")
    plugged = time.monotonic()
    station.plug(4, again.place, usb)
    reaches(again.place, ("adopted", "balcony"), "plugged in elsewhere")
    case.say(f"known again {time.monotonic() - plugged:.1f} s after the plug")
    # Forgotten: found anew.
    say("devices", "forget", "balcony")
    reaches(again.place, ("adopted", "sds011"), "forgotten")
    events = [event["kind"] for event in station.events()]
    for kind in ("device adopted", "device away", "device back", "device renamed"):
        case.demand(kind in events, f"no event: {kind}")
    station.stop()
    answer = station.roost("devices")
    case.demand(answer.returncode == 69, f"without a station: {answer.returncode}, not 69")
    answer = case.check.roost("readings", "--last", "1h", "--channel", "balcony/pm25",
                              "--store", case.check.path("people-store"))
    case.demand("balcony/pm25" in answer.stdout,
                f"readings from the card: {answer.stdout}{answer.stderr}")
    # A station needs no configuration, but one that is named must be there.
    check = [case.check.program("roostd"), "--check"]
    answer = subprocess.run(
        check + ["--config", case.check.path("none")], capture_output=True, text=True)
    case.demand(answer.returncode == 78, f"a missing --config: {answer.returncode}, not 78")
    if not os.path.exists("/etc/roost/roost.json"):
        answer = subprocess.run(check, capture_output=True, text=True)
        case.demand(answer.returncode == 0 and "uses what is plugged in" in answer.stdout,
                    f"without a configuration: {answer.returncode} {answer.stdout}{answer.stderr}")
    case.say("adopt, ignore, rename, forget, devices, readings, events")


# MARK: Restart


def restart(case):
    """In `normal` mode sensors sleep most of the time, so a station that starts finds them silent.

    An SDS011 asleep still answers who it is; a Plantower hears nothing but its wake-up call, which
    only a station that remembers it may say.
    """
    profiles = shipped()
    dust, other = case.part(profiles["nova-sds011"], "sds"), case.part(profiles["plantower-pms"], "pms")
    names = {dust.place: ("sds011", "balcony", "nova-sds011:A160"),
             other.place: ("plantower", "attic", "plantower-pms:usb-0001")}

    def entry(station, part):
        return station.found().get(part.place, {"state": "missing", "why": ""})

    def run(name, store, body):
        store = {"folder": case.check.path(store), "megabytes": 16}
        station = case.station(name, store=store)
        station.plug(1, dust.place, ("1a86", "7523"))
        station.plug(2, other.place, ("10c4", "ea60"), serial="0001")
        station.start()
        until(lambda: all(entry(station, part)["state"] not in ("missing", "found", "probing")
                          for part in (dust, other)))
        body(station)
        case.demand(station.stop() == 0, f"{name} did not stop in order")

    def first(station):
        for part in (dust, other):
            old, new, _ = names[part.place]
            station.roost("devices", "rename", old, new)
            until(lambda: (entry(station, part).get("name"), entry(station, part)["state"])
                  == (new, "adopted"))

    def said(part):
        return len(part.transfers("<"))

    def second(station):
        for part in (dust, other):
            now = entry(station, part)
            found = (now["state"], now.get("name"), now.get("identity"))
            case.demand(found == ("adopted",) + names[part.place][1:], f"{now}")
        log = station.log()
        case.demand(log.count("device back") == 2, "not both are back")
        case.demand("adapter unknown" not in log, "declared unknown on the way")
        case.demand("device adopted" not in log, "adopted as if it were new")
        case.say("both are known again, none was unknown on the way")

    def control(station):
        states = [entry(station, part)["state"] for part in (dust, other)]
        case.demand(states == ["adopted", "unknown"], f"without memory {states}")

    run("restart-1", "kept", first)
    before = [said(part) for part in (dust, other)]
    time.sleep(2.5)
    case.demand(before == [said(part) for part in (dust, other)],
                "a sensor does not sleep, so this shows nothing")
    run("restart-2", "kept", second)
    run("restart-3", "fresh", control)

CASES = {"matrix": matrix, "people": people, "restart": restart}


def perform(check, name):
    case = Case(check, name)
    try:
        CASES[name](case)
    except Exception as error:  # In a thread it would be lost.
        case.demand(False, f"{type(error).__name__}: {error}")


def arguments(parser):
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(CASES))


def run(check, options):
    for name in options.cases:
        check.demand(name in CASES, f"there is no case {name}; there are {', '.join(CASES)}")
    # They wait most of the time, so they wait together.
    threads = [threading.Thread(target=perform, args=(check, name))
               for name in options.cases or CASES if name in CASES]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
