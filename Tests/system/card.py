"""A card that can be filled, broken, frozen and repaired: an ext4 on a loop device. Only for root."""

import os
import re
import subprocess
import time

BLOCK = 4096
CARD_BYTES = 64 << 20
ROOM_BYTES = 96 << 20  # Where the card's image lies: all of it fits, and it can be filled up.


def run(*command, check=True):
    return subprocess.run(command, check=check, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


class Card:
    """An ext4 on a loop device, whose image lies on a small tmpfs."""

    def __init__(self, folder):
        self.room, self.mount = os.path.join(folder, "room"), os.path.join(folder, "card")
        self.image, self.device = os.path.join(self.room, "image"), None
        os.mkdir(self.room)
        os.mkdir(self.mount)
        run("mount", "-t", "tmpfs", "-o", f"size={ROOM_BYTES}", "none", self.room)
        # Written, not a hole: beneath what is broken later only that has no room.
        with open(self.image, "wb") as file:
            for _ in range(CARD_BYTES >> 20):
                file.write(bytes(1 << 20))
        run("mkfs.ext4", "-q", "-F", "-m", "0", "-b", str(BLOCK), "-E", "nodiscard", self.image)
        self.device = run("losetup", "-f", "--show", self.image).stdout.decode().strip()
        self.mount_again()

    def mount_again(self):
        run("mount", "-o", "errors=remount-ro", self.device, self.mount)

    def fill(self, path):
        """Takes all room there is; returns how to give it back."""
        with open(path, "wb", buffering=0) as file:
            for size in (1 << 20, BLOCK, 512):
                try:
                    while True:
                        file.write(b"\xa5" * size)
                except OSError:
                    continue
        return lambda: os.remove(path)

    def break_journal(self, ring, count):
        """Makes the next blocks of the ring fail with EIO: no room beneath them any more."""
        with open(ring, "rb") as file:
            data = file.read()
        newest, slots = 0, len(data) // BLOCK
        for slot in range(slots):
            block = data[slot * BLOCK:(slot + 1) * BLOCK]
            if block[:4] == b"RJB1":
                newest = max(newest, int.from_bytes(block[8:16], "little"))
        words = run("filefrag", "-v", f"-b{BLOCK}", ring).stdout.decode()
        places = {}
        for match in re.finditer(r"^\s*\d+:\s*(\d+)\.\.\s*(\d+):\s*(\d+)\.\.", words, re.M):
            first, last, physical = (int(text) for text in match.groups())
            places.update({n: physical + n - first for n in range(first, last + 1)})
        os.sync()
        # What was zeroed through the loop device is a hole by now; nothing else shall fail.
        run("fallocate", "-l", str(CARD_BYTES), self.image)
        for number in range(newest + 1, newest + 1 + count):
            offset = places[number % slots] * BLOCK
            run("fallocate", "-p", "-o", str(offset), "-l", str(BLOCK), self.image)
        return self.fill(os.path.join(self.room, "filler"))

    def fail(self):
        """What ext4 does at an error of its own: read-only, until it is unmounted."""
        name = os.path.basename(self.device)
        with open(f"/sys/fs/ext4/{name}/trigger_fs_error", "w", encoding="ascii") as file:
            file.write("1")

    def repair(self):
        """Unmounts as soon as nobody holds it, checks, and mounts again."""
        if run("umount", self.mount, check=False).returncode != 0:
            return False
        run("e2fsck", "-fy", self.device, check=False)
        self.mount_again()
        return True

    def close(self):
        run("fsfreeze", "-u", self.mount, check=False)
        for _ in range(50):
            if run("umount", self.mount, check=False).returncode == 0:
                break
            if not os.path.ismount(self.mount):
                break
            time.sleep(0.1)
        else:
            run("umount", "-l", self.mount, check=False)
        if self.device:
            run("losetup", "-d", self.device, check=False)
        run("umount", "-l", self.room, check=False)
