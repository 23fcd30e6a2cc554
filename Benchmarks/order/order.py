"""Records which functions a station enters, in their order, for the linker.

usage: order.py ROOSTD OUTPUT

Code that runs once a second is cold each time: what it costs is the number of pages and cache lines
that it lies in. The list has the functions of a frame first and those of the start after them, for
`--symbol-ordering-file` of lld. Functions that are entered from the start on and never again lie
behind: they need not stay in memory.
"""

import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.realpath(__file__))
START_SECONDS, FRAME_SECONDS = 6, 14
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(HERE))

import measure  # noqa: E402


def functions(roostd):
    """Names of the functions by address."""
    names = subprocess.run(["nm", roostd], stdout=subprocess.PIPE, text=True, check=True).stdout
    words = (line.split() for line in names.splitlines())
    return {int(word[0], 16): word[2] for word in words if len(word) == 3 and word[1] in "tTwW"}


def entered(roostd, known):
    """Addresses in order of entry: at the start, and during some frames."""
    latency = os.path.join(os.path.dirname(HERE), "latency")
    with tempfile.TemporaryDirectory(prefix="roost-order-") as folder:
        for name, source in (("calls", HERE), ("peer", latency)):
            subprocess.run(["cc", "-O2", "-std=gnu17", "-o", os.path.join(folder, name),
                            os.path.join(source, f"{name}.c")], check=True)
        listed = os.path.join(folder, "functions")
        with open(listed, "w", encoding="ascii") as file:
            file.writelines(f"{address:x}\n" for address in known)
        peer = measure.Peer(folder, 1, "order")
        place = os.path.join(folder, "station")
        path = measure.configuration(place, peer.ports[0], peer.outputs[0], mode="live")
        command = [os.path.join(folder, "calls"), str(START_SECONDS), listed,
                   roostd, "--config", path]
        try:
            station = measure.Candidate(command, place)
            time.sleep(START_SECONDS + FRAME_SECONDS)
            station.end()
        finally:
            peer.end()
        with open(os.path.join(place, "log"), encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
    cut, end = lines.index("again"), lines.index("end")
    hexadecimal = set("0123456789abcdef")
    return [[int(line, 16) for line in part if line and set(line) <= hexadecimal]
            for part in (lines[:cut], lines[cut:end])]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    known = functions(sys.argv[1])
    try:
        start, frames = entered(os.path.realpath(sys.argv[1]), known)
    except (OSError, RuntimeError, subprocess.SubprocessError, ValueError) as error:
        sys.exit(f"order: no run could be recorded: {error}")
    names = dict.fromkeys(known[address] for address in frames + start if address in known)
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.writelines(f"{name}\n" for name in names)
    print(f"order: {len(frames)} functions of a frame, {len(names)} in all", file=sys.stderr)


main()
