"""What the image's shell programs decide by: the memory disk's first program, and the word that a root is good.

Their functions run as they are, with all paths in the check's folder and stand-ins for the card: what e2fsck says, whether
a mount works, what the clock says. The whole image with a real card is `scripts/check image`.
"""

import os
import re
import subprocess

from ..check import ROOT

INIT = f"{ROOT}/packaging/image/memory-disk/init"
GOOD = f"{ROOT}/packaging/image/root/usr/lib/roost/good"
# 0 is a sound file system, 4 one that is left damaged; a mount works where the file `mounts` is.
STANDINS = {
    "chroot": 'echo "$*" >>calls; case $* in *mke2fs*) echo >mounts; rm -rf data; mkdir data ;; *e2fsck*) exit "$(cat repair)" ;; esac',
    "mount": 'echo "mount $*" >>calls; case $* in *remount,rw*) [ ! -e is-protected ] && echo >writable ;; *remount,ro*) rm -f writable ;;\n'
             '*" data") [ -e mounts ] ;; esac',
    "umount": 'echo "umount $*" >>calls',
    "grep": 'case $* in *" ext4 rw "*) exit 0 ;; *) exec /bin/grep "$@" ;; esac',
    "dd": "[ -e is-readable ]",
    "sync": ":",
    "date": 'case $1 in -s) echo "${2#@}" >clock ;; *) cat clock ;; esac',
    "roost": 'echo "roost $*" >>calls; exit "$(cat status)"',
    "timeout": 'echo "timeout $1" >>calls; shift; exec "$@"',
}
FUNCTIONS = ("of_root", "mount_data", "keep_starts", "is_whole", "open_data", "go_on")
TREE = "/root"  # Where the first program has the root that it starts.
DAY = 86_400
NOW = 1_790_000_000  # 2026-09-21


class Case:
    def __init__(self, check, name):
        self.check, self.name, self.folder = check, name, check.path(name)
        for folder in ("tools", "data/roost", "data/roost-web", "boot", "dev", "run", "sys/block"):
            os.makedirs(os.path.join(self.folder, folder))
        for tool, text in STANDINS.items():
            self.write(f"tools/{tool}", f"#!/bin/sh\n{text}\n")
            os.chmod(os.path.join(self.folder, "tools", tool), 0o755)
        self.write("sys/block/ro", "0\n")
        self.set(repair=0, status=0, clock=NOW)
        self.write("mounts")
        self.write("is-readable")
        for name in ("roost/history.db", "roost-web/web.db"):
            self.write(f"data/{name}")

    def write(self, name, text=""):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def remove(self, *names):
        for name in names:
            os.remove(os.path.join(self.folder, name))

    def read(self, name):
        try:
            with open(os.path.join(self.folder, name), encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def has(self, name):
        return os.path.exists(os.path.join(self.folder, name))

    def set(self, **values):
        for name, value in values.items():
            self.write(name, f"{value}\n")

    def date(self, name, seconds):
        os.makedirs(os.path.dirname(os.path.join(self.folder, name)), exist_ok=True)
        if not self.has(name):
            self.write(name)
        os.utime(os.path.join(self.folder, name), (seconds, seconds))

    def run(self, command):
        """Runs functions of the first program; returns the status."""
        with open(INIT, encoding="utf-8") as file:
            text = file.read()
        parts = [match.group() for name in FUNCTIONS
                 if (match := re.search(rf"^{name}\(\) \{{\n.*?^\}}", text, re.M | re.S))]
        lines = re.sub(rf"{TREE}/(data|dev)\b", r"\1", "\n".join(parts)).replace(f"{TREE}/boot/firmware", "boot")
        lines = lines.replace("/sys/class/block/$card", "sys/block").replace("/run/", "run/")
        head = 'say() { echo "$*" >>said; }\noptions=rw data=/dev/part card=mmcblk0 lost=no\n'
        self.write("calls")
        self.write("said")
        return self.shell(f"{head}{lines}\n{command}")

    def shell(self, text):
        done = subprocess.run(["sh", "-c", text], cwd=self.folder, capture_output=True, text=True, timeout=60, check=False,
                              env={**os.environ, "PATH": os.path.join(self.folder, "tools") + ":" + os.environ["PATH"]})
        self.check.demand("not found" not in done.stderr, f"{self.name}: {done.stderr[-300:]}")
        return done.returncode

    def open_data(self):
        return self.run('open_data; status=$?; echo "$lost" >lost; exit $status')

    def same(self, found, wanted, what):
        return self.check.same(found, wanted, f"{self.name}: {what}")

    def demand(self, is_so, what):
        return self.check.demand(is_so, f"{self.name}: {what}")


def sound(check):
    """Nothing to repair, or repaired with all that was there: nothing is lost, nothing is written to the boot partition."""
    case = Case(check, "sound")
    case.same(case.open_data(), 0, "status")
    case.same((case.read("said"), case.read("lost")), ("", "no\n"), "what is said")
    case.demand("remount" not in case.read("calls"), "the boot partition is written")
    case = Case(check, "repaired")
    case.set(repair=4)
    case.same(case.open_data(), 0, "status")
    case.same(case.read("lost"), "no\n", "whether data were lost")
    for name in ("roost/history.db", "roost-web/web.db"):
        case = Case(check, f"repaired without {name[-6:]}")
        case.set(repair=4)
        case.remove(f"data/{name}")
        case.same((case.open_data(), case.read("lost")), (0, "yes\n"), "what a repair took")


def unrepaired(check):
    """A partition that can be read and not be repaired is made anew at the third start, not before."""
    case = Case(check, "unrepaired")
    case.set(repair=4)
    case.remove("mounts")
    for start in (1, 2):
        case.same(case.open_data(), 1, f"status of start {start}")
        case.demand(f"start {start} of 3" in case.read("said"), f"start {start} says {case.read('said')}")
        case.demand("mke2fs" not in case.read("calls"), f"start {start} makes it anew")
        case.demand(case.has("data/roost/history.db"), f"start {start} removes the history")
        case.demand(not case.has("writable"), "the boot partition stays writable")
    case.same(case.open_data(), 0, "status of start 3")
    case.demand("mke2fs" in case.read("calls") and "is made anew" in case.read("said"), "start 3 does not make it anew")
    case.same(case.read("lost"), "yes\n", "whether data were lost")
    case.demand(not case.has("boot/data.txt"), "the count stays")
    # One that mounts in between counts from the beginning.
    case = Case(check, "in between")
    case.set(repair=4)
    case.remove("mounts")
    case.open_data()
    case.write("mounts")
    case.same(case.open_data(), 0, "status when it is repaired")
    case.demand(not case.has("boot/data.txt"), "the count stays")
    # A count that cannot be kept makes nothing anew.
    case = Case(check, "protected")
    case.set(repair=4)
    case.remove("mounts")
    case.write("is-protected")
    for _ in range(5):
        case.same(case.open_data(), 1, "status")
    case.demand("mke2fs" not in case.read("calls"), "it is made anew")
    # A card that does not answer is left alone.
    case = Case(check, "unreadable")
    case.set(repair=4)
    case.remove("mounts", "is-readable")
    for _ in range(4):
        case.same(case.open_data(), 1, "status")
    case.demand("cannot be read" in case.read("said"), f"it says {case.read('said')}")


def clock(check):
    """A start goes on where the station last wrote; one file of the future pulls none ahead for ever."""
    case = Case(check, "clock")
    case.set(clock=NOW - 300 * DAY)
    for name in ("data/roost/history.db", "data/systemd/timesync/clock", "data/roost-web/web.db"):
        case.date(name, NOW - DAY)
    case.date("data/roost/history.db", NOW)
    case.run("go_on")
    case.same(case.read("clock"), f"{NOW}\n", "goes on at the newest")
    # 2039, in a file that is hardly ever written.
    for name in ("data/roost-web/web.db", "data/roost/settings.json", "data/roost-courier/cursors"):
        case.date(name, 2_190_000_000)
    for start in (1, 2, 3):
        case.set(clock=NOW - 300 * DAY)
        case.run("go_on")
        case.same(case.read("clock"), f"{NOW}\n", f"start {start} with files of 2039")
        case.date("data/roost-courier/cursors", 2_190_000_000 + start)
    # Files that the station set aside keep their time.
    aside = Case(check, "set aside")
    for name in ("history.db.damaged-1", "history.db.damaged-1-wal", "history.db-journal", "history.db-shm",
                 "journal.ring.damaged-1", "journal"):
        aside.date(f"data/roost/{name}", 2_190_000_000)
    for written in ("roost/history.db", "roost/history.db-wal", "roost/journal.ring", "systemd/timesync/clock"):
        aside.date("data/roost/history.db", NOW - DAY)
        aside.date(f"data/{written}", NOW)
        aside.set(clock=NOW - 300 * DAY)
        aside.run("go_on")
        aside.same(aside.read("clock"), f"{NOW}\n", f"goes on at {written}")
        aside.date(f"data/{written}", NOW - DAY)
    # The clock itself was ahead, and a time server put it right: what is written often goes back with it.
    for name in ("data/roost/history.db", "data/roost/history.db-wal", "data/systemd/timesync/clock"):
        case.date(name, 2_190_000_000)
    for name in ("data/roost/history.db", "data/roost/history.db-wal", "data/systemd/timesync/clock"):
        case.date(name, NOW + DAY)
    case.set(clock=0)
    case.run("go_on")
    case.same(case.read("clock"), f"{NOW + DAY}\n", "after a time server")
    case.date("data/roost/history.db", 5_000_000_000)
    case.set(clock=7)
    case.run("go_on")
    case.same(case.read("clock"), "7\n", "2128 is damage")


def good(check):
    """Only a root on trial starts the board again; on a settled one a failure is said."""
    rows = (
        ("settled", "slot=2\n", "tried=4\n", 69, 0),
        ("other on trial", "slot=2\ntrial=3\nnumber=5\n", "tried=5\n", 1, 0),
        ("on trial", "slot=3\ntrial=2\nnumber=5\n", "tried=5\n", 2, 2),
        ("on trial and broken", "slot=3\ntrial=2\nnumber=5\n", "tried=5\n", 127, 127),
        ("not tried", "slot=3\ntrial=2\nnumber=6\n", "tried=5\n", 1, 0),
        ("no files", None, None, 1, 0),
        ("well", "slot=3\ntrial=2\nnumber=5\n", "tried=5\n", 0, 0),
    )
    for name, slot, tried, status, wanted in rows:
        case = Case(check, f"good {name}")
        case.set(status=status)
        case.write("run/roost-slot", "2\n")
        for file, text in (("slot.txt", slot), ("tried.txt", tried)):
            if text is not None:
                case.write(f"boot/{file}", text + "\n" * (512 - len(text)))
        with open(GOOD, encoding="utf-8") as file:
            text = file.read().replace("/run/", "run/").replace("/boot/firmware", "boot")
        case.same(case.shell(text), wanted, "status")
        case.demand("roost update confirm" in case.read("calls"), "it does not ask the station")


def run(check, _):
    for part in (sound, unrepaired, clock, good):
        part(check)
