"""The lab's cases: each a function that raises `Failed`, its first line of words what it shows."""

import os
import subprocess
import time

import camera  # noqa: F401  Registers its case.
import card as card_case
import header  # noqa: F401  Registers its cases.
import i2c  # noqa: F401  Registers its case.
import partition  # noqa: F401  Registers its case.
import usb  # noqa: F401  Registers its cases.
from adapter import Adapter
from bench import (CASES, SIMULATED, Lab, Skipped, add_chip, case, configuration, demand, dust,
                   has_value, install, journal, reading_count, show)

__all__ = ["CASES", "Lab", "Skipped"]


@case
def systemd(lab):
    """The unit boots to READY and a reading; kill -9, SIGSTOP, a stop, a mistake, a restart."""
    with lab.machine(usb=(Adapter.device,)) as machine:
        Adapter(lab.sensor(), machine.adapter_path(0)).plug()
        install(machine, configuration(dust()))
        machine.wait(has_value(), 60, "no value after the installation")
        demand("same" in machine.run("/lab/scripts/install --prefix=/usr --binaries=/lab/bin", 120),
               "a second installation changes files")
        # The real time-out is 30 s: the lab has no time for that.
        machine.write("/etc/systemd/system/roostd.service.d/lab.conf",
                      "[Service]\nWatchdogSec=6\n")
        machine.run("systemctl daemon-reload && systemctl restart roostd")
        machine.wait(has_value(), 60, "no value after a restart")
        kill_it(lab, machine)
        freeze_it(lab, machine)
        check_exposure(lab, machine)
        refuse_a_mistake(machine)
        journal(lab, machine)
        boot_again(lab, machine)


def kill_it(lab, machine):
    before = show(machine, "MainPID,NRestarts")
    count = reading_count(machine)
    machine.run("systemctl kill --kill-whom=main -s KILL roostd")
    machine.wait(f"[ $(systemctl show roostd -P MainPID) != {before['MainPID']} ] && "
                 + has_value(), 60, "no value after kill -9")
    after = show(machine, "MainPID,NRestarts,Result")
    demand(int(after["NRestarts"]) == int(before["NRestarts"]) + 1, f"after kill -9: {after}")
    # The loss window is ten minutes: without the mirror in /run these readings were gone.
    lost = count - reading_count(machine)
    demand(lost <= 0, f"kill -9 cost {lost} of {count} readings")
    lab.figure("readings before kill -9, all there afterwards", count)
    demand("crashed" in machine.run("roost ledger").lower(), "the ledger names no crash")


def freeze_it(lab, machine):
    before = show(machine, "MainPID,NRestarts")
    machine.run("systemctl kill --kill-whom=main -s STOP roostd")
    seconds = machine.wait(f"[ $(systemctl show roostd -P MainPID) != {before['MainPID']} ] && "
                           + has_value(), 60, "no value after SIGSTOP")
    after = show(machine, "NRestarts")
    demand(int(after["NRestarts"]) == int(before["NRestarts"]) + 1, f"after SIGSTOP: {after}")
    demand("Watchdog timeout" in machine.run("journalctl -o cat --no-pager -u roostd"),
           "systemd's watchdog did not do it")
    lab.figure("SIGSTOP to a value again, WatchdogSec=6", f"{seconds} s")


def check_exposure(lab, machine):
    text = machine.run("systemd-analyze security --no-pager roostd")
    lab.keep("security.txt", text)
    lab.figure("systemd-analyze security", text.split(": ")[-1].split()[0])
    text = machine.run("systemctl status --no-pager roostd; cat /proc/$(systemctl show roostd -P "
                       "MainPID)/status | grep -E 'Cap|NoNew|Seccomp|Groups|Uid'")
    demand("CapEff:\t0000000000000000" in text, "the station has capabilities")


def refuse_a_mistake(machine):
    machine.run("cp /etc/roost/roost.json /var/tmp/; echo '{' >/etc/roost/roost.json; "
                "systemctl restart roostd", check=False)
    machine.wait("[ $(systemctl show roostd -P ActiveState) = failed ]", 20,
                 "a wrong configuration does not fail the unit")
    demand(show(machine, "ExecMainStatus")["ExecMainStatus"] == "78", "not status 78")
    machine.run("cp /var/tmp/roost.json /etc/roost/ && systemctl start roostd")
    machine.wait(has_value(), 60, "no value with the right configuration again")
    machine.run("systemctl stop roostd", 30)
    result = show(machine, "Result,ExecMainStatus")
    demand(result == {"Result": "success", "ExecMainStatus": "0"}, f"an orderly stop: {result}")


def boot_again(lab, machine):
    machine.run("rm -r /etc/systemd/system/roostd.service.d; sync; (sleep 1; systemctl reboot) &")
    lab.figure("restart of the machine to the agent", f"{machine.wait_for_boot(240):.1f} s")
    machine.wait(has_value(), 90, "no value after a restart of the machine")
    text = journal(lab, machine, "journal-second-boot.txt")
    ready = [line for line in text.splitlines() if "Started roostd" in line]
    lab.figure("READY after the kernel's start", ready[-1].split("]")[0].strip("[ ") + " s")


@case
def clock(lab):
    """A clock at 1970, then set, then stepped back: no reading lost, the old ones dated."""
    with lab.machine(usb=(Adapter.device,), rtc=False) as machine:
        Adapter(lab.sensor(), machine.adapter_path(0)).plug()
        # The kernel takes no time before its own start.
        machine.run("date -u -s @$(( $(cut -d . -f 1 /proc/uptime) + 20 ))")
        install(machine, configuration(dust()).replace("16 }", '16, "lossWindowSeconds": 10 }'))
        machine.wait(has_value(), 60, "no value in 1970")
        process = show(machine, "MainPID,NRestarts")
        machine.run("sleep 5; roost status; roost readings --limit 3; date -u")
        demand(machine.ask_roost("status").get("wallTime") is None, "believes a clock of 1970")
        synchronise(machine, "2026-11-21 03:00:00")
        machine.wait("roost status --json | grep -q wallTime.*2026", 30, "does not see the sync")
        # The anchor goes to the card with the next block, a loss window later.
        oldest = "roost readings --limit 10000 --json | head -n 1"
        machine.wait(f"{oldest} | grep -E '2026-11-21T0(2:5|3:0)'", 60,
                     "the first reading is not dated afterwards")
        machine.wait(has_value(), 20, "no value after the clock was set")
        synchronise(machine, "2026-11-21 02:00:00")
        machine.wait(has_value(), 20, "no value after the clock went back an hour")
        demand(show(machine, "MainPID,NRestarts") == process, "the station was restarted")
        # Within a run the next anchor comes after an hour; a new run notes one at once.
        machine.run("systemctl restart roostd", 30)
        machine.wait(f"{oldest} | grep -E '2026-11-21T0(1:5|2:0)'", 60,
                     "the later anchor does not win")
        machine.run("roost status; roost readings --limit 12; roost ledger")
        seconds = machine.run("roost readings --channel dust/pm25 --limit 10000 --json "
                              "2>/dev/null | wc -l")
        lab.figure("values over two steps", int(seconds))
        journal(lab, machine)


def synchronise(machine, moment):
    """Sets the clock as a time service does, and tells the kernel that it is right."""
    # timex: modes ADJ_STATUS | ADJ_MAXERROR, then status STA_PLL in place of STA_UNSYNC.
    machine.run(f"date -u -s '{moment}' && perl -e '"
                "my $t = pack(\"L x4 q q q q l x164\", 0x14, 0, 0, 0, 0, 1); "
                "syscall(159, $t) >= 0 or die $!'")


@case
def watchdog(lab):
    """The board's watchdog: armed, read back; a stopped loop resets, an orderly stop does not."""
    with lab.machine(usb=(Adapter.device,), watchdog=True) as machine:
        Adapter(lab.sensor(), machine.adapter_path(0)).plug()
        more = ', "watchdog": { "timeoutSeconds": 6 }'
        install(machine, configuration(dust(), more=more))
        machine.wait(has_value(), 60, "no value")
        state = "cd /sys/class/watchdog/watchdog0 && cat identity state timeout nowayout"
        told = machine.run(state + "; ls -l /dev/watchdog*; roost status").splitlines()
        demand(told[1:3] == ["active", "6"], f"not armed with 6 s: {told[:4]}")
        machine.run("systemctl stop roostd", 30)
        demand(machine.run(state).split()[-3] == "inactive", "an orderly stop leaves it running")
        demand(machine.event("RESET", 9) is None, "an orderly stop resets the board")
        machine.run("systemctl start roostd")
        machine.wait(has_value(), 60, "no value after the start")
        machine.run("sync")
        machine.run("systemctl kill --kill-whom=main -s STOP roostd")
        began = time.monotonic()
        reset = machine.event("RESET", 30)
        demand(reset is not None, "a stopped loop does not reset the board")
        lab.figure("SIGSTOP to reset, time-out 6 s", f"{reset - began:.1f} s")
        machine.wait_for_boot(240)
        machine.wait(has_value(), 90, "no value after the reset")
        demand(machine.run("cat /sys/class/watchdog/watchdog0/bootstatus").strip() == "32",
               "the kernel does not say that the card reset")
        text = machine.run("roost status; roost events --limit 40; roost ledger")
        demand("caused the last boot" in text, "the station does not say why it was reset")
        journal(lab, machine)


@case
def card(lab):
    """An SD card with logged writes: power cut at prefixes, store opens, nothing owed is lost."""
    card_case.run(lab, "card")


@case
def cache(lab):
    """The same on a disk with a cache: at each cut, writes that were not flushed are dropped."""
    card_case.run(lab, "disk")


STILL = "roost devices | grep -E '^door .* still$'"


@case
def gpio(lab):
    """Real GPIO character devices: lamps in one request, motion by edges, a burst, a busy line."""
    live_on_pins(lab, "/lab/bin")


@case
def gpio2(lab):
    """The same with libgpiod 2.x, Debian 13's, in place of 1.6."""
    if not os.path.isdir(os.path.join(lab.share, "bin2")):
        raise Skipped("no programs with libgpiod 2.x: scripts/check gpio 2 needs pip once")
    live_on_pins(lab, "/lab/bin2")


def live_on_pins(lab, binaries):
    with lab.machine(usb=(Adapter.device,)) as machine:
        add_chip(machine)
        Adapter(lab.sensor("--air", "1.0/2.0"), machine.adapter_path(0)).plug()
        pir = '{ "name": "door", "type": "pir", "line": "GPIO17", "settleSeconds": 0 }'
        lights = ', "lights": { "follows": "dust" }'
        install(machine, configuration(dust(), pir, more=lights), binaries)
        lab.figure("libgpiod", machine.run("roost doctor --json | grep -o 'libgpiod [0-9.]*' | "
                                           "head -n 1", check=False)[1].strip() or "not told")
        machine.wait(has_value(), 60, "no value")
        demand(machine.run("stat -c %G:%a /dev/gpiochip0").strip() == "gpio:660",
               "our rule does not give the chip to group gpio")
        lamps = "cat " + " ".join(f"{SIMULATED}{line}/value" for line in (9, 10, 11))
        machine.wait(f"[ \"$({lamps} | tr -d '\\n')\" = 001 ]", 20, "green alone is not lit")
        pull = f"{SIMULATED}17/pull"
        machine.run(f"sleep 1; echo pull-up >$(echo {pull})")
        machine.wait("roost events | grep -i motion", 20, "no motion by an edge")
        drop_an_edge(machine, pull)
        machine.run(f"p=$(echo {pull}); for turn in $(seq 400); do echo pull-up >$p; "
                    "echo pull-down >$p; done", 60)
        machine.wait(has_value(), 30, "a burst of edges stops the dust sensor")
        machine.wait(STILL, 20, "the burst ended low, and the station goes on seeing motion")
        machine.run("roost status; roost devices; roost events --limit 20")
        told_busy(machine)
        machine.run("systemctl stop roostd", 30)
        machine.wait(f"[ \"$({lamps} | tr -d '\\n')\" = 000 ]", 5, "a lamp is lit after the stop")
        journal(lab, machine)


def drop_an_edge(machine, pull):
    """The kernel keeps 16 edges of a line and drops the newest: here the one that ends a motion."""
    machine.run("systemctl kill --kill-whom=main -s STOP roostd; "
                f"p=$(echo {pull}); for turn in $(seq 8); do echo pull-down >$p; "
                "echo pull-up >$p; done; echo pull-down >$p; "
                "systemctl kill --kill-whom=main -s CONT roostd")
    machine.wait(STILL, 30, "an edge that the kernel dropped leaves the motion on for ever")


def told_busy(machine):
    """A second station on the same lines is told that they are taken, and by whom."""
    machine.write("/var/tmp/second.json",
                  '{ "name": "second", "socket": "/run/second/roost.sock", "devices": [],'
                  ' "lights": {} }')
    machine.run("(roostd --config /var/tmp/second.json & echo $! >/run/second.pid) "
                ">/var/tmp/second.log 2>&1")
    asked = "roost status --socket /run/second/roost.sock"
    machine.wait(f"{asked} | grep -i -E 'roost.*GPIO|GPIO.*roost|busy'", 20,
                 "a busy line is not named")
    machine.run(f"{asked}; kill $(cat /run/second.pid); cat /var/tmp/second.log")


@case
def size(lab):
    """What the service takes: programs, packages it needs on a minimal Debian, memory, start."""
    base = [entry.path for entry in os.scandir(os.path.join(lab.guest, "build"))
            if entry.name.startswith("base-")][0]
    total = 0
    for name in ("roostd", "roost"):
        bytes_ = os.path.getsize(os.path.join(lab.share, "bin", name))
        total += bytes_
        lab.figure(f"{name}, stripped", f"{bytes_ / 1e6:.1f} MB")
    # In the guest's own root file system, before anything is run in it.
    inside = ["unshare", "-m", "sh", "-c",
              f"mount --bind {lab.share}/bin {base}/mnt && exec chroot {base} sh -c '"
              "for program in roostd roost; do ldd /mnt/$program; done; exit 0'"]
    said = subprocess.run(inside, capture_output=True, text=True, check=False)
    lab.keep("ldd.txt", said.stdout + said.stderr)
    demand("not found" not in said.stdout, f"a library is missing: {said.stdout}")
    libraries = {line.split("=> ")[1].split(" ")[0] for line in said.stdout.splitlines()
                 if "=> /" in line}
    demand(libraries, f"ldd says nothing: {said.stderr}")
    packages = set()
    for library in libraries:
        # A merged /usr: dpkg knows a library by either of its paths.
        owner = subprocess.run(["dpkg-query", f"--root={base}", "-S", f"*{library}"],
                               capture_output=True, text=True, check=False).stdout
        packages.add(owner.split(":")[0])
    sizes = subprocess.run(
        ["dpkg-query", f"--root={base}", "-W", "-f",
         "${Package} ${Installed-Size} ${Essential}${Priority}\n", *sorted(packages)],
        capture_output=True, text=True, check=True).stdout
    lab.keep("packages.txt", sizes)
    needed = [line.split()[0] for line in sizes.splitlines() if "required" not in line]
    lab.figure("packages beyond the minimum", ", ".join(needed))
    lab.figure("installed", f"{total / 1e6:.1f} MB")
    with lab.machine() as machine:
        install(machine, configuration())
        machine.wait("roost status", 30, "no answer")
        memory = machine.run("cat /proc/$(systemctl show roostd -P MainPID)/smaps_rollup | "
                             "awk '/^(Rss|Private)/ { print $1, $2 }'").split()
        lab.figure("resident, no device, KiB", memory[1])
        journal(lab, machine)
