"""The case `partition`: the journal on a partition of its own, under the unit as it is shipped."""

import json
import os
import random
import shutil
import subprocess
import time

import card
import writelog
from adapter import Adapter
from bench import PORT, case, demand, dust, has_value, install, journal, reading_count, show
from machine import DRIVES, Failed

MIB = 1 << 20
SIZE = 256 * MIB  # An SD card in QEMU has a power of two.
SECOND = 81920 * 512  # Where partition 2 begins, in bytes.
# As Raspberry Pi OS lays out a card: 8 MiB free before partition 1.
TABLES = {
    "mbr": "label: dos\nstart=16384, size=65536, type=c\nstart=81920, size=400000, type=83\n",
    "gpt": "label: gpt\nstart=16384, size=65536\nstart=81920, size=400000\n",
}
TYPES = {"dos": "type=da", "gpt": "type=1045a06a-224e-461b-893a-072608b434ff, name=roost-journal"}
GAP = 4 * MIB  # The new partition begins there, and has 4 MiB.
CUTS = 10
OWED_AFTER = card.WINDOW + card.SLACK
STORE = {"megabytes": 4, "lossWindowSeconds": int(card.WINDOW), "journalBlocks": 64,
         "journal": "auto"}
GROUP = "/sys/fs/cgroup$(systemctl show roostd -P ControlGroup)/cgroup.procs"


def make_image(path, table):
    with open(path, "wb") as file:
        file.truncate(SIZE)
    subprocess.run(["sfdisk", "-q", path], input=TABLES[table], text=True, check=True)
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-E", f"offset={SECOND}", path, "195M"],
                   check=True)
    return path


@case
def partition(lab):
    """The journal on a partition, under the shipped unit: marked, used, cut off, lost, given up."""
    base = make_image(os.path.join(lab.folder, "card"), "mbr")
    log = os.path.join(lab.folder, "card.log")
    drives = {"card": base + ".run"}
    shutil.copyfile(base, drives["card"])
    for kind in ("stick", "nvme"):
        drives[kind] = make_image(os.path.join(lab.folder, kind), "gpt")
    with lab.machine(usb=(Adapter.device,), drives=drives, log=log) as machine:
        Adapter(lab.sensor(), machine.adapter_path(0)).plug()
        node = DRIVES["card"][2]
        machine.run(f"echo '{node}p2 /var/lib/roost ext4 noatime 0 2' >/etc/fstab; "
                    "mkdir -p /var/lib/roost; systemctl daemon-reload; mount /var/lib/roost")
        install(machine, json.dumps({"name": "lab", "mode": "live", "store": STORE,
                                     "devices": [json.loads(dust(PORT))]}))
        machine.wait(has_value(), 90, "no value after the installation")
        demand(place(machine)["isOnPartition"] is False, "a partition before there is one")
        make(lab, machine, node)
        use(machine, f"{node}p3")
        check_policy(lab, machine, node)
        kill_it(lab, machine, node)
        told = cut_power(lab, machine, node, log)
        lose_it(lab, machine, node)
        give_it_back(machine, node)
        for kind in ("stick", "nvme"):
            move(lab, machine, kind)
        journal(lab, machine)
    replay(lab, base, log, told)


def place(machine):
    """Where the station says that its store is."""
    status, text = machine.run("roost status --json", check=False)
    demand(status in (0, 2), f"no status: {text}")
    return json.loads(text).get("store", {})


def part(node):
    """The name of a disk's third partition."""
    return node + ("p3" if node[-1].isdigit() else "3")


def make(lab, machine, node):
    kind = TYPES[json.loads(machine.run(f"sfdisk --json {node}"))["partitiontable"]["label"]]
    machine.run(f"echo 'start=4MiB, size=4MiB, {kind}' | sfdisk --append --no-reread --no-tell-kernel {node}"
                f" && partx --update {node} && udevadm settle")
    marked = json.loads(machine.run(f"roost store partition {part(node)} --json"))
    demand(marked["state"] == "marked", f"mark: {marked}")
    lab.figure(f"{node}: udev gives the partition to the station after", str(
        machine.wait(f"[ \"$(stat -c %G:%a {part(node)})\" = roost:660 ] && "
                     f"[ \"$(readlink -f /dev/roost/journal)\" = {part(node)} ]", 20,
                     f"udev leaves {part(node)} as it is")) + " s")
    machine.run(f"ls -l {node}* /dev/roost/; udevadm info {part(node)}; "
                "lsblk -o NAME,SIZE,FSTYPE,MOUNTPOINT")
    others = machine.run(f"stat -c %G {node} {node}*[12]").split()
    demand("roost" not in others, f"more than the partition is the station's: {others}")


def use(machine, node):
    machine.run("systemctl restart roostd", 60)
    machine.wait(has_value(), 90, "no value after the restart")
    found = place(machine)
    demand(found.get("journal") == node and found["isOnPartition"], f"the journal: {found}")
    machine.wait(f"[ $({blocks(node)}) -gt 0 ]", 60, f"no block reaches {node}")
    machine.run("roost status; ls -l /var/lib/roost /proc/$(systemctl show roostd -P MainPID)/fd")


def blocks(node):
    """Shell words that count the journal's blocks there, past the page cache."""
    return f"dd if={node} bs=4096 iflag=direct status=none | grep -a -o RJB1 | wc -l"


def check_policy(lab, machine, node):
    """What systemd holds, and what a process of the service may open."""
    policy = show(machine, "DevicePolicy")
    demand(policy == {"DevicePolicy": "closed"}, f"not the shipped unit: {policy}")
    allowed = machine.run("systemctl show roostd -P DeviceAllow; "
                          "grep -E 'mmc|sd|blkext' /proc/devices")
    demand("block-mmc rw" in allowed, f"no block device is allowed: {allowed}")
    demand(machine.run("ls /etc/systemd/system/roostd.service.d", check=False)[0] != 0, "a drop-in")
    # By the device filter of the unit: whatever the owner and the mode are, also for root.
    refused(machine, "/dev/vda", "Operation not permitted", "")
    machine.run("chmod 666 /dev/vda")
    station = "setpriv --reuid roost --regid roost --init-groups "
    refused(machine, "/dev/vda", "Operation not permitted", station)
    machine.run("chmod 660 /dev/vda")
    # By the owner and the mode: of the disk that it may use no other part.
    for other in (node, f"{node}p1", f"{node}p2", "/dev/sda", "/dev/nvme0n1"):
        refused(machine, other, "Permission denied", station)
    machine.run(f"echo $$ >{GROUP}; exec {station}head -c 16 {node}p3")
    lab.figure("refused to the service", "/dev/vda by the unit; the card, its partitions 1 "
               "and 2, a USB stick and an NVMe disk by owner and mode")


def refused(machine, node, words, station):
    """A shell that joined the service's group may not open the device, for reading or writing."""
    for call in (f"head -c 1 {node}", f"dd of={node} count=0 status=none conv=notrunc"):
        status, text = machine.run(f"echo $$ >{GROUP}; exec {station}{call}", check=False)
        demand(status != 0 and words in text, f"{node}: not refused to the service: {text}")


def kill_it(lab, machine, node):
    before, count = show(machine, "MainPID,NRestarts"), reading_count(machine)
    machine.run("systemctl kill --kill-whom=main -s KILL roostd")
    machine.wait(f"[ $(systemctl show roostd -P MainPID) != {before['MainPID']} ] && "
                 + has_value(), 90, "no value after kill -9")
    after = show(machine, "NRestarts")
    demand(int(after["NRestarts"]) == int(before["NRestarts"]) + 1, f"after kill -9: {after}")
    lost = count - reading_count(machine)
    demand(lost <= 0, f"kill -9 cost {lost} of {count} readings")
    lab.figure("readings before kill -9, all there afterwards", count)
    demand(place(machine)["journal"] == f"{node}p3", "after kill -9: not on the partition")


def cut_power(lab, machine, node, log):
    """Resets the machine with nothing synced; what the station owed by then must be there."""
    told, end = [], time.monotonic() + 2.5 * OWED_AFTER
    while time.monotonic() < end:
        number = card.values_told(machine)
        told.append((time.monotonic(), writelog.count(log), number))
        machine.run("sleep 0.7")
    last = told[-1][1]
    seconds = machine.cut_power()
    must = card.owed_running(told, last)
    machine.wait(has_value(), 120, "no value after the power cut")
    demand(must > 0, "nothing was owed at the power cut")
    demand(place(machine).get("journal") == f"{node}p3", "after the cut: not on the partition")
    has = card.values_told(machine)
    demand(has >= must, f"the power cut cost {must - has} of {must} values that were owed")
    lab.figure("power cut", f"{must} values owed, {has} there; up again after {seconds:.0f} s")
    machine.run("roost ledger; roost status", check=False)
    return told


def lose_it(lab, machine, node):
    """The partition is gone at the start: a named fault, a station that measures, its return."""
    machine.run("systemctl stop roostd", 60)
    machine.run(f"delpart {node} 3 && udevadm settle && systemctl start roostd", 60)
    machine.wait(has_value(), 90, "no value without the partition")
    asked = "roost status"
    machine.wait(f"{asked} | grep -q 'partition.*cannot be found'", 30, "the fault is not named")
    status, text = machine.run(asked, check=False)
    demand(status == 2 and "lsblk" in text, f"no next step, or not a fault: {status} {text}")
    demand(show(machine, "ActiveState") == {"ActiveState": "active"}, "the service does not run")
    text = machine.run("roost doctor", check=False)[1]
    demand("had a partition, which cannot be found" in text, f"the doctor says nothing: {text}")
    count = machine.run("sleep 12; roost readings --channel dust/pm25 --limit 10000 --json | wc -l",
                        check=False)[1]
    demand(machine.run("ls /var/lib/roost/journal.ring", check=False)[0] != 0,
           "another journal was begun in the folder")
    machine.run(f"addpart {node} 3 {GAP // 512} 8192 && udevadm settle")
    seconds = machine.wait(f"roost status --json | grep -q '{node}p3'", 330,
                           "the station does not take the partition back")
    lab.figure("partition back to journal open, without a restart", f"{seconds} s")
    machine.wait(f"[ $({card.ASKED}) -gt 0 ]", 60, "no readings")
    machine.run(f"echo {count.strip()}; roost status; roost ledger; roost events --limit 20",
                check=False)


def give_it_back(machine, node):
    """To a file again: an orderly stop, another setting, and no partition."""
    machine.run("systemctl stop roostd", 60)
    before = card.values_told(machine)
    machine.run("sed -i 's/, \"journal\": \"auto\"//' /etc/roost/roost.json")
    machine.run(f"sfdisk --delete --no-reread --no-tell-kernel {node} 3; delpart {node} 3; udevadm settle")
    machine.run("systemctl start roostd", 60)
    machine.wait(has_value(), 90, "no value in a file again")
    demand(place(machine)["isOnPartition"] is False, "on a partition that is gone")
    after = card.values_told(machine)
    demand(after >= before, f"the way back cost {before - after} values")


def move(lab, machine, kind):
    """The same on another kind of disk, with a GPT, and across a restart of the machine."""
    node = DRIVES[kind][2]
    make(lab, machine, node)
    machine.run("sed -i 's/\"journalBlocks\": 64/&, \"journal\": \"auto\"/' /etc/roost/roost.json")
    use(machine, part(node))
    machine.cut_power()
    machine.wait(has_value(), 120, f"{kind}: no value after the power cut")
    machine.wait(f"roost status --json | grep -q '{part(node)}'", 30,
                 f"{kind}: after a restart of the machine not on the partition")
    give_it_back(machine, node)
    lab.figure(f"{kind}, GPT", f"{part(node)} used, also after a power cut")


def replay(lab, base, log, told):
    """Cuts the power of the card at places of the record, and opens what it has by then."""
    image, folder = os.path.join(lab.folder, "cut"), os.path.join(lab.folder, "store")
    chance, last = random.Random(card.SEED), told[-1][1]
    places = {last} | {chance.randrange(told[0][1], last) for _ in range(CUTS)}
    lines = []
    for cut in writelog.cuts(log, base, image, places):
        take_file_system(image, image + ".work")
        card.extract(image + ".work", folder)
        must = card.owed_running(told, cut)
        try:
            card.opens(lab, folder, lab.folder, take_ring(image, folder))
            has = card.values_in(lab.roost, folder)
        except Failed as failed:
            raise Failed(f"cut after write {cut} of {last}: {failed}") from failed
        lines.append(f"write {cut} of {last}: {has} values, owed {must}")
        lab.keep("cuts.txt", "\n".join(lines) + "\n")
        demand(has >= must, f"cut after {lines[-1]}")
    lab.figure("power cuts of the card, all opened, nothing owed lost", len(lines))


def take_file_system(image, target):
    with open(image, "rb") as source, open(target, "wb") as file:
        source.seek(SECOND)
        shutil.copyfileobj(source, file, MIB)


def take_ring(image, folder):
    """Puts the partition's ring where a station of the host finds it; returns its blocks."""
    with open(image, "rb") as file:
        file.seek(GAP)
        head = file.read(4096)
        demand(head.startswith(b"ROOST-JOURNAL-01"), "the partition's mark is gone")
        count = int.from_bytes(head[20:24], "little")
        ring = file.read(count * 4096)
    note = os.path.join(folder, "journal.partition")
    if os.path.lexists(note):
        os.unlink(note)
    with open(os.path.join(folder, "journal.ring"), "wb") as file:
        file.write(ring)
    return count
