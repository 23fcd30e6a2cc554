"""From power on to the claim page and to the first reading, with times."""

import re

from . import bench as shared
from ..check import until

BOOT_SECONDS = 900


def boot(bench):
    """A new card: claim page, first reading, nothing failed, nothing of the root written."""
    card = bench.card("boot")
    port = shared.free_port()
    with bench.board("boot", card, web=port, wait=0) as machine:
        bench.figure("power on to the page", f"{shared.wait_for_page(machine, port, BOOT_SECONDS):.0f} s")
        machine.wait_for_boot(BOOT_SECONDS)
        # The dashboard answers before the station has its store open.
        claim = until(lambda: shared.ask(port, "claim").get("isOpen"), 120, 2)
        bench.check.demand(claim is True, f"a new station cannot be claimed: {shared.ask(port, 'claim')}")
        began = machine.seconds()
        bench.plug(machine, bench.sensor())
        bench.figure("sensor plugged in to its first reading",
                     f"{shared.wait_for_value(machine, began + 600) - began:.0f} s")
        look(bench, machine)
        # The loss window is ten minutes; an orderly stop writes what waits.
        machine.run("systemctl restart roostd", 120)
    second_start(bench, card)
    bench.close(card)


def look(bench, machine):
    """What stands on a running station."""
    demand = bench.check.demand
    failed = machine.run("systemctl --failed --no-legend --plain").strip()
    demand(not failed, f"failed units: {failed}")
    mounts = machine.run("findmnt -n -o TARGET,FSTYPE,OPTIONS -l")
    demand(re.search(r"^/ +ext4 +ro,", mounts, re.M), f"the root is not read-only: {mounts}")
    demand(re.search(r"^/boot/firmware +vfat +ro,", mounts, re.M), "the boot partition is not read-only")
    demand(re.search(r"^/data +ext4 +rw,", mounts, re.M), "there is no data partition")
    demand("partition" not in machine.run("swapon --noheadings --show=TYPE,NAME | grep -v zram || true"), "swap on the card")
    demand(machine.run("ss -Hltn 'sport = :22'").strip() == "", "SSH listens without having been asked for")
    shadow = machine.run("cut -d : -f 1,2 /etc/shadow")
    demand(not re.search(r":[^!*]", shadow), f"an account has a password: {shadow}")
    timers = machine.run("systemctl list-timers --all --no-legend --plain | awk '{print $(NF-1)}'").split()
    demand(set(timers) <= {"roost-warnings.timer", "systemd-tmpfiles-clean.timer"}, f"timers: {timers}")
    demand("14s" in machine.run("systemctl show -p RuntimeWatchdogUSec"), "systemd does not pet the watchdog")
    demand(machine.run("cat /proc/sys/kernel/panic").strip() == "10", "a panic does not restart the board")
    store = machine.ask_roost("status").get("store", {})
    demand(store.get("isOnPartition"), f"the journal is not on its partition: {store}")
    others(bench, machine)
    memory(bench, machine)
    bench.figure("memory in use", machine.run("free -m | awk '/^Mem/ {print $3}'").strip() + " MB")
    bench.figure("start, as systemd has it", machine.run("systemd-analyze time || true").splitlines()[0])
    with open(bench.check.path("boot", "journal.txt"), "w", encoding="utf-8") as file:
        file.write(machine.run("journalctl -b --no-pager -o short-monotonic", 120))
    with open(bench.check.path("boot", "blame.txt"), "w", encoding="utf-8") as file:
        file.write(machine.run("systemd-analyze blame; systemd-analyze critical-chain roostd.service", 300))


def others(bench, machine):
    """Other stations are found, and a camera that gives no JPEG has a picture, by what is in the image."""
    found = machine.run("avahi-browse --resolve --parsable --terminate _roost._tcp", 60)
    bench.check.demand(re.search(r"^=;[^;]*;IPv4;Roost", found, re.M), f"avahi-browse does not find the station itself: {found}")
    machine.run("modprobe --dry-run uvcvideo && modprobe vivid n_devs=1 node_types=0x1 && udevadm settle", 120)
    said = machine.run("roost-eyes camera --width 640 --height 480 >/run/now.jpg; echo $?; head -c 3 /run/now.jpg | od -An -tx1; "
                       "stat -c %s /run/now.jpg", 120).split()
    bench.check.demand(said[:4] == ["0", "ff", "d8", "ff"], f"no picture of a camera that gives YUYV: {said}")
    bench.figure("picture of a virtual camera, YUYV, 640 x 480", f"{said[-1]} bytes")


# Each process of a unit: its resident pages, and those shared with others by their part (PSS).
SHARES = r"""for unit in {units}; do
    cat $(sed 's,.*,/proc/&/smaps_rollup,' /sys/fs/cgroup/system.slice/$unit.service/cgroup.procs) |
        awk -v unit=$unit '/^Rss:/ {{ count++; rss += $2 }} /^Pss:/ {{ pss += $2 }}
            END {{ printf "%s: %d processes, Rss %d KiB, Pss: %d KiB\n", unit, count, rss, pss }}'
done"""


def memory(bench, machine):
    """What the programs have in memory together, pages that they share counted once (PSS); then while a camera is read."""
    machine.write("/etc/roost/courier.json", '{ "targets": [] }')
    machine.write("/etc/roost/eyes.json", '{ "camera": {}, "megabytes": 1, "pictures": 4 }')
    machine.run("sleep 10; systemctl start roost-courier roost-eyes; sleep 10", 120, check=False)
    units = ["roostd", "roost-web", "roost-courier", "roost-eyes"]
    shares(bench, machine, units, "programs")
    machine.run("systemd-run --quiet --unit=roost-reads sh -c 'roost-eyes camera --endless >/dev/null'; sleep 10", 60)
    shares(bench, machine, [*units, "roost-reads"], "programs, a camera being read")
    machine.run("systemctl stop roost-reads; rm /etc/roost/courier.json /etc/roost/eyes.json; "
                "systemctl stop roost-courier roost-eyes", 60, check=False)


def shares(bench, machine, units, name):
    said = machine.run(SHARES.format(units=" ".join(units)), 120).strip()
    bench.figure(f"{name} in memory", said.replace("\n", "; "))
    numbers = [int(number) for number in re.findall(r"Pss: (\d+)", said)]
    bench.check.demand(len(numbers) == len(units) and min(numbers) > 0, f"programs that run: {said}")
    bench.figure(f"{name} together", f"{sum(numbers) / 1024:.1f} MiB of PSS")


def second_start(bench, card):
    """The next start of the same card, after the power was cut."""
    port = shared.free_port()
    with bench.board("boot", card, web=port, wait=0) as machine:
        bench.figure("the next start to the page", f"{shared.wait_for_page(machine, port, BOOT_SECONDS):.0f} s")
        machine.wait_for_boot(BOOT_SECONDS)
        bench.figure("written by a start, to 60 s after it", f"{written_by(machine, 60) / 1e6:.2f} MB")
        bench.check.demand(shared.values(machine) > 0, "the readings of the first start are gone")


def written_by(machine, seconds):
    machine.run(f"sleep {seconds}; sync", seconds + 60)
    return machine.written()[0]
