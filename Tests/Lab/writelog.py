"""Reads what QEMU's blklogwrites wrote down, and plays a part of it onto an image.

The format is dm-log-writes': Linux, Documentation/admin-guide/device-mapper/log-writes.rst. A first
sector says how many entries there are; each entry is a sector that says where its data go, then the
data. The log grows while the machine runs, so it can be asked in the middle of a run.
"""

import random
import struct
import subprocess

MAGIC = 0x6A736677736872
FLUSH, FUA, DISCARD = 1 << 0, 1 << 1, 1 << 2
HEAD = struct.Struct("<QQQI")
ENTRY = struct.Struct("<QQQQ")


def count(log):
    """How many entries there are by now."""
    with open(log, "rb") as file:
        head = file.read(HEAD.size)
    if len(head) < HEAD.size:
        return 0
    magic, _, entries, _ = HEAD.unpack(head)
    return entries if magic == MAGIC else 0


def entries(log):
    """Each entry as (position, flags, data)."""
    with open(log, "rb") as file:
        _, _, number, size = HEAD.unpack(file.read(HEAD.size))
        file.seek(size)
        for _ in range(number):
            sector, sectors, flags, _ = ENTRY.unpack(file.read(size)[:ENTRY.size])
            data = b"" if flags & DISCARD else file.read(sectors * size)
            yield sector * size, flags, data


def cuts(log, base, image, places):
    """Yields each place in ascending order when `image` is the card with so many writes done."""
    copy(base, image)
    with open(image, "r+b", buffering=0) as card:
        left = sorted(set(places))
        for number, (position, _, data) in enumerate(entries(log), 1):
            put(card, position, data)
            while left and left[0] <= number:
                yield left.pop(0)


def cuts_of_cache(log, base, image, places, seed, is_torn=False):
    """The same with a random half of what no flush had made durable dropped.

    A flush makes durable what was written before it; a write with FUA is durable by itself. is_torn:
    of half of what is left of it, only the first sectors are written, a random number of them. The
    chance of a place does not depend on the other places: each can be repeated alone.
    """
    held, durable = [], image + ".durable"
    copy(base, durable)
    with open(durable, "r+b", buffering=0) as disk:
        left = sorted(set(places))
        for number, (position, flags, data) in enumerate(entries(log), 1):
            if flags & FLUSH:
                for entry in held:
                    put(disk, *entry)
                held = []
            if flags & FUA:
                put(disk, position, data)
            elif data:
                held.append((position, data))
            while left and left[0] <= number:
                chance = random.Random(f"{seed}/{left[0]}")
                copy(durable, image)
                with open(image, "r+b", buffering=0) as cut:
                    for position, data in held:
                        if chance.random() < 0.5:
                            is_whole = not is_torn or chance.random() < 0.5
                            end = len(data) if is_whole else chance.randrange(len(data) // 512 + 1) * 512
                            put(cut, position, data[:end])
                yield left.pop(0)


def copy(source, target):
    """Copies an image with its holes, as a card of 4 GB holds little."""
    subprocess.run(["cp", "--sparse=always", source, target], check=True)


def put(card, position, data):
    card.seek(position)
    card.write(data)
