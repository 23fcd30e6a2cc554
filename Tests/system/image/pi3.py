"""The card in QEMU's raspi3b: Debian's U-Boot for the Pi, its device tree, the Pi's card controller and USB.

The firmware is left out, and the watchdog, which QEMU takes for a reset. There is no agent; the page is looked for
through an adapter for Ethernet on the Pi's USB, which this kernel does not get to work on QEMU's controller.
"""

import os
import subprocess
import time

from . import bench as shared
from .bench import LabFailed, board

LIMIT = 1500
PAGE_SECONDS = 60  # After all units.
MARKS = {"U-Boot": "U-Boot 20", "the boot script": "Roost: root", "the kernel": "Machine model", "the card": "mmcblk0: p1",
         "root and data partition": "EXT4-fs (mmcblk0p6): mounted", "systemd": "systemd[1]:",
         "the 1-wire bus of overlays.txt": "Driver for 1-wire",
         "the station": "Started \x1b[0;1;39mroostd.service", "all units": "Reached target \x1b[0;1;39mmulti-user.target"}
WORDS = ("words=console=ttyS1,115200 net.ifnames=0 panic=10 loglevel=7 roost.watchdog=no "
         "systemd.watchdog_sec=0 systemd.log_target=kmsg systemd.log_level=notice\n")


def pi3(bench):
    """From U-Boot for the Pi to the page, as far as QEMU's Pi goes."""
    card = board.fresh(bench.image, bench.check.path("pi3.card"))
    board.write_boot(card, "words.txt", WORDS)
    board.write_boot(card, "overlays.txt", "overlays=w1-gpio-4 dht11-17\r\n")
    folder, port, began = bench.evidence("pi3"), shared.free_port(), time.monotonic()
    for name in ("u-boot.bin", "bcm2837-rpi-3-b.dtb"):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(board.read_boot(card, name))
    console = [os.path.join(folder, name) for name in ("serial0.log", "serial1.log")]
    with open(os.path.join(folder, "qemu.log"), "wb") as log:
        process = subprocess.Popen(
            ["qemu-system-aarch64", "-M", "raspi3b", "-kernel", "u-boot.bin", "-dtb", "bcm2837-rpi-3-b.dtb",
             "-drive", f"file={card},if=sd,format=raw", "-serial", f"file:{console[0]}", "-serial", f"file:{console[1]}",
             "-display", "none", "-monitor", "none", "-netdev", f"user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:{port}-:80",
             "-device", "usb-net,netdev=net"], cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    seen = {}
    try:
        while time.monotonic() - began < LIMIT and process.poll() is None:
            text = "".join(read(path) for path in console)
            for name, mark in MARKS.items():
                if mark in text:
                    seen.setdefault(name, time.monotonic() - began)
            is_over = time.monotonic() - began > seen.get("all units", LIMIT) + PAGE_SECONDS
            if is_over or text.count(MARKS["the boot script"]) > 1:
                break
            answer = shared.page(port) if "systemd" in seen else None
            if answer and answer[0] == 200:
                seen["the page"] = time.monotonic() - began
                break
            time.sleep(2)
    finally:
        process.kill()
        process.wait()
    for name, seconds in seen.items():
        bench.figure(f"raspi3b: {name} after", f"{seconds:.0f} s")
    bench.close(card)
    wanted = [name for name in MARKS if name not in seen]
    if wanted:
        raise LabFailed(f"raspi3b does not reach {wanted[0]}: see serial1.log")


def read(path):
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()
