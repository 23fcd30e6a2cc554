"""The journal's partition is made and removed on loop devices, with a station that uses it.

For an MBR and a GPT, each made with sfdisk: dry run, --make beside a mounted file system, a station
that finds the partition by itself and writes there, a kill, --undo, and the table as it was.
"""

import json
import os
import shutil
import subprocess
import tempfile
import time

from ..check import Failed, objects, until
from ..station import Station

PRODUCTS = ("roost", "roostd")
NEEDS = "root, loop devices and sfdisk"
MIB = 1 << 20
SIZE = 256 * MIB
WAIT = 30  # seconds for anything that a program does.
TABLES = {
    "mbr": "label: dos\nstart=16384, size=65536, type=c\nstart=81920, size=200000, type=83\n",
    "gpt": "label: gpt\nstart=16384, size=65536\nstart=81920, size=200000\n",
}


def demand(is_true, text):
    if not is_true:
        raise Failed(text)


def obstacle(options):
    if os.geteuid() != 0:
        return "only root may set up loop devices"
    for program in ("sfdisk", "losetup", "mkfs.ext4", "addpart"):
        if not shutil.which(program):
            return f"there is no {program}"
    with tempfile.NamedTemporaryFile() as image:
        image.truncate(MIB)
        found = subprocess.run(["losetup", "-f", "--show", image.name], capture_output=True, text=True)
        if found.returncode:
            return "no loop device can be set up"
        subprocess.run(["losetup", "-d", found.stdout.strip()], check=True)
    return None


class Disk:
    """An image with a table of sfdisk's, on a loop device, its second partition mounted."""

    def __init__(self, folder, table):
        self.folder, self.table = folder, table
        self.image = os.path.join(folder, f"{table}.img")
        with open(self.image, "wb") as file:
            file.truncate(SIZE)
        subprocess.run(["sfdisk", "-q", self.image], input=TABLES[table], text=True, check=True)
        self.mount = os.path.join(folder, f"{table}.mnt")
        os.mkdir(self.mount)
        self.device = None

    def attach(self):
        out = subprocess.check_output(["losetup", "-f", "--show", self.image], text=True)
        self.device = out.strip()
        # What the kernel does at its start, where it knows how to read this table.
        for line in self.dump():
            number, start, size = line
            if not os.path.exists(f"{self.device}p{number}"):
                subprocess.run(["addpart", self.device, str(number), str(start), str(size)],
                               check=True)

    def dump(self):
        """Number, start and size of each partition, as sfdisk reads them."""
        out = subprocess.check_output(["sfdisk", "-J", self.image], text=True)
        parts = json.loads(out)["partitiontable"]["partitions"]
        return [(int(part["node"][len(self.image):].lstrip("p")), part["start"], part["size"])
                for part in parts]

    def close(self):
        if self.device is None:
            return
        subprocess.run(["umount", "-q", self.mount], check=False)
        for number in (1, 2, 3):
            subprocess.run(["delpart", self.device, str(number)], stderr=subprocess.DEVNULL, check=False)
        subprocess.run(["losetup", "-d", self.device], check=True)
        self.device = None

    def tables(self):
        """The bytes that a partitioning tool may touch: all before partition 1, and the end."""
        with open(self.device, "rb") as file:
            head = file.read(8 * MIB)
            file.seek(SIZE - 33 * 512)
            return head + file.read()


class Bench:
    """The commands on one disk, and the station whose journal goes there."""

    def __init__(self, check, table):
        self.check = check
        self.store = check.path(f"{table}-store")
        self.station = Station(check, f"partition-{table}", detect=False, store={
            "folder": self.store, "megabytes": 4, "journal": "auto", "lossWindowSeconds": 10})

    def roost(self, *words, code=0):
        done = self.check.roost(*words, "--json", timeout=WAIT)
        demand(done.returncode == code,
               f"roost {' '.join(words)}: status {done.returncode}, not {code}: "
               f"{done.stdout}{done.stderr}")
        return json.loads(done.stdout) if done.stdout else done.stderr

    def partition(self, disk, *words, code=0):
        names = ["--store", self.store] if "--undo" in words else []
        if words:
            names += ["--backup", self.check.path(f"table-{time.monotonic_ns()}")]
        return self.roost("store", "partition", disk.device, *words, *names, code=code)

    def opened(self):
        store = self.station.report("status").get("store", {})
        return store if store.get("state", "opening") != "opening" else None

    def open(self):
        """Starts the station; returns what it says of its store."""
        self.station.start()
        store = until(self.opened, WAIT) or {}
        demand(store, f"no store is open after {WAIT} s: {self.station.log()[-2000:]}")
        return store

    def blocks(self, path):
        """Whole blocks of the journal, by their numbers, in a file or on a partition."""
        with open(path, "rb") as file:
            content = file.read()
        return {int.from_bytes(content[at + 8:at + 16], "little")
                for at in range(0, len(content), 4096) if content[at:at + 4] == b"RJB1"}

    def play(self, disk):
        before = disk.tables()
        plan = self.partition(disk)
        demand(plan["state"] == "possible" and plan["table"] == disk.table, f"dry run: {plan}")
        demand(plan["journal"]["startBytes"] == 4 * MIB, f"dry run: {plan}")
        demand(disk.tables() == before, "the dry run wrote")

        subprocess.run(["mkfs.ext4", "-q", f"{disk.device}p2"], check=True)
        subprocess.run(["mount", f"{disk.device}p2", disk.mount], check=True)
        made = self.partition(disk, "--make")
        demand(made["state"] == "made", f"make: {made}")
        node = f"{disk.device}p3"
        demand(os.path.exists(node), "the kernel does not know the new partition")
        demand((3, 8192, 8192) in disk.dump(), f"sfdisk reads {disk.dump()}")
        verified = subprocess.run(["sfdisk", "-V", disk.image], capture_output=True, text=True)
        demand(verified.returncode == 0, f"sfdisk -V: {verified.stdout}{verified.stderr}")
        demand(self.partition(disk, "--make")["state"] == "present", "made twice")

        # What the kernel would read at its next start.
        disk.close()
        disk.attach()
        demand(os.path.exists(node), "not there after a new start")

        place = self.open()
        where = (place["folder"], place["journal"], place["isOnPartition"], place["state"])
        demand(where == (self.store, node, True, "ok"), f"the station's journal: {place}")
        demand(os.readlink(os.path.join(self.store, "journal.partition")) == node, "no note")
        busy = self.partition(disk, "--undo", code=1)
        demand("stop the station" in busy, f"undo while it runs: {busy}")
        demand(os.path.exists(node), "undo while it runs took the partition away")
        until(lambda: self.blocks(node), WAIT, 0.5)
        self.station.kill()
        waiting = self.blocks(node)
        demand(waiting, "no block reached the partition")
        plan = self.roost("store", "plan", "--store", self.store)
        demand(plan["medium"] == "partition" and plan["journal"] == node, f"plan: {plan}")
        self.roost("store", "check", self.store, "--journal", node)

        gone = self.partition(disk, "--undo")
        demand(gone["state"] == "removed", f"undo: {gone}")
        demand(not os.path.exists(node), "the kernel still knows the partition")
        demand(disk.tables() == before, "the table and the gap are not as they were")
        ring = os.path.join(self.store, "journal.ring")
        demand(self.blocks(ring) >= waiting, "blocks that waited are lost")
        place = self.open()
        demand(place["isOnPartition"] is False, f"the station's journal afterwards: {place}")
        self.station.stop()
        kinds = self.event_kinds()
        demand(kinds.count("store open") == 2, f"events: {kinds}")

        # And from the file to the partition: what waits in the file is taken first.
        self.open()
        time.sleep(12)
        self.station.kill()
        demand(self.partition(disk, "--make")["state"] == "made", "made again")
        place = self.open()
        demand(place["isOnPartition"], f"the station's journal: {place}")
        self.station.stop()
        demand(not os.path.exists(ring), "the file's ring was not set aside")
        kinds = self.event_kinds()
        demand(kinds.count("store open") == 4, f"events: {kinds}")
        demand(self.partition(disk, "--undo")["state"] == "removed", "removed again")
        demand(disk.tables() == before, "the table and the gap are not as they were, again")
        with open(disk.device, "r+b", buffering=0) as file:
            file.seek(32768)
            file.write(b"RKNS")
            os.fsync(file.fileno())
        refused = self.partition(disk, code=1)["refusal"]
        demand(refused["code"] == "gapInUse" and "Rockchip" in refused["sentence"], f"{refused}")

    def event_kinds(self):
        done = self.check.roost("events", "--json", "--store", self.store, timeout=WAIT)
        demand(done.returncode == 0, f"roost events: {done.stderr}")
        return [event["kind"] for event in objects(done.stdout)]


def run(check, options):
    for table in TABLES:
        disk = check.ends(Disk(check.folder, table))
        try:
            disk.attach()
            bench = Bench(check, table)
            try:
                bench.play(disk)
            finally:
                bench.station.close()  # After a failure it would hold the next table's loop device.
            check.say(f"{table}: ok")
        except Failed as failure:
            check.demand(False, f"{table}: {failure}")
