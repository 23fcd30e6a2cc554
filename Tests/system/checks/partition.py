"""A partition is made by the guide's lines, marked as the journal's, and used by a station, on loop devices.

For an MBR and a GPT, each made with sfdisk: the lines of docs/guide/installing.md beside a mounted file system,
each refusal, the mark, a station that finds the partition by itself and writes there, a kill, and the ways from
the partition to a file and back.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
import time

from ..check import ROOT, Failed, objects, until
from ..station import Station
from .json_dialect import problems

PRODUCTS = ("roost", "roostd")
NEEDS = "root, loop devices and sfdisk"
MIB = 1 << 20
SIZE = 256 * MIB
WAIT = 30  # seconds for anything that a program does.
TABLES = {
    "mbr": "label: dos\nstart=16384, size=65536, type=c\nstart=81920, size=200000, type=83\n",
    "gpt": "label: gpt\nstart=16384, size=65536\nstart=81920, size=200000\n",
}
PAGE = os.path.join(ROOT, "docs", "guide", "installing.md")
CARD = "/dev/mmcblk0"  # In the page.


def demand(is_true, text):
    if not is_true:
        raise Failed(text)


def guide_lines(table):
    """The page's commands that make the partition, for a table of this kind."""
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    lines = re.findall(r"^(?:echo .*sfdisk --append|sudo partx).*$", page, re.M)
    demand(len(lines) == 2, f"{PAGE}: {len(lines)} lines, not two")
    if table == "gpt":
        gpt = re.search(r"on a GPT `([^`]+)`", " ".join(page.split()))
        demand(gpt and lines[0].count("type=da") == 1, f"{PAGE}: no type for a GPT")
        lines[0] = lines[0].replace("type=da", gpt[1])
    return [line.replace("sudo ", "") for line in lines]


def obstacle(options):
    if os.geteuid() != 0:
        return "only root may set up loop devices"
    for program in ("sfdisk", "losetup", "mkfs.ext4", "addpart", "partx", "blkid", "blkdiscard"):
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
        for number, start, size in self.dump():
            if not os.path.exists(f"{self.device}p{number}"):
                subprocess.run(["addpart", self.device, str(number), str(start), str(size)], check=True)

    def make_partition(self):
        """Does what the guide says; the third partition is there afterwards."""
        for line in guide_lines(self.table):
            subprocess.run(["bash", "-euc", line.replace(CARD, self.device)], check=True, stdout=subprocess.DEVNULL,
                           env={**os.environ, "HOME": self.folder})
        kept = [name for name in os.listdir(self.folder) if name.startswith("sfdisk-")]
        demand(kept, "sfdisk kept no table")
        demand((3, 8192, 8192) in self.dump(), f"sfdisk reads {self.dump()}")
        demand(os.path.exists(f"{self.device}p3"), "the kernel does not know the new partition")

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

    def head(self):
        """The first bytes of the third partition."""
        with open(f"{self.device}p3", "rb") as file:
            return file.read(MIB)

    def put(self, number, offset, content):
        with open(f"{self.device}p{number}", "r+b", buffering=0) as file:
            file.seek(offset)
            file.write(content)
            os.fsync(file.fileno())


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
        report = json.loads(done.stdout) if done.stdout else None
        demand(not list(problems(report or {})), f"{words}: {list(problems(report or {}))}")
        return report or done.stderr

    def mark(self, device, state="marked"):
        report = self.roost("store", "partition", device, code=1 if state == "refused" else 0)
        demand(report["state"] == state, f"{device}: {report}")
        return report

    def refuses(self, disk, number, code, words):
        """The command says why, and writes nothing."""
        before = disk.head()
        report = self.mark(f"{disk.device}p{number}", "refused")
        demand(report["refusal"]["code"] == code and words in report["refusal"]["sentence"],
               f"{code}, {words}: {report}")
        demand(disk.head() == before, f"{code}: the command wrote")
        return report["nextStep"]

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

    def set_journal(self, place):
        """Writes `journal` of the configuration; None leaves it out."""
        store = {**self.station.config["store"], "journal": place}
        if place is None:
            del store["journal"]
        self.station.configure(**{**self.station.config, "store": store})

    def try_refusals(self, disk):
        node = f"{disk.device}p3"
        for place in (disk.device, disk.image, f"{disk.device}p9"):
            said = self.roost("store", "partition", place, code=1)
            demand("not a partition" in said, f"{place}: {said}")
        said = self.roost("store", "partition", f"{disk.device}p2", code=1)
        demand("in use or mounted" in said, f"a mounted partition: {said}")
        self.refuses(disk, 1, "otherType", "not that of a journal")
        disk.put(3, 3 * MIB + 5, b"RKNS")
        self.refuses(disk, 3, "notEmpty", f"byte {3 * MIB + 5}")
        subprocess.run(["mkfs.ext4", "-q", "-F", node], check=True)
        step = self.refuses(disk, 3, "inUse", "holds ext4").split(": ")[-1]
        subprocess.run(step.replace("sudo ", "").split(), check=True, stderr=subprocess.DEVNULL)

    def play(self, disk):
        subprocess.run(["mkfs.ext4", "-q", f"{disk.device}p2"], check=True)
        subprocess.run(["mount", f"{disk.device}p2", disk.mount], check=True)
        disk.make_partition()
        self.try_refusals(disk)
        node = f"{disk.device}p3"
        demand("roost.json" in self.mark(node)["nextStep"], "no next step")
        head = disk.head()
        demand(head.startswith(b"ROOST-JOURNAL-01") and not any(head[4096:]), "not the mark alone")
        self.mark(node, "present")

        # What the kernel would read at its next start.
        disk.close()
        disk.attach()
        node = f"{disk.device}p3"  # Another check may have the loop device of before.
        demand(os.path.exists(node), "not there after a new start")

        place = self.open()
        where = (place["folder"], place["journal"], place["isOnPartition"], place["state"])
        demand(where == (self.store, node, True, "ok"), f"the station's journal: {place}")
        demand(os.readlink(os.path.join(self.store, "journal.partition")) == node, "no note")
        self.mark(node, "present")
        until(lambda: self.blocks(node), WAIT, 0.5)
        self.station.kill()
        demand(self.blocks(node), "no block reached the partition")
        plan = self.roost("store", "plan", "--store", self.store)
        demand(plan["medium"] == "partition" and plan["journal"] == node, f"plan: {plan}")
        self.roost("store", "check", self.store, "--journal", node)

        # The way back, as in the guide: an orderly stop, and another setting.
        self.open()
        self.station.stop()
        before = self.event_kinds()
        self.set_journal(None)
        place = self.open()
        demand(place["isOnPartition"] is False, f"the station's journal afterwards: {place}")
        time.sleep(12)
        self.station.kill()
        ring = os.path.join(self.store, "journal.ring")
        waiting = self.blocks(ring)
        demand(waiting, "no block reached the file")

        # And from the file to the partition: what waits in the file is taken first.
        self.set_journal("auto")
        place = self.open()
        demand(place["isOnPartition"], f"the station's journal: {place}")
        self.station.stop()
        demand(not os.path.exists(ring), "the file's ring was not set aside")
        kinds = self.event_kinds()
        demand(before.count("store open") == 2, f"events: {before}")
        demand(kinds.count("store open") == 4, f"events: {kinds}")

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
                # The station of the next table would find this partition.
                bench.station.close()
                disk.close()
            check.say(f"{table}: ok")
        except Failed as failure:
            check.demand(False, f"{table}: {failure}")
