"""A card that counts: an ext4 file system or a bare block device on a loop device of its own.

Nothing stays mounted or attached, however we end: the image has no name, the loop device is detached
as soon as nobody uses it any more, and the mount lives in a mount namespace of ours. After `kill -9`
a small folder and the kernel's trace buffers stay; the next run removes the latter.
"""

import ctypes
import os
import re
import subprocess

LIBC = ctypes.CDLL(None, use_errno=True)
TRACING = "/sys/kernel/tracing"
# KiB for each processor: some 80 000 requests.
TRACE_KIBIBYTES = 8192
SECTOR = 512
# Of an ext4 file system, the lower third is never reached; memory is taken for what is written only.
CARD_BYTES = 8 << 30
# The inode tables and the file system's journal count as written before. The encrypt feature
# encrypts nothing here: it keeps ext4 to pages of 4 KiB in the page cache, as kernels before 6.16
# have them and the boards' do; larger ones would be held against the programs that map their files.
FORMAT = ("mkfs.ext4", "-q", "-O", "encrypt", "-E",
          "lazy_itable_init=0,lazy_journal_init=1,assume_storage_prezeroed=1", "-b")


def run(*words, **more):
    return subprocess.run(words, check=True, capture_output=True, text=True, **more).stdout.strip()


def settle(path):
    """Brings a file system, or a device, to rest: what the kernel's timers do in half a minute."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        if os.path.ismount(path):
            if LIBC.syncfs(descriptor):
                raise OSError(ctypes.get_errno(), "syncfs", path)
        else:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_traces(own=False):
    """Takes away the trace buffers of processes that are gone, or our own."""
    instances = os.path.join(TRACING, "instances")
    for name in os.listdir(instances) if os.path.isdir(instances) else []:
        found = re.fullmatch(r"roost-wear-(\d+)-loop\d+", name)
        if found and (own if int(found[1]) == os.getpid() else not os.path.exists(
                f"/proc/{found[1]}")):
            os.rmdir(os.path.join(instances, name))


class Counts:
    """Bytes and requests written, and flushes of the device's cache."""

    def __init__(self, size=0, writes=0, flushes=0):
        self.size, self.writes, self.flushes = size, writes, flushes

    def __sub__(self, other):
        return Counts(self.size - other.size, self.writes - other.writes,
                      self.flushes - other.flushes)

    def __add__(self, other):
        return Counts(self.size + other.size, self.writes + other.writes,
                      self.flushes + other.flushes)


class Card:
    """One card; `path` is the folder it is mounted on, or the device itself."""

    def __init__(self, folder, name, bare=False, options="noatime", block=4_096):
        image = os.path.join(folder, f"{name}.image")
        with open(image, "wb") as file:
            file.truncate(CARD_BYTES)
        self.device = run("losetup", "--find", "--show", image)
        os.unlink(image)
        # Held open until we end; `--detach` then waits for the last user.
        self.handle = os.open(self.device, os.O_RDONLY)
        self.loop = os.path.basename(self.device)
        self.path = self.device
        try:
            if not bare:
                self.path = os.path.join(folder, name)
                os.mkdir(self.path)
                run(*FORMAT, str(block), self.device)
                run("mount", "-t", "ext4", "-o", options, self.device, self.path)
                settle(self.path)
        finally:
            run("losetup", "--detach", self.device)
        self.trace = None
        self.start()

    def counts(self):
        """What the kernel counted for the device: fields 5, 7 and 16 of its `stat`.

        Source: linux/Documentation/block/stat.rst.
        """
        with open(f"/sys/block/{self.loop}/stat", encoding="ascii") as file:
            fields = [int(field) for field in file.read().split()]
        return Counts(fields[6] * SECTOR, fields[4], fields[15] if len(fields) > 15 else 0)

    def start(self):
        """Counts from here on."""
        settle(self.path)
        self.begun = self.counts()
        self.tracing()

    def since_start(self):
        """What came since `start`, brought to the device."""
        settle(self.path)
        return self.counts() - self.begun

    def tracing(self):
        """Remembers each request from here on, where the kernel can."""
        if not os.path.isdir(os.path.join(TRACING, "instances")):
            return
        self.trace = os.path.join(TRACING, "instances", f"roost-wear-{os.getpid()}-{self.loop}")
        os.makedirs(self.trace, exist_ok=True)
        number = os.stat(self.device).st_rdev
        device = os.major(number) << 20 | os.minor(number)  # As the kernel packs them inside.
        event = "events/block/block_rq_issue"
        for name, words in (("buffer_size_kb", str(TRACE_KIBIBYTES)), ("trace", ""),
                            (f"{event}/filter", f"dev == {device}"), (f"{event}/enable", "1")):
            with open(os.path.join(self.trace, name), "w", encoding="ascii") as file:
                file.write(words)

    def requests(self):
        """Each write since `start`: seconds, first sector, number of sectors; None when not known."""
        if self.trace is None:
            return None
        for processor in os.listdir(os.path.join(self.trace, "per_cpu")):
            with open(os.path.join(self.trace, "per_cpu", processor, "stats"),
                      encoding="ascii") as file:
                if not re.search(r"^overrun: 0$", file.read(), re.MULTILINE):
                    return None
        found = []
        # As in `21.044: block_rq_issue: 7,0 WS 512 () 81920 + 1 be,0,4 [roost]`.
        line = re.compile(
            r"([0-9.]+): block_rq_issue: \S+ (\S+) \d+ \([^)]*\) (\d+) \+ (\d+)")
        with open(os.path.join(self.trace, "trace"), encoding="utf-8", errors="replace") as file:
            for text in file:
                match = line.search(text)
                if match and "W" in match[2] and match[4] != "0":
                    found.append((float(match[1]), int(match[3]), int(match[4])))
        return found

    def close(self):
        if self.path != self.device:
            run("umount", self.path)
        os.close(self.handle)
        if self.trace:
            os.rmdir(self.trace)
