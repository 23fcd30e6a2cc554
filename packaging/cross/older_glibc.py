#!/usr/bin/env python3
"""Copies shared libraries so that Debian 12's C library loads them, although they were built for a newer one.

usage: packaging/cross/older_glibc.py FOLDER LIBRARY…

What a library asks of versions newer than GLIBC_2.36 is asked of the oldest version that it names: fmod is there under
both, and what is not there (the functions of C23, strlcpy) the programs bring from older_glibc.c. The dynamic linker
takes a symbol without a version, as the programs', for any version.
"""

import os
import re
import shutil
import struct
import sys

NEWEST = (2, 36)
VERNEED = 0x6FFFFFFE  # SHT_GNU_verneed


def elf_hash(name):
    """The hash that the dynamic linker compares before the name (System V ABI)."""
    value = 0
    for byte in name:
        value = (value << 4) + byte
        high = value & 0xF0000000
        value = (value ^ high >> 24) & ~high & 0xFFFFFFFF
    return value


def sections(data):
    """Type, offset and linked section of each section of a 64-bit little-endian file."""
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError("no 64-bit little-endian ELF file")
    start, = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    for number in range(count):
        kind, = struct.unpack_from("<I", data, start + number * size + 4)
        offset, _, link = struct.unpack_from("<QQI", data, start + number * size + 0x18)
        yield kind, offset, link


def text(data, offset):
    return bytes(data[offset:data.index(0, offset)])


def entries(data, start, strings):
    """Place and version of what is asked of each library: lists, one a library."""
    while True:
        _, count, _, first, following = struct.unpack_from("<HHIII", data, start)
        place, found = start + first, []
        for _ in range(count):
            _, _, _, name, step = struct.unpack_from("<IHHII", data, place)
            found.append((place, text(data, strings + name)))
            place += step
        yield found
        if following == 0:
            return
        start += following


def number(version):
    """(2, 38) of GLIBC_2.38; None of another name."""
    found = re.fullmatch(rb"GLIBC_(\d+)\.(\d+)(?:\.\d+)?", version)
    return found and tuple(int(part) for part in found.groups())


def rename(data):
    """Renames in place; how many versions were renamed."""
    parts, count = list(sections(data)), 0
    for kind, offset, link in parts:
        if kind != VERNEED:
            continue
        strings = parts[link][1]
        for asked in entries(data, offset, strings):
            known = [(number(version), version) for _, version in asked if number(version)]
            for place, version in asked:
                if (number(version) or NEWEST) <= NEWEST:
                    continue
                oldest = min(known)[1]
                if number(oldest) > NEWEST:
                    raise ValueError(f"asks for nothing older than {version.decode()}")
                name = data.index(b"\0" + oldest + b"\0", strings) + 1 - strings
                struct.pack_into("<I", data, place, elf_hash(oldest))
                struct.pack_into("<I", data, place + 8, name)
                count += 1
    return count


def main():
    if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for library in sys.argv[2:]:
        with open(library, "rb") as file:
            data = bytearray(file.read())
        try:
            rename(data)
        except (ValueError, struct.error, IndexError) as problem:
            print(f"older_glibc: {library}: {problem}", file=sys.stderr)
            return 1
        target = os.path.join(folder, os.path.basename(library))
        with open(target, "wb") as file:
            file.write(data)
        shutil.copymode(library, target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
