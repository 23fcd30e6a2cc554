"""What foreign clients make of our simulated parts; fails loudly.

usage: parts.py ROOST FOLDER      (run by scripts/check interop)

Each part is started as `roost simulator part`, with a trace. A reading that a client gives must be
one that the trace holds: frames are decoded here by the makers' documents, apart from both sides.
"""

import contextlib
import logging
import math
import struct
import subprocess
import sys
import time

ROOST, FOLDER = sys.argv[1:3]
checks = 0


def check(condition, words, found=""):
    global checks
    checks += 1
    print(f"  {'ok  ' if condition else 'FAIL'} {words}: {found}", flush=True)
    if not condition:
        sys.exit(1)


class Part:
    """A simulated part behind a pseudo-terminal."""

    def __init__(self, name, path, trace):
        self.name, self.path, self.trace = name, path, trace

    def said(self):
        """Everything the part sent, as one run of bytes."""
        with open(self.trace, encoding="ascii") as lines:
            sent = [line.split(" ", 2)[2] for line in lines if line.split(" ", 2)[1] == "<"]
        return bytes.fromhex(" ".join(sent))

    def is_silent(self, seconds):
        """Whether the part sends nothing for a while."""
        before = len(self.said())
        time.sleep(seconds)
        return len(self.said()) == before

    def frames(self, head, length):
        said, found = self.said(), []
        place = said.find(head)
        while 0 <= place:
            if place + length <= len(said):
                found.append(said[place : place + length])
            place = said.find(head, place + 1)
        return found


@contextlib.contextmanager
def part(name, *arguments):
    link, trace = f"{FOLDER}/{name}", f"{FOLDER}/{name}.trace"
    command = [ROOST, "simulator", "part", name, "--link", link, "--trace", trace, *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline()
        if not line.startswith("ready "):
            sys.exit(f"the simulator of {name} does not get ready: {line}")
        yield Part(name, link, trace)
    finally:
        process.terminate()
        process.wait()


def words(frame):
    """The words of a Plantower's frame between length and checksum."""
    return struct.unpack(f">{(len(frame) - 6) // 2}H", frame[4:-2])


def shdlc(said):
    """The answers in a stream of SHDLC: command, state, data."""
    answers = []
    for piece in said.split(b"\x7e"):
        for escaped, byte in ((0x5E, 0x7E), (0x31, 0x11), (0x33, 0x13), (0x5D, 0x7D)):
            piece = piece.replace(bytes([0x7D, escaped]), bytes([byte]))
        if len(piece) >= 5 and piece[3] == len(piece) - 5:
            answers.append((piece[1], piece[2], piece[4:-1]))
    return answers


# MARK: pypms


def pypms_readings(sensor, peer, count=3):
    from pms.core import SensorReader

    reader = SensorReader(
        sensor, peer.path, samples=count, interval=1, timeout=3, max_retries=9
    )
    # What streams meanwhile would be taken for the answer to its next command.
    reader.pre_heat = 0
    with reader:
        return list(reader())


def check_pypms():

    print("pypms 0.8.0")
    fields = {
        "PMSx003": ("plantower-pms", 32, ("n5_0", "n10_0"), (10, 11), 100),
        "PMS5003S": ("plantower-pms5003s", 32, ("n10_0", "HCHO"), (11, 12), None),
        "PMS5003T": ("plantower-pms5003t", 32, ("temp", "rhum"), (10, 11), 10),
        "PMS5003ST": ("plantower-pms5003st", 40, ("temp", "rhum"), (13, 14), 10),
    }
    for sensor, (name, length, names, places, scale) in fields.items():
        with part(name) as peer:
            readings = pypms_readings(sensor, peer)
            said = [words(frame) for frame in peer.frames(b"\x42\x4d\x00" + bytes([length - 4]), length)]
            known = {(w[3], w[4], w[5]) + tuple(w[place] for place in places) for w in said}
            scales = (scale, scale) if scale else (100, 1000)
            given = [
                (r.pm01, r.pm25, r.pm10)
                + tuple(round(getattr(r, key) * by) for key, by in zip(names, scales))
                for r in readings
            ]
            check(len(given) == 3 and set(given) <= known, f"{sensor}: three readings", given)
            check(peer.is_silent(2), f"{sensor}: asleep when the client is done", "silent")
    with part("honeywell-hpma115") as peer:
        readings = pypms_readings("HPMA115C0", peer)
        said = [struct.unpack(">4H", f[3:11]) for f in peer.frames(b"\x40\x0d\x04", 16)]
        given = [(r.pm01, r.pm25, r.pm04, r.pm10) for r in readings]
        check(len(given) == 3 and given == said[-3:], "HPMA115C0: three readings, asked for", given)
        check(peer.is_silent(2), "HPMA115C0: stopped when the client is done", "silent")
    with part("sensirion-sps30") as peer:
        readings = pypms_readings("SPS30", peer)
        said = [struct.unpack(">10f", d) for c, s, d in shdlc(peer.said()) if c == 3 and len(d) == 40]
        given = [(r.pm01, r.pm25, r.pm04, r.pm10, r.diam) for r in readings]
        known = [(s[0], s[1], s[2], s[3], s[9]) for s in said]
        check(len(given) == 3 and given == known[-3:], "SPS30: three readings", given)
    with part("winsen-mhz19b") as peer:
        readings = pypms_readings("MHZ19B", peer)
        said = [struct.unpack(">H", f[2:4])[0] for f in peer.frames(b"\xff\x86", 9)]
        given = [r.CO2 for r in readings]
        check(len(given) == 3 and given == said[-3:], "MHZ19B: three readings", given)
    with part("nova-sds011") as peer:
        readings = pypms_readings("SDS01x", peer)
        said = [struct.unpack("<HH", f[2:6]) for f in peer.frames(b"\xaa\xc0", 10)]
        given = [(round(r.pm25 * 10), round(r.pm10 * 10)) for r in readings]
        check(len(given) == 3 and set(given) <= set(said), "SDS01x: three readings", given)


# MARK: Sensirion


def check_sensirion():
    from sensirion_driver_adapters.shdlc_adapter.shdlc_channel import ShdlcChannel
    from sensirion_shdlc_driver import ShdlcSerialPort
    from sensirion_shdlc_driver.errors import ShdlcDeviceError, ShdlcTimeoutError
    from sensirion_uart_sps30.commands import OutputFormat
    from sensirion_uart_sps30.device import Sps30Device

    print("sensirion-uart-sps30 1.0.0")

    def refused(action):
        try:
            action()
        except ShdlcDeviceError as error:
            return error.error_code
        except ShdlcTimeoutError:
            return "no answer"
        return None

    def values(read):
        """None is new within a second of the last, and the client fails on an empty answer."""
        time.sleep(1.1)
        return read()

    with part("sensirion-sps30") as peer, ShdlcSerialPort(peer.path, 115200) as port:
        device = Sps30Device(ShdlcChannel(port, shdlc_address=0))
        check(device.read_product_type() == "00080000", "product type", device.read_product_type())
        serial = device.read_serial_number()
        check(serial != "00080000" and serial.isalnum(), "serial number", serial)
        version = device.read_version()
        check(tuple(version)[0] >= 2, "version", version)
        status = device.read_device_status_register(False)
        check(tuple(status)[0] == 0, "status register", status)
        check(device.read_auto_cleaning_interval() == 604800, "cleaning interval", 604800)
        device.write_auto_cleaning_interval(86400)
        check(device.read_auto_cleaning_interval() == 86400, "cleaning interval, changed", 86400)
        code = refused(device.start_fan_cleaning)
        check(code == 0x43, "no cleaning while idle", code)
        device.start_measurement(OutputFormat.OUTPUT_FORMAT_FLOAT)
        given = tuple(values(device.read_measurement_values_float))
        said = [struct.unpack(">10f", d) for c, s, d in shdlc(peer.said()) if c == 3 and len(d) == 40]
        check(given == said[-1], "floats", given[:4])
        check(refused(device.sleep) == 0x43, "no sleep while it measures", "refused")
        device.start_fan_cleaning()
        check(True, "cleans its fan while it measures")
        device.stop_measurement()
        time.sleep(10)
        device.start_measurement(OutputFormat.OUTPUT_FORMAT_UINT16)
        given = tuple(values(device.read_measurement_values_uint16))
        said = [struct.unpack(">10H", d) for c, s, d in shdlc(peer.said()) if c == 3 and len(d) == 20]
        check(given == said[-1] and given[9] == 500, "integers", given)
        device.stop_measurement()
        device.sleep()
        check(refused(device.read_version) == "no answer", "asleep it is silent", "no answer")
        time.sleep(0.2)
        # The wake-up must follow within 100 ms, and the client waits as long for no answer.
        usual, port.additional_response_time = port.additional_response_time, 0.02
        for attempt in range(1, 10):
            if refused(device.wake_up_sequence) is None:
                break
            time.sleep(0.2)
        port.additional_response_time = usual
        check(attempt < 9, "woken within a few attempts", attempt)
        check(device.read_product_type() == "00080000", "woken it answers", "00080000")
        device.device_reset()
        time.sleep(0.1)
        code = refused(device.read_measurement_values_float)
        check(code == 0x43, "idle after a reset", code)

    from sensirion_shdlc_driver import ShdlcConnection
    from shdlc_sps30.device import Sps30ShdlcDevice

    print("shdlc-sps30 0.1")
    with part("sensirion-sps30") as peer, ShdlcSerialPort(peer.path, 115200) as port:
        device = Sps30ShdlcDevice(ShdlcConnection(port))
        kind = device.device_information_product_type()
        check(kind == "00080000", "product type", kind)
        device.start_measurement()
        time.sleep(1.1)
        masses, counts, size = device.read_measured_value()
        said = [struct.unpack(">10f", d) for c, s, d in shdlc(peer.said()) if c == 3 and len(d) == 40]
        given = (*masses, *counts, size)
        check(given == said[-1], "floats", masses)
        device.stop_measurement()


# MARK: Plantower


def check_plantower():
    import plantower

    print("plantower 0.0.11")

    def known(peer):
        return {words(frame)[:12] for frame in peer.frames(b"\x42\x4d\x00\x1c", 32)}

    def given(r):
        return (
            r.pm10_cf1, r.pm25_cf1, r.pm100_cf1, r.pm10_std, r.pm25_std, r.pm100_std,
            r.gr03um, r.gr05um, r.gr10um, r.gr25um, r.gr50um, r.gr100um,
        )

    with part("plantower-pms") as peer:
        client = plantower.Plantower(peer.path, read_timeout=3)
        reading = given(client.read())
        check(reading in known(peer), "streamed", reading)
        client.mode_change(plantower.PMS_PASSIVE_MODE)
        check(peer.is_silent(2), "passive it waits for a question", "silent")
        reading = given(client.read_in_passive())
        check(reading in known(peer), "asked for", reading)
        client.set_to_sleep()
        check(peer.is_silent(2), "asleep it is silent", "silent")
        client.set_to_wakeup()
        client.mode_change(plantower.PMS_ACTIVE_MODE)
        reading = given(client.read())
        check(reading in known(peer), "woken it streams", reading)

    import pms7003

    print("pms7003 1.1.0")
    with part("plantower-pms") as peer:
        client = pms7003.Pms7003Sensor(peer.path)
        for _ in range(3):
            reading = tuple(client.read(ordered=True).values())
            check(reading in known(peer), "streamed", reading)


# MARK: Winsen, Nova


def check_mh_z19():
    # The package looks for a Pi's own serial line when it is imported.
    import mh_z19

    print("mh-z19 3.1.7")
    with part("winsen-mhz19b") as peer:
        mh_z19.serial_dev = peer.path
        for _ in range(3):
            value = mh_z19.read(serial_console_untouched=True)["co2"]
            said = struct.unpack(">H", peer.frames(b"\xff\x86", 9)[-1][2:4])[0]
            check(value == said, "carbon dioxide", value)


def check_pysds011():
    import serial
    from pysds011.driver import SDS011

    print("pysds011 0.0.4")
    with part("nova-sds011") as peer, serial.Serial(peer.path, 9600, timeout=2) as port:
        client = SDS011(port, logging.getLogger("pysds011"))
        check(client.cmd_set_mode(1) is True, "query mode is acknowledged", True)
        version = client.cmd_firmware_ver()
        check(version is not None and version["id"] is not None, "firmware and id", version["pretty"])
        time.sleep(4)
        for _ in range(3):
            reading = client.cmd_query_data()
            said = struct.unpack("<HH", peer.frames(b"\xaa\xc0", 10)[-1][2:6])
            same = all(math.isclose(a, b / 10) for a, b in zip((reading["pm25"], reading["pm10"]), said))
            check(same, "reading", reading["pretty"])
        check(client.cmd_set_sleep(1) is True, "sleep is acknowledged", True)
        check(client.cmd_query_data() is None, "asleep it is silent", None)
        check(client.cmd_set_sleep(0) is True, "wake is acknowledged", True)
        check(client.cmd_get_mode() == 1, "the mode outlasts the sleep", 1)


logging.disable(logging.CRITICAL)
for run in (check_pypms, check_sensirion, check_plantower, check_mh_z19, check_pysds011):
    run()
print(f"interop: {checks} checks passed with clients of other parts")
