"""A CH340 adapter (1a86:7523, no serial number), spoken in usbredir to QEMU's usb-redir device.

The guest's own driver ch341 binds to it. Packets and their numbers: usbredir-protocol.txt of the
project usbredir, version 0.7; descriptors: USB 1.1, chapter 9, as a CH340G of the market shows
them; vendor requests: Linux, drivers/usb/serial/ch341.c.
"""

import collections
import struct

from adapter import Adapter

(HELLO, DEVICE_CONNECT, _, RESET, INTERFACE_INFO, ENDPOINT_INFO, SET_CONFIGURATION,
 GET_CONFIGURATION, CONFIGURATION_STATUS, SET_ALTERNATE, GET_ALTERNATE,
 ALTERNATE_STATUS) = range(12)
START_INTERRUPT, STOP_INTERRUPT, INTERRUPT_STATUS, CANCEL = 15, 16, 17, 21
CONTROL, BULK = 100, 101
DONE, CANCELLED, STALL = 0, 1, 4

# connect_device_version, ep_info_max_packet_size, 64bits_ids, 32bits_bulk_length: XHCI wants them.
CAPABILITIES = 1 << 1 | 1 << 4 | 1 << 5 | 1 << 6
WIDE_IDS = 1 << 5

VENDOR, PRODUCT, VERSION = 0x1A86, 0x7523, 0x0264
PACKET = 32  # Bytes in a bulk packet of this part.
BULK_IN, BULK_OUT, INTERRUPT_IN = 0x82, 0x02, 0x81
TYPE_CONTROL, TYPE_BULK, TYPE_INTERRUPT, TYPE_NONE = 0, 2, 3, 255
READ_VERSION, READ_REGISTER = 0x5F, 0x95


def text_descriptor(text):
    words = text.encode("utf-16-le")
    return bytes([len(words) + 2, 3]) + words


ENDPOINTS = b"".join(
    struct.pack("<BBBBHB", 7, 5, address, kind, size, interval) for address, kind, size, interval in
    ((BULK_IN, TYPE_BULK, PACKET, 0), (BULK_OUT, TYPE_BULK, PACKET, 0),
     (INTERRUPT_IN, TYPE_INTERRUPT, 8, 1)))
INTERFACE = bytes([9, 4, 0, 0, 3, 0xFF, 1, 2, 0]) + ENDPOINTS
DESCRIPTORS = {
    (1, 0): struct.pack("<BBHBBBBHHHBBBB", 18, 1, 0x0110, 0xFF, 0, 0, 8, VENDOR, PRODUCT, VERSION,
                        0, 2, 0, 1),
    (2, 0): struct.pack("<BBHBBBBB", 9, 2, 9 + len(INTERFACE), 1, 1, 0, 0x80, 48) + INTERFACE,
    (3, 0): b"\x04\x03\x09\x04",
    (3, 2): text_descriptor("USB Serial"),
}


def slot(address):
    """Where usbredir's tables of 32 endpoints have one: those towards the host are 16…31."""
    return address & 0x0F | (16 if address & 0x80 else 0)


def table(kind, known, standard=0):
    """One of usbredir's tables: 32 numbers, most of them the standard one."""
    return struct.pack(f"<32{kind}", *(known.get(place, standard) for place in range(32)))


class CH340(Adapter):
    """Adapter whose plug is a connection in usbredir. Everything runs in the carrying thread."""

    device = "usb-redir"

    def _begin(self):
        self.received, self.to_guest = b"", b""
        self.asked = collections.deque()  # (packet id, length, stream) of each read under way.
        self.is_wide, self.configuration = False, 1
        self._packet(HELLO, b"roost lab".ljust(64, b"\0") + struct.pack("<I", CAPABILITIES))

    def _packet(self, kind, body, number=0):
        # The greeting comes before the width of numbers is agreed.
        head = "<IIQ" if self.is_wide and kind != HELLO else "<III"
        self.socket.sendall(struct.pack(head, kind, len(body), number) + body)

    def _send(self, data):
        # Nobody reads: the part itself keeps a packet, and the rest is gone.
        self.to_guest = (self.to_guest + data)[-PACKET * (64 if self.asked else 1):]
        while self.asked and self.to_guest:
            number, length, stream = self.asked.popleft()
            size = min(length, PACKET)
            piece, self.to_guest = self.to_guest[:size], self.to_guest[size:]
            self._packet(BULK, struct.pack("<BBHIH", BULK_IN, DONE, len(piece), stream, 0) + piece,
                         number)

    def _receive(self, data):
        """What the guest wrote to the serial side."""
        self.received += data
        written = b""
        while True:
            head = struct.Struct("<IIQ" if self.is_wide else "<III")
            if len(self.received) < head.size:
                return written
            kind, length, number = head.unpack_from(self.received)
            if len(self.received) < head.size + length:
                return written
            body = self.received[head.size:head.size + length]
            self.received = self.received[head.size + length:]
            written += self._obey(kind, number, body) or b""

    def _obey(self, kind, number, body):
        if kind == HELLO:
            theirs = struct.unpack_from("<I", body, 64)[0] if len(body) >= 68 else 0
            self.is_wide = bool(theirs & WIDE_IDS)
            self._announce()
        elif kind == RESET:
            self.asked.clear()
        elif kind in (SET_CONFIGURATION, GET_CONFIGURATION):
            if kind == SET_CONFIGURATION:
                self.configuration = body[0]
            self._packet(CONFIGURATION_STATUS, bytes([DONE, self.configuration]), number)
        elif kind in (SET_ALTERNATE, GET_ALTERNATE):
            self._packet(ALTERNATE_STATUS, bytes([DONE, body[0], 0]), number)
        elif kind in (START_INTERRUPT, STOP_INTERRUPT):
            self._packet(INTERRUPT_STATUS, bytes([DONE, body[0]]), number)
        elif kind == CANCEL:
            self._cancel(number)
        elif kind == CONTROL:
            self._control(number, *struct.unpack_from("<BBBBHHH", body))
        elif kind == BULK:
            return self._bulk(number, body)
        return None

    def _announce(self):
        none = table("B", {})
        self._packet(INTERFACE_INFO, struct.pack("<I", 1) + none + table("B", {0: 0xFF})
                     + table("B", {0: 1}) + table("B", {0: 2}))
        kinds = {slot(0): TYPE_CONTROL, slot(0x80): TYPE_CONTROL, slot(BULK_IN): TYPE_BULK,
                 slot(BULK_OUT): TYPE_BULK, slot(INTERRUPT_IN): TYPE_INTERRUPT}
        sizes = {slot(0): 8, slot(0x80): 8, slot(BULK_IN): PACKET, slot(BULK_OUT): PACKET,
                 slot(INTERRUPT_IN): 8}
        self._packet(ENDPOINT_INFO, table("B", kinds, TYPE_NONE)
                     + table("B", {slot(INTERRUPT_IN): 1}) + none + table("H", sizes))
        full_speed = 1
        self._packet(DEVICE_CONNECT, struct.pack("<BBBBHHH", full_speed, 0xFF, 0, 0, VENDOR,
                                                 PRODUCT, VERSION))

    def _cancel(self, number):
        for read in [read for read in self.asked if read[0] == number]:
            self.asked.remove(read)
            self._packet(BULK, struct.pack("<BBHIH", BULK_IN, CANCELLED, 0, 0, 0), number)

    def _bulk(self, number, body):
        endpoint, _, length, stream, _ = struct.unpack_from("<BBHIH", body)
        if endpoint & 0x80:
            self.asked.append((number, length, stream))
            self._send(b"")
            return None
        self._packet(BULK, struct.pack("<BBHIH", endpoint, DONE, length, stream, 0), number)
        return body[10:]

    def _control(self, number, endpoint, request, kind, _, value, index, length):
        answer = self._answer(kind, request, value)
        status, data = (STALL, b"") if answer is None else (DONE, answer[:length])
        told = len(data) if kind & 0x80 else length
        self._packet(CONTROL, struct.pack("<BBBBHHH", endpoint, request, kind, status, value, index,
                                          told) + (data if kind & 0x80 else b""), number)

    @staticmethod
    def _answer(kind, request, value):
        """Bytes of an answer, none of a write; None where the part stalls."""
        if kind == 0x80 and request == 6:
            return DESCRIPTORS.get((value >> 8, value & 0xFF))
        if kind in (0x80, 0x81, 0x82) and request == 0:
            return b"\0\0"
        if kind == 0xC0 and request in (READ_VERSION, READ_REGISTER):
            return b"\x31\x00" if request == READ_VERSION else b"\xff\xee"
        return b"" if kind in (0x00, 0x01, 0x02, 0x40) else None
