"""Bytes written to the card in a day, counted by QEMU at the block device.

The guest's time passes as fast as its processor is idle (-icount with sleep=off), so a day is a day of the
station's own clocks and timers, and takes some minutes here. The sensor is our simulator inside the guest, as
one outside could not follow.
"""

import json
import time

from . import bench as shared
from .bench import LabFailed, board
import writelog

MIB = 1 << 20
DAY = 86400
SETTLE = 900  # Seconds after the start: the first start's own writes are counted apart.
LIMITS = {"idle": 3e6, "5 min": 6e6, "1 Hz": 6e6}
# The shipped values but for the port, and for 1 Hz the mode.
SENSOR = {"name": "dust", "type": "sds011", "port": "/run/lab/sds011"}
PLAN = {"idle": None, "5 min": "normal", "1 Hz": "live"}


def writes(bench):
    """A day without a sensor, with one at 5 min, and with one at 1 Hz."""
    hours = bench.options.hours
    for name, mode in PLAN.items():
        if not bench.wants(name):
            continue
        configuration = {"store": {"journal": "auto"}, "claim": {"window": True}}
        if mode:
            configuration.update({"mode": mode, "devices": [SENSOR]})
        card = bench.card(f"writes-{mode or 'idle'}", configuration)
        log = bench.check.path(f"writes-{mode or 'idle'}.log")
        with bench.board(f"writes-{mode or 'idle'}", card, usb=(), is_fast=True, log=log) as machine:
            if mode:
                put_sensor(machine)
            measure(bench, machine, name, hours, log, card)
        bench.close(card)


def put_sensor(machine):
    """Our simulator in the guest, in place of an adapter; the unit must let the station open it."""
    machine.write("/run/systemd/system/roostd.service.d/90-lab.conf",
                  "[Service]\nDeviceAllow=char-pts rw\n")
    machine.write("/run/systemd/system/lab-sensor.service",
                  "[Service]\nUser=roost\nRuntimeDirectory=lab\nRuntimeDirectoryMode=0755\n"
                  "ExecStart=/usr/bin/roost simulator sds011 --link /run/lab/sds011\n")
    # A station that is stopped while it opens a pseudo-terminal leaves it locked for the next one.
    machine.run("systemctl daemon-reload && systemctl stop roostd && systemctl start lab-sensor && systemctl start roostd", 600)
    for _ in range(60):
        if shared.values(machine) > 0:
            return
        machine.run("sleep 5")
    raise LabFailed("no value of the sensor in the guest")


def measure(bench, machine, name, hours, log, card):
    machine.run(f"sleep {SETTLE}", 1200)
    bench.figure(f"{name}: first start and {SETTLE // 60} min", f"{machine.written()[0] / 1e6:.2f} MB")
    before, place, began = machine.written(), writelog.count(log), time.monotonic()
    uptime = float(machine.run("cut -d ' ' -f 1 /proc/uptime"))
    machine.run(f"sleep {int(hours * 3600)}", 6 * 3600)
    seconds = float(machine.run("cut -d ' ' -f 1 /proc/uptime")) - uptime
    after = machine.written()
    count, requests, flushes = (new - old for new, old in zip(after, before))
    day = count * DAY / seconds
    bench.figure(f"{name}: a day", f"{day / 1e6:.2f} MB, {requests * DAY / seconds:.0f} requests, "
                 f"{flushes * DAY / seconds:.0f} flushes (of {seconds / 3600:.1f} h, in {time.monotonic() - began:.0f} s here)")
    bench.check.demand(day <= LIMITS[name], f"{name}: {day / 1e6:.2f} MB a day, {LIMITS[name] / 1e6:.0f} are allowed")
    by_part = {}
    parts = board.table(card)
    for number, (position, _, data) in enumerate(writelog.entries(log), 1):
        if number > place and data:
            part = next((one for one, (first, size) in sorted(parts.items(), reverse=True)
                         if first <= position < first + size), 0)
            by_part[part] = by_part.get(part, 0) + len(data)
    names = {0: "table", 1: "boot", 2: "root A", 3: "root B", 5: "journal", 6: "data"}
    bench.figure(f"{name}: by partition", ", ".join(
        f"{names.get(part, part)} {size * DAY / seconds / 1e6:.2f} MB" for part, size in sorted(by_part.items())) or "nothing")
    if shared.values(machine) == 0 and PLAN[name]:
        bench.check.demand(False, f"{name}: no values in the store")
    stored = shared.values(machine)
    machine.run("systemctl stop roostd; sync", 600)
    bench.figure(f"{name}: an orderly stop, with the history's commit", f"{(machine.written()[0] - after[0]) / 1e6:.2f} MB, {stored} values")
