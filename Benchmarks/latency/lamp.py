"""The usual way: an SDS011 and a lamp in Python with pyserial.

usage: lamp.py PORT OUTPUT
"""

import os
import socket
import sys

import serial

LIMITS = ((50, 45, 30, 25), (150, 135, 100, 85))  # Red, left, yellow, left; tenths of µg/m³.


def level(value, limits, previous):
    red, red_left, yellow, yellow_left = limits
    if value >= (red_left if previous == 2 else red):
        return 2
    return 1 if value >= (yellow_left if previous >= 1 else yellow) else 0


def notify_ready():
    path = os.environ.get("NOTIFY_SOCKET")
    if path:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.sendto(b"READY=1", path)


def frames(port):
    while True:
        if port.read(1) != b"\xaa":
            continue
        frame = port.read(9)
        if len(frame) == 9 and frame[0] == 0xC0 and frame[8] == 0xAB:
            if sum(frame[1:7]) & 0xFF == frame[7]:
                yield int.from_bytes(frame[1:3], "little"), int.from_bytes(frame[3:5], "little")


def main():
    port = serial.Serial(sys.argv[1], 9600)
    output = os.open(sys.argv[2], os.O_WRONLY)
    notify_ready()
    levels, shown = [0, 0], None
    for sample in frames(port):
        levels = [level(*each) for each in zip(sample, LIMITS, levels)]
        if max(levels) != shown:
            shown = max(levels)
            os.write(output, b"GYR"[shown : shown + 1])


main()
