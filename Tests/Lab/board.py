"""The image of a card in QEMU's machine virt: U-Boot and everything after it are the image's own.

What stands in for the Pi is QEMU: a processor of ARM's, a disk on virtio in the card's place, and QEMU's
build of U-Boot in place of the Pi's firmware and its build. The lab's agent is put on the data
partition, as the root stays as it is.
"""

import json
import os
import shutil
import subprocess
import tempfile
import time

from machine import Failed, Lines, Machine

MIB = 1 << 20
GUEST = os.path.join(os.path.dirname(os.path.realpath(__file__)), "guest")
SERVICE = "/etc/systemd/system"


def table(image):
    """Start and size in bytes of each partition, by number."""
    said = json.loads(subprocess.check_output(["sfdisk", "--json", image]))["partitiontable"]
    return {int(part["node"][len(image):].lstrip("p")): (part["start"] * 512, part["size"] * 512)
            for part in said["partitions"]}


def fat(image):
    return f"{image}@@{table(image)[1][0]}"


def read_boot(image, name):
    return subprocess.run(["mtype", "-i", fat(image), f"::{name}"], check=True, capture_output=True,
                          env={**os.environ, "MTOOLS_SKIP_CHECK": "1"}).stdout


def write_boot(image, name, data):
    """Writes a file of the boot partition, as a person does on a computer."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data if isinstance(data, bytes) else data.encode())
        file.flush()
        subprocess.run(["mcopy", "-o", "-i", fat(image), file.name, f"::{name}"], check=True,
                       env={**os.environ, "MTOOLS_SKIP_CHECK": "1"})


def set_words(image, *more):
    """Has the kernel say on the serial port what it would on the screen."""
    words = read_boot(image, "words.txt").decode().strip().replace("console=tty0", "console=ttyAMA0")
    write_boot(image, "words.txt", " ".join([words, *more]) + "\n")


def fill_partition(image, number, source):
    start, size = table(image)[number]
    if os.path.getsize(source) > size:
        raise Failed(f"{source} is larger than partition {number}")
    subprocess.run(["dd", f"if={source}", f"of={image}", "bs=1M", f"seek={start // MIB}",
                    "conv=notrunc,sparse", "status=none"], check=True)


def add_agent(image, more=()):
    """Makes the data partition with the lab's agent on it; `more` are (path in /data, text)."""
    with tempfile.TemporaryDirectory() as folder:
        etc = os.path.join(folder, "data/system/etc")
        units = os.path.join(folder, "data/system" + SERVICE)
        os.makedirs(os.path.join(units, "multi-user.target.wants"))
        shutil.copy(os.path.join(GUEST, "agent"), os.path.join(etc, "lab-agent"))
        with open(os.path.join(GUEST, "lab-agent.service"), encoding="ascii") as file:
            text = file.read().replace("/usr/local/lib/lab-agent", "/bin/sh /etc/lab-agent")
        for place, words in [(f"system{SERVICE}/lab-agent.service", text), *more]:
            path = os.path.join(folder, "data", place)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(words)
        os.symlink("../lab-agent.service",
                   os.path.join(units, "multi-user.target.wants/lab-agent.service"))
        for name, _, _ in os.walk(folder):
            os.chmod(name, 0o755)
        _, size = table(image)[6]
        made = os.path.join(folder, "data.img")
        subprocess.run(["mke2fs", "-q", "-t", "ext4", "-b", "4096", "-i", "131072", "-L", "roost-data", "-J", "size=4", "-E",
                        "root_owner=0:0", "-d", os.path.join(folder, "data"), made,
                        f"{size // MIB}M"], check=True)
        fill_partition(image, 6, made)


def fresh(source, target, size=4096 * MIB):
    """A card of `size` bytes with the image written to it."""
    subprocess.run(["cp", "--sparse=always", source, target], check=True)
    with open(target, "r+b") as file:
        file.truncate(size)
    return target


class Board(Machine):
    """A station's board; leaving the `with` cuts its power.

    card: the file that is the card. boot: QEMU's U-Boot. web: a port of this machine that leads to the
    dashboard. stick: the image of a USB stick. log: see Machine. agent: whether one is on the card.
    """

    def __init__(self, boot, card, evidence, usb=(), web=None, stick=None, log=None, agent=True,
                 rtc=True, memory=512, net=True, wait=900):
        self.card, self.evidence, self.usb, self.has_agent = card, evidence, usb, agent
        self.sockets = tempfile.mkdtemp(prefix="roost-lab-")
        self.transcript = open(os.path.join(evidence, "transcript.txt"), "a", encoding="utf-8")
        self.boots, self.number, self.events, self.wait_seconds = 0, 0, [], wait
        self.arguments = self._board(boot, memory) + self._network(web, net)
        self.arguments += self._card(card, log) + self._devices(True, rtc)
        if stick:
            self.arguments += ["-drive", f"file={stick},format=raw,if=none,id=stick",
                               "-device", "usb-storage,bus=usb.0,port=4,drive=stick"]

    def _board(self, boot, memory):
        at = lambda name: os.path.join(self.sockets, name)  # noqa: E731
        return [
            "qemu-system-aarch64", "-nodefaults", "-no-user-config", "-display", "none",
            "-machine", "virt", "-accel", "tcg,tb-size=256,thread=multi", "-cpu", "cortex-a72",
            "-smp", "2", "-m", str(memory), "-bios", boot,
            "-chardev", f"file,id=console,path={self.evidence}/console.log,append=on",
            "-serial", "chardev:console",
            "-qmp", f"unix:{at('monitor')},server=on,wait=off",
            "-device", "virtio-serial-pci",
            "-chardev", f"socket,id=agent,path={at('agent')},server=on,wait=off",
            "-device", "virtserialport,chardev=agent,name=roost.lab",
            "-device", "virtio-rng-pci",
            "-device", "qemu-xhci,id=usb,addr=0x10",
        ]

    @staticmethod
    def _network(web, net):
        if not net:
            return []
        forward = f",hostfwd=tcp:127.0.0.1:{web}-:80" if web else ""
        return ["-netdev", f"user,id=net,restrict=on{forward}",
                "-device", "virtio-net-pci,netdev=net,romfile="]

    @staticmethod
    def _card(card, log):
        made = ["-blockdev", f"driver=file,node-name=card-file,filename={card}",
                "-blockdev", "driver=raw,node-name=card,file=card-file"]
        if log:
            open(log, "wb").close()
            made += ["-blockdev", f"driver=file,node-name=log-file,filename={log}",
                     "-blockdev", "driver=blklogwrites,node-name=logged,file=card,"
                     "log=log-file,log-sector-size=512,log-super-update-interval=1"]
        return made + ["-device", f"virtio-blk-pci,drive={'logged' if log else 'card'},id=card0"]

    def __enter__(self):
        self.started = time.monotonic()
        with open(os.path.join(self.evidence, "qemu.log"), "ab") as log:
            self.process = subprocess.Popen(
                self.arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            self.monitor = Lines(os.path.join(self.sockets, "monitor"), self.process)
            self.monitor.read(time.monotonic() + 20)
            self.ask("qmp_capabilities")
            self.agent = Lines(os.path.join(self.sockets, "agent"), self.process)
            if self.has_agent and self.wait_seconds:
                self.wait_for_boot(self.wait_seconds)
        except BaseException:
            self.__exit__()
            raise
        return self

    def seconds(self):
        return time.monotonic() - self.started

    def console(self):
        with open(os.path.join(self.evidence, "console.log"), encoding="utf-8",
                  errors="replace") as file:
            return file.read()

    def written(self):
        """(bytes, requests, flushes) that went to the card since its power was switched on."""
        for one in self.ask("query-blockstats"):
            if "card0" in one.get("qdev", ""):
                stats = one["stats"]
                return stats["wr_bytes"], stats["wr_operations"], stats["flush_operations"]
        raise Failed("QEMU counts nothing for the card")
