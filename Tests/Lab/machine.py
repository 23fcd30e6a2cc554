"""One virtual machine of the lab: starts it, runs commands in it, plugs, resets, cuts its power."""

import base64
import json
import os
import select
import shlex
import socket
import subprocess
import tempfile
import time

import accelerator

# An SD card, a disk with a cache, a USB stick, an NVMe disk: where it is in QEMU, and what the
# guest's kernel calls it.
DRIVES = {
    "card": (["sdhci-pci"], "sd-card", "/dev/mmcblk0"),
    "disk": ([], "virtio-blk-pci", "/dev/vdb"),
    "stick": ([], "usb-storage,bus=usb.0,port=4", "/dev/sda"),
    "nvme": ([], "nvme,serial=lab", "/dev/nvme0n1"),
}
KERNEL_LINE = ("console=ttyS0 loglevel=4 quiet panic=-1 mitigations=off random.trust_cpu=1 "
               "net.ifnames=0 systemd.show_status=0 no_timer_check")


class Failed(Exception):
    """What a case found wrong."""


class Lines:
    """A stream socket read line by line, with a deadline."""

    def __init__(self, path, process):
        deadline = time.monotonic() + 20
        while True:
            self.socket = socket.socket(socket.AF_UNIX)
            try:
                self.socket.connect(path)
                break
            except OSError:
                self.socket.close()
                if process.poll() is not None or time.monotonic() > deadline:
                    raise Failed(f"QEMU opens no {os.path.basename(path)}: see qemu.log") from None
                time.sleep(0.05)
        self.rest = b""

    def send(self, text):
        self.socket.sendall(text.encode() + b"\n")

    def read(self, deadline):
        """The next line without its end, or None at the deadline or the stream's end."""
        while b"\n" not in self.rest:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.socket], [], [], left)[0]:
                return None
            try:
                chunk = self.socket.recv(1 << 20)
            except OSError:
                return None
            if not chunk:
                return None
            self.rest += chunk
        line, self.rest = self.rest.split(b"\n", 1)
        return line.decode(errors="replace")


class Machine:
    """A guest with the devices asked for; leaving the `with` cuts its power.

    guest, share: the folder that build-guest made, and what the guest sees read-only at /lab.
    evidence: gets transcript.txt, console.log and qemu.log.
    usb: QEMU's name of each adapter that can be plugged; the first sits in socket 1.
    watchdog: an i6300esb that resets the machine. rtc: False is a Pi: the clock starts in 1970.
    drives: the image of each kind in DRIVES.
    log: the file that records each write and flush of the first of them.
    """

    def __init__(self, guest, share, evidence, usb=(), watchdog=False, rtc=True, drives=None,
                 log=None, memory=512):
        self.guest, self.share, self.evidence = guest, share, evidence
        self.sockets = tempfile.mkdtemp(prefix="roost-lab-")
        self.transcript = open(os.path.join(evidence, "transcript.txt"), "a", encoding="utf-8")
        self.boots, self.number, self.events, self.usb = 0, 0, [], usb
        line = KERNEL_LINE + ("" if rtc else " initcall_blacklist=cmos_init")
        self.arguments = self._base(line, memory) + self._devices(watchdog, rtc)
        for index, (kind, image) in enumerate((drives or {}).items()):
            self.arguments += self._drive(kind, image, log if index == 0 else None)

    def _base(self, line, memory):
        guest, at = self.guest, lambda name: os.path.join(self.sockets, name)
        return [
            "qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none",
            "-machine", "pc", "-accel", accelerator.chosen(guest), "-cpu", "max",
            "-m", str(memory), "-kernel", f"{guest}/vmlinux", "-initrd", f"{guest}/initrd.cpio",
            "-append", line, "-serial", f"file:{self.evidence}/console.log",
            "-qmp", f"unix:{at('monitor')},server=on,wait=off",
            # What the guest writes to its root goes to a temporary file.
            "-drive", f"file={guest}/root.ext4,format=raw,if=none,id=root,snapshot=on,cache=unsafe",
            "-device", "virtio-blk-pci,drive=root",
            "-device", "virtio-serial-pci",
            "-chardev", f"socket,id=agent,path={at('agent')},server=on,wait=off",
            "-device", "virtserialport,chardev=agent,name=roost.lab",
            "-fsdev", f"local,id=lab,path={self.share},security_model=none,readonly=on",
            "-device", "virtio-9p-pci,fsdev=lab,mount_tag=lab",
            # At a fixed place, so that a port's path is known: pci-0000:00:10.0-usb-0:1:1.0.
            "-device", "qemu-xhci,id=usb,addr=0x10",
        ]

    def _devices(self, watchdog, rtc):
        made = []
        for index, device in enumerate(self.usb):
            path = self.adapter_path(index)
            made += ["-chardev", f"socket,id=adapter{index},path={path},server=on,wait=off",
                     "-device", self._adapter(device, index, index + 1)]
        if watchdog:
            made += ["-device", "i6300esb", "-action", "watchdog=reset"]
        if not rtc:
            made += ["-rtc", "base=1970-01-01T00:00:00,clock=vm"]
        return made

    @staticmethod
    def _drive(kind, image, log):
        made = ["-blockdev", f"driver=file,node-name={kind}-file,filename={image}",
                "-blockdev", f"driver=raw,node-name={kind},file={kind}-file"]
        if log:
            open(log, "wb").close()
            made += ["-blockdev", f"driver=file,node-name=log-file,filename={log}",
                     "-blockdev", f"driver=blklogwrites,node-name=logged,file={kind},"
                     "log=log-file,log-sector-size=512,log-super-update-interval=1"]
        before, device, _ = DRIVES[kind]
        for name in before + [f"{device},drive={'logged' if log else kind}"]:
            made += ["-device", name]
        return made

    @staticmethod
    def _adapter(device, index, port):
        return f"{device},id=adapter{index},chardev=adapter{index},bus=usb.0,port={port}"

    def adapter_path(self, index):
        return os.path.join(self.sockets, f"adapter{index}")

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
            self.wait_for_boot(240)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.transcript.close()
        subprocess.run(["rm", "-rf", self.sockets], check=False)

    def say(self, text):
        self.transcript.write(f"[{time.monotonic() - self.started:7.2f}] {text.rstrip()}\n")
        self.transcript.flush()

    # The agent

    def wait_for_boot(self, limit):
        """Waits until the agent reports; returns the seconds that took."""
        began, deadline = time.monotonic(), time.monotonic() + limit
        while (line := self.agent.read(deadline)) is not None:
            if line.startswith("up "):
                self.boots += 1
                self.say(f"-- boot {self.boots}, guest up for {line.split()[1]} s")
                return time.monotonic() - began
        raise Failed(f"the guest does not come up within {limit} s: see console.log")

    def run(self, command, limit=60, check=True):
        """Runs shell commands in the guest; returns their output, or (status, output) unchecked."""
        self.number += 1
        wanted, deadline = f"c{self.number}", time.monotonic() + limit
        self.say(f"$ {command}")
        self.agent.send(f"{wanted} {base64.b64encode(command.encode()).decode()}")
        while (line := self.agent.read(deadline)) is not None:
            words = line.split(" ")
            if words[0] == "up":
                self.boots += 1
                raise Failed(f"the guest restarted during: {command}")
            if words[0] == wanted:
                status, output = int(words[1]), base64.b64decode(words[2]).decode(errors="replace")
                self.say(f"{output}[{status}]")
                if check and status != 0:
                    raise Failed(f"status {status}: {command}\n{output}")
                return output if check else (status, output)
        raise Failed(f"no answer within {limit} s: {command}")

    def wait(self, condition, limit, what):
        """Waits in the guest until a command succeeds; returns the seconds that took there."""
        status, output = self.run(
            # By /proc/uptime, in hundredths: some cases step the clock.
            "now() { cut -d ' ' -f 1 /proc/uptime | tr -d .; }\n"
            f"began=$(now); end=$((began + {int(limit * 100)}))\n"
            f"until {condition}; do [ $(now) -lt $end ] || exit 1; sleep 0.1; done\n"
            "echo took $(( $(now) - began ))", limit + 60, check=False)
        if status != 0:
            raise Failed(f"{what}: not within {limit} s")
        return int(output.split("took ")[-1]) / 100

    def write(self, path, text):
        self.run(f"mkdir -p $(dirname {path}) && printf '%s' {shlex.quote(text)} >{path}")

    def ask_roost(self, words):
        """What `roost WORDS --json` answers."""
        return json.loads(self.run(f"roost {words} --json"))

    def cut_power(self, limit=240):
        """Resets the machine in mid-action, nothing synced, and waits until it is up again."""
        self.say("-- power cut")
        self.ask("system_reset")
        return self.wait_for_boot(limit)

    # QEMU's monitor

    def ask(self, command, **arguments):
        self.monitor.send(json.dumps({"execute": command, "arguments": arguments}))
        deadline = time.monotonic() + 30
        while (line := self.monitor.read(deadline)) is not None:
            message = json.loads(line)
            if "event" in message:
                self.events.append((time.monotonic(), message["event"]))
            elif "error" in message:
                raise Failed(f"{command}: {message['error']['desc']}")
            else:
                return message["return"]
        raise Failed(f"QEMU does not answer {command}")

    def event(self, name, limit):
        """When QEMU told of something, or None if it did not within the limit; older ones count."""
        deadline = time.monotonic() + limit
        while True:
            for index, (moment, event) in enumerate(self.events):
                if event == name:
                    del self.events[index]
                    return moment
            line = self.monitor.read(deadline)
            if line is None:
                return None
            message = json.loads(line)
            if "event" in message:
                self.events.append((time.monotonic(), message["event"]))

    def move(self, index, port):
        """Puts an unplugged adapter into another socket, 1…4."""
        self.ask("device_del", id=f"adapter{index}")
        if self.event("DEVICE_DELETED", 20) is None:
            raise Failed("QEMU does not let the adapter go")
        self.ask("device_add", driver=self.usb[index], id=f"adapter{index}",
                 chardev=f"adapter{index}", bus="usb.0", port=str(port))
        self.say(f"-- adapter {index} sits in socket {port}")
