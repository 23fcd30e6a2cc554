"""A camera that is none: writes JPEGs one after another, as `rpicam-vid --codec mjpeg -o -` does, with faults on request.

usage: live_program.py FOLDER RATE BYTES. FOLDER gets a line in `starts` for each start; `fault` there may say hang, end,
garbage, huge or silent.
"""

import os
import sys
import time


def jpeg(number, size):
    """A JPEG by its markers, with its number in a comment."""
    text = b"frame %d." % number
    comment = b"\xff\xfe" + (len(text) + 2).to_bytes(2, "big") + text
    return b"\xff\xd8" + comment + b"\xff\xda\x00\x02" + b"\x55" * max(0, size - len(comment) - 8) + b"\xff\xd9"


def number_of(frame):
    """None for what is no frame of this program."""
    if not (frame.startswith(b"\xff\xd8\xff\xfe") and frame.endswith(b"\xff\xd9")):
        return None
    return int(frame[6:frame.index(b".")].split()[1])


def main(folder, rate, size):
    with open(os.path.join(folder, "starts"), "a", encoding="utf-8") as file:
        print(os.getpid(), file=file)
    output, number, due = sys.stdout.buffer, 0, time.monotonic()
    while True:
        fault = ""
        if os.path.exists(os.path.join(folder, "fault")):
            with open(os.path.join(folder, "fault"), encoding="utf-8") as file:
                fault = file.read().strip()
        if fault == "end":
            return 3
        if fault == "hang":
            os.spawnlp(os.P_NOWAIT, "sleep", "sleep", "1000000")
        if fault in ("hang", "silent"):
            time.sleep(1_000_000)
        number += 1
        if fault == "huge":
            output.write(jpeg(number, 4 << 20)[:-2])
        else:
            output.write(b"this is no picture " * 50 if fault == "garbage" else jpeg(number, size))
        output.flush()
        due += 1 / rate
        time.sleep(max(0, due - time.monotonic()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3])))
