"""The image of a card in QEMU's machine virt: U-Boot and everything after it are the image's own.

What stands in for the Pi is QEMU: a processor of ARM's, a disk on virtio in the card's place, and QEMU's
build of U-Boot in place of the Pi's firmware and its build. The lab's agent comes as a credential of
systemd through QEMU's fw_cfg, so nothing of the card is changed for it but a word of words.txt.
"""

import json
import os
import subprocess
import tempfile
import time

from machine import Failed, Lines, Machine

MIB = 1 << 20
GUEST = os.path.join(os.path.dirname(os.path.realpath(__file__)), "guest")
AGENT_UNIT = "a.service"  # A name in fw_cfg has 55 characters at most.


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
    """Has the kernel say on the serial port what it would on the screen, and systemd start the agent."""
    words = read_boot(image, "words.txt").decode().strip().replace("console=tty0", "console=ttyAMA0")
    words += f" systemd.wants={AGENT_UNIT}"
    write_boot(image, "words.txt", " ".join([words, *more]) + "\n")


def offset(image, number):
    """A partition's file system, as the programs of e2fsprogs name it."""
    return f"{image}?offset={table(image)[number][0]}"


def debugfs(image, number, *commands, write=False):
    """Runs commands of debugfs on a partition; returns what they said."""
    return subprocess.run(["debugfs", *(["-w"] if write else []), "-f", "-", offset(image, number)],
                          input="\n".join(commands) + "\n", check=True, capture_output=True, text=True,
                          timeout=300).stdout


def write_data(image, path, text):
    """Writes a file of the data partition, with the folders above it, for a card that is new."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.chmod(file.name, 0o644)
        folders = path.split("/")[:-1]
        debugfs(image, 6, *(f"mkdir {'/'.join(folders[:count])}" for count in range(1, len(folders) + 1)),
                f"rm {path}", f"write {file.name} {path}", write=True)


def copy_partition(source, target, number):
    """Copies a partition of one card to the same place of another."""
    start, size = table(target)[number]
    subprocess.run(["dd", f"if={source}", f"of={target}", "bs=1M", f"skip={start // MIB}",
                    f"seek={start // MIB}", f"count={size // MIB}", "conv=notrunc,sparse", "status=none"],
                   check=True)


def agent_files(folder):
    """QEMU's arguments that hand the agent to systemd, by a unit with a name short enough for fw_cfg."""
    unit = os.path.join(folder, "agent.service")
    with open(unit, "w", encoding="ascii") as file:
        file.write("[Unit]\nDescription=Runs the lab's commands\n"
                   "[Service]\nImportCredential=lab-agent\nExecStart=/bin/sh %d/lab-agent\n"
                   "Environment=HOME=/root\nRestart=always\nKillMode=process\n")
    named = {f"systemd.extra-unit.{AGENT_UNIT}": unit, "lab-agent": os.path.join(GUEST, "agent")}
    made = []
    for name, path in named.items():
        made += ["-fw_cfg", f"name=opt/io.systemd.credentials/{name},file={path}"]
    return made


def fresh(source, target, size=4096 * MIB):
    """A card of `size` bytes with the image written to it."""
    subprocess.run(["cp", "--sparse=always", source, target], check=True)
    with open(target, "r+b") as file:
        file.truncate(size)
    return target


class Board(Machine):
    """A station's board; leaving the `with` cuts its power.

    card: the file that is the card. boot: QEMU's U-Boot. web: a port of this machine that leads to the
    dashboard. stick: the image of a USB stick. log: see Machine. wait: seconds for the agent; 0 does not
    wait for it. is_fast: time passes as fast as the emulated processor is idle, for days without a
    sensor outside. is_protected: the card takes no write. direct: (kernel, memory disk, words) in
    place of U-Boot.
    """

    def __init__(self, boot, card, evidence, usb=(), web=None, stick=None, log=None, rtc=True,
                 memory=512, net=True, wait=900, is_fast=False, is_protected=False, direct=None):
        self.card, self.evidence, self.usb = card, evidence, usb
        self.sockets = tempfile.mkdtemp(prefix="roost-lab-")
        self.transcript = open(os.path.join(evidence, "transcript.txt"), "a", encoding="utf-8")
        self.boots, self.number, self.events, self.wait_seconds = 0, 0, [], wait
        self.arguments = self._board(boot, memory, is_fast, direct) + self._network(web, net)
        # Time that passes faster than a busy machine answers for the card would let the watchdog bite.
        self.arguments += self._card(card, log, is_protected) + self._devices(not is_fast, rtc)
        self.arguments += agent_files(self.sockets)
        if stick:
            self.arguments += ["-drive", f"file={stick},format=raw,if=none,id=stick",
                               "-device", "usb-storage,bus=usb.0,port=4,drive=stick"]

    def _board(self, boot, memory, is_fast, direct):
        at = lambda name: os.path.join(self.sockets, name)  # noqa: E731
        # One processor of 1 GHz whose idle time is left out, or two as fast as they are emulated.
        speed = (["-accel", "tcg,thread=single", "-smp", "1", "-icount", "shift=0,sleep=off"] if is_fast
                 else ["-accel", "tcg,tb-size=256,thread=multi", "-smp", "2"])
        start = ["-bios", boot] if not direct else [
            "-kernel", direct[0], "-initrd", direct[1], "-append", direct[2]]
        return [
            "qemu-system-aarch64", "-nodefaults", "-no-user-config", "-display", "none",
            "-machine", "virt", "-cpu", "cortex-a72", *speed, "-m", str(memory), *start,
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
    def _card(card, log, is_protected):
        only = ",read-only=on" if is_protected else ""
        made = ["-blockdev", f"driver=file,node-name=card-file,filename={card}{only}",
                "-blockdev", f"driver=raw,node-name=card,file=card-file{only}"]
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
            if self.wait_seconds:
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
