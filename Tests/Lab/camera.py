"""The case `camera`: the kernel's virtual camera, a motion sensor on pins, and the service as it is shipped."""

import base64
import json
import os
import statistics

from adapter import Adapter
from bench import (SIMULATED, Skipped, add_chip, case, configuration, demand, dust, has_value,
                   install, journal)

EYES = """{ "camera": { "width": 640, "height": 480, "settleSeconds": 0.2 },
  "megabytes": 4, "pictures": 8, "live": { "width": 640, "height": 480, "framesPerSecond": 15 } }
"""
CAMERA = "modprobe vivid n_devs=1 node_types=0x1"
MOTIONS = 12
KILLS = 12
# From one motion to the next: what comes within 5 s belongs to the one before.
GAP = 6.5
KEPT = 8
SECONDS = 90
EVENTS = "roost events --json --limit 10000 | grep -c '\"kind\":\"motion\"'"
# Processes that read the camera.
READERS = "pgrep -f '^/proc/self/exe camera' | wc -l"


@case
def camera(lab):
    """The kernel's virtual camera: a picture of each motion, live, unplugged, busy, killed; no jitter."""
    with lab.machine(usb=(Adapter.device,), memory=768) as machine:
        add_chip(machine)
        Adapter(lab.sensor(), machine.adapter_path(0)).plug()
        pir = '{ "name": "door", "type": "pir", "line": "GPIO17", "settleSeconds": 0, "blockSeconds": 0 }'
        install(machine, configuration(dust(), pir))
        machine.wait(has_value(), 60, "no value")
        none = machine.run("roost-eyes cameras", check=False)
        demand(none[0] == 66, f"without a camera: {none}")
        if machine.run(CAMERA, check=False)[0] != 0:
            raise Skipped("the kernel has no module vivid")
        by_hand(lab, machine)
        before = jitter(machine)
        machine.write("/etc/roost/eyes.json", EYES)
        machine.run("roost-eyes check")
        machine.wait("roost devices | grep -E '^camera .*vivid.* ready'", 20, "no camera among the devices")
        motions(lab, machine, before)
        kills(lab, machine)
        unplug(machine)
        machine.run("roost status; roost doctor --only camera; roost events --limit 20", check=False)
        journal(lab, machine)
        lab.keep("eyes.txt", machine.run("journalctl -o short-monotonic --no-pager -u roost-eyes"))


def by_hand(lab, machine):
    """What an owner does first: list, take one, see who has the camera."""
    report = json.loads(machine.run("roost-eyes cameras --json | head -n 1"))
    demand("vivid" in report["name"], f"the list: {report}")
    machine.run("roost-eyes camera --width 640 --height 480 --settle 0.2 >/run/now.jpg")
    picture = base64.b64decode(machine.run("base64 -w 0 /run/now.jpg"))
    demand(picture[:3] == b"\xff\xd8\xff" and picture[-2:] == b"\xff\xd9", "no JPEG")
    with open(os.path.join(lab.evidence, "now.jpg"), "wb") as file:
        file.write(picture)
    lab.figure("a picture of 640 × 480", f"{len(picture)} B")
    machine.run("roost-eyes camera --endless >/dev/null & echo $! >/run/reader; sleep 2")
    busy = machine.run("roost-eyes camera >/dev/null", check=False)
    demand(busy[0] == 75 and "another program" in busy[1], f"while another has it: {busy}")
    machine.run("kill $(cat /run/reader)")
    strange = machine.run("roost-eyes camera --device usb:046d:0825 >/dev/null", check=False)
    demand(strange[0] == 66, f"a camera that is not there: {strange}")


def jitter(machine):
    """How far the seconds between readings are from their median, in ms: 95th percentile and worst."""
    machine.run(f"sleep {SECONDS}", SECONDS + 30)
    text = machine.run(f"roost readings --channel dust/pm25 --limit {SECONDS - 5} --json 2>/dev/null")
    instants = sorted(json.loads(line)["instantSeconds"] for line in text.splitlines())
    gaps = [later - earlier for earlier, later in zip(instants, instants[1:])]
    middle = statistics.median(gaps)
    off = sorted(abs(gap - middle) * 1000 for gap in gaps)
    return round(off[int(len(off) * 0.95)], 1), round(off[-1], 1), len(off)


def move(machine, seconds):
    machine.run(f"p=$(echo {SIMULATED}17/pull); echo pull-up >$p; sleep 0.5; echo pull-down >$p; "
                f"sleep {seconds}")


def taken(machine):
    return int(machine.run("roost records list --json | wc -l"))


def motions(lab, machine, before):
    machine.run(f"p=$(echo {SIMULATED}17/pull); (for turn in $(seq {MOTIONS}); do echo pull-up >$p; "
                f"sleep 0.5; echo pull-down >$p; sleep {GAP}; done) >/dev/null 2>&1 &")
    after = jitter(machine)
    machine.wait(f"[ $({EVENTS}) -ge {MOTIONS} ]", 60, "the motions do not arrive")
    machine.wait("roost status --json | grep -q '\"waitingCount\":0'", 30, "pictures are not taken")
    events = int(machine.run(EVENTS))
    report = json.loads(machine.run("roost status --json"))["camera"]
    demand(report["takenCount"] == events and report["leftOutCount"] == 0,
           f"{events} motions: {report}")
    demand(taken(machine) == KEPT, f"{taken(machine)} pictures are kept, not {KEPT}")
    lab.figure("motions, each with a picture", events)
    lab.figure("reading intervals off by, without camera (ms: 95 %, worst, count)", before)
    lab.figure("and with a picture each 7 s", after)
    trial = machine.run("roost-eyes try --live")
    lab.figure("live picture", trial.strip())


def kills(lab, machine):
    """After kill -9 of the daemon nothing reads the camera; the next start takes pictures again."""
    for _ in range(KILLS):
        machine.run(f"sleep {GAP}; p=$(echo {SIMULATED}17/pull); echo pull-up >$p; sleep 0.5; echo pull-down >$p")
        machine.run("systemctl kill --kill-whom=main -s KILL roost-eyes; sleep 0.2")
        left = machine.run(READERS).strip()
        demand(left == "0", f"{left} readers of the camera outlive roost-eyes")
        machine.run("systemctl reset-failed roost-eyes; systemctl start roost-eyes")
        machine.wait("roost status --json | grep -q takenCount", 20, "roost-eyes does not come back")
    zombies = machine.run("ps -eo stat,comm | grep -c '^Z' || true").strip()
    demand(zombies == "0", f"{zombies} zombies")
    machine.wait(has_value(), 20, "no value after the kills")
    move(machine, GAP)
    machine.wait("roost status --json | grep -qE '\"takenCount\":[1-9]'", 20, "no picture after the kills")
    lab.figure("kill -9 of roost-eyes within a capture, no reader left", KILLS)


def unplug(machine):
    machine.run("modprobe -r vivid")
    machine.wait("roost devices | grep -E '^camera .* absent'", 10, "an unplugged camera is not called absent")
    machine.wait("roost events | grep -i 'camera fails'", 60, "no event of an unplugged camera")
    move(machine, GAP)
    machine.run(CAMERA)
    machine.wait("roost events | grep -i 'camera works again'", 60, "no event of a camera that is back")
    count = taken(machine)
    move(machine, GAP)
    demand(taken(machine) == KEPT and count == KEPT, "the ring lost pictures")
    machine.wait("roost devices | grep -E '^camera .*vivid.* ready'", 20, "the camera is not ready again")
