#!/usr/bin/env python3
"""Processor time of a live picture for some viewers: roost-eyes and roost-web beside ustreamer, the same JPEG and rate.

usage: measure.py BINARIES CAMERA.SO [--rate 20] [--viewers 3] [--seconds 30] [--bytes 30000] [--rounds 3]

BINARIES has release builds of roost-eyes and roost-web. CAMERA.SO is camera.c beside this file: ustreamer gets its frames from it
by V4L2, as JPEGs of a camera that makes them itself; roost-eyes gets the same JPEG from a program over a pipe. The program's own
time is given apart. Times are user and system time of the processes, by the kernel.
"""

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(HERE)), "Tests"))
from system import live_program  # noqa: E402


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def seconds(processes):
    """User and system time of whole processes, in seconds, finer than ticks: the sum over their threads."""
    total = 0
    for process in processes:
        for task in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{task}/schedstat", encoding="utf-8") as file:
                total += int(file.read().split()[0])
    return total / 1e9


class Viewer(threading.Thread):
    def __init__(self, port, path):
        super().__init__(daemon=True)
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        self.frames = self.bytes = 0
        self.start()

    def run(self):
        rest = b""
        while True:
            piece = self.socket.recv(1 << 18)
            if not piece:
                return
            self.bytes += len(piece)
            rest += piece
            self.frames += rest.count(b"frame 1.")
            rest = rest[-7:]


def watch(options, port, path, processes):
    viewers = [Viewer(port, path) for _ in range(options.viewers)]
    time.sleep(3)
    before, frames, begun = {name: seconds(ids()) for name, ids in processes.items()}, [one.frames for one in viewers], time.monotonic()
    time.sleep(options.seconds)
    elapsed = time.monotonic() - begun
    after = {name: seconds(ids()) for name, ids in processes.items()}
    rate = [(one.frames - old) / elapsed for one, old in zip(viewers, frames)]
    for one in viewers:
        one.socket.shutdown(2)
    return {name: 1000 * (after[name] - before[name]) / elapsed for name in processes}, rate


def wait(port):
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            time.sleep(0.05)
    sys.exit("no server")


def of_roost(options, folder, frame):
    port = free_port()
    program = os.path.join(folder, "program.py")
    with open(program, "w", encoding="utf-8") as file:
        file.write("import sys, time\nframe = open(sys.argv[1], 'rb').read()\ndue = time.monotonic()\n"
                   "while True:\n    sys.stdout.buffer.write(frame); sys.stdout.buffer.flush()\n"
                   "    due += 1 / float(sys.argv[2]); time.sleep(max(0, due - time.monotonic()))\n")
    config = os.path.join(folder, "eyes.json")
    with open(config, "w", encoding="utf-8") as file:
        json.dump({"command": ["false"], "ring": os.path.join(folder, "pictures"), "megabytes": 1, "pictures": 10, "live": {
            "command": [sys.executable, program, frame, str(options.rate)], "framesPerSecond": options.rate, "celsiusMax": 110}}, file)
    station = os.path.join(folder, "none.sock")
    eyes = subprocess.Popen([os.path.join(options.binaries, "roost-eyes"), "run", "--config", config, "--socket", station,
                             "--control", os.path.join(folder, "eyes.sock"), "--live", os.path.join(folder, "live.sock")])
    web = subprocess.Popen([os.path.join(options.binaries, "roost-web"), "--listen", f"127.0.0.1:{port}", "--socket", station, "--open",
                            "--state", folder, "--idle", "0", "--eyes", os.path.join(folder, "eyes.sock"), "--live-socket",
                            os.path.join(folder, "live.sock"), "--pictures", os.path.join(folder, "pictures"), "--www",
                            os.path.join(os.path.dirname(os.path.dirname(HERE)), "Sources", "RoostWeb", "www")],
                           stdout=subprocess.DEVNULL)
    try:
        wait(port)

        def source():
            found = []
            for name in filter(str.isdigit, os.listdir("/proc")):
                try:
                    with open(f"/proc/{name}/cmdline", "rb") as file:
                        if program.encode() in file.read().split(b"\0"):
                            found.append(int(name))
                except OSError:
                    continue
            return found
        return watch(options, port, "/api/v1/camera/live", {
            "roost-eyes": lambda: [eyes.pid], "roost-web": lambda: [web.pid], "(program)": source})
    finally:
        for process in (web, eyes):
            process.send_signal(signal.SIGTERM)
            process.wait()


def of_ustreamer(options, frame):
    port = free_port()
    process = subprocess.Popen(
        ["ustreamer", "--device=/dev/no-camera", "--format=JPEG", "--encoder=HW", "--resolution=640x480", "--host=127.0.0.1",
         f"--port={port}", f"--desired-fps={options.rate}"],
        env={**os.environ, "LD_PRELOAD": options.camera, "CAMERA_FRAME": frame, "CAMERA_RATE": str(options.rate)},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait(port)
        return watch(options, port, "/stream", {"ustreamer": lambda: [process.pid]})
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binaries")
    parser.add_argument("camera")
    for name, standard in (("rate", 20), ("viewers", 3), ("seconds", 30), ("bytes", 30_000), ("rounds", 3)):
        parser.add_argument(f"--{name}", type=int, default=standard)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        frame = os.path.join(folder, "frame.jpg")
        with open(frame, "wb") as file:
            # With a frame header and a Huffman table, which ustreamer looks for.
            tables = b"\xff\xc4\x00\x04\x00\x00\xff\xc0\x00\x0b\x08\x01\xe0\x02\x80\x01\x01\x11\x00"
            whole = live_program.jpeg(1, options.bytes - len(tables))
            place = whole.index(b"\xff\xda")
            file.write(whole[:place] + tables + whole[place:])
        for _ in range(options.rounds):
            for name, run in (("Roost", lambda: of_roost(options, folder, frame)), ("ustreamer", lambda: of_ustreamer(options, frame))):
                times, rate = run()
                whole = sum(each for part, each in times.items() if not part.startswith("("))
                parts = ", ".join(f"{part} {each:.2f}" for part, each in times.items())
                print(f"{name:10} {whole:6.2f} ms a second ({parts}); frames a second {min(rate):.1f} to {max(rate):.1f}", flush=True)


if __name__ == "__main__":
    main()
