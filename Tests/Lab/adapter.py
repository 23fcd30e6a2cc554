"""The host's end of an emulated USB adapter, with `roost simulator sds011` behind it."""

import os
import select
import socket
import subprocess
import threading
import tty

from machine import Failed


class Sensor:
    """The project's own simulator on a pseudo-terminal; it runs on while it is not plugged in."""

    def __init__(self, roost, folder, *options):
        self.link, self.trace = os.path.join(folder, "sds011"), os.path.join(folder, "trace")
        self.process = subprocess.Popen(
            [roost, "simulator", "sds011", "--link", self.link, "--trace", self.trace, *options],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if not self.process.stdout.readline().startswith("ready "):
            raise Failed("the simulator does not get ready")
        self.terminal = os.open(self.link, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self.terminal)

    def close(self):
        os.close(self.terminal)
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Adapter:
    """Passes bytes between a sensor and the guest; connecting plugs it in, closing pulls it out."""

    device = "usb-serial"  # QEMU's name; an FTDI with a serial number.

    def __init__(self, sensor, path):
        self.sensor, self.path = sensor, path
        self.thread = self.socket = None
        self.cut = threading.Event()
        self.was_cut = threading.Event()

    def plug(self):
        self.cut.clear()
        self.was_cut.clear()
        self.wake, self.bell = os.pipe()
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(self.path)
        self._begin()
        self.thread = threading.Thread(target=self._carry, daemon=True)
        self.thread.start()

    def unplug(self, in_frame=False):
        """Pulls the adapter out, at once or after the fourth byte of the sensor's next frame."""
        if in_frame:
            self.cut.set()
            if not self.was_cut.wait(30):
                raise Failed("the sensor sends no frame to be cut")
        os.write(self.bell, b"x")
        self.thread.join()
        self.socket.close()
        os.close(self.wake)
        os.close(self.bell)

    def _begin(self):
        """Says what has to be said before any byte."""

    def _send(self, data):
        """Sends bytes of the sensor to the guest."""
        self.socket.sendall(data)

    def _receive(self, data):
        """Bytes for the sensor in what came from the guest."""
        return data

    def _carry(self):
        terminal = self.sensor.terminal
        try:
            while True:
                ready = select.select([terminal, self.socket, self.wake], [], [])[0]
                if self.wake in ready:
                    return
                if terminal in ready:
                    # The simulator writes a frame at once.
                    frame = os.read(terminal, 4096)
                    if self.cut.is_set() and frame[:1] == b"\xaa" and len(frame) >= 10:
                        self._send(frame[:4])
                        self.socket.shutdown(socket.SHUT_RDWR)
                        self.was_cut.set()
                        return
                    self._send(frame)
                if self.socket in ready:
                    asked = self.socket.recv(4096)
                    if not asked:
                        return
                    os.write(terminal, self._receive(asked))
        except OSError:
            return  # The guest's power is gone.
