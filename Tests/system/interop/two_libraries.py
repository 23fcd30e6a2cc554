"""What two foreign libraries make of an SDS011 at the given path; fails loudly.

usage: two_libraries.py PORT      (run by scripts/check interop)
"""

import logging
import sys
import time

import sds011
import sds011lib

checks = 0


def check(condition, words, found):
    global checks
    checks += 1
    print(f"  {'ok  ' if condition else 'FAIL'} {words}: {found}", flush=True)
    if not condition:
        sys.exit(1)


def is_plausible(pm25, pm10):
    return 0 < pm25 <= 999.9 and pm25 <= pm10 <= 1999.9


def wait_until_warm(query):
    """The part says zero for its first moments after a wake; 10 s is its response time."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        values = query()
        if values is not None and values[0] > 0:
            return values
        time.sleep(0.5)
    return None


def check_py_sds011(path):
    print("py-sds011 0.9")
    sensor = sds011.SDS011(path, use_query_mode=True)
    sensor.sleep(sleep=False)
    values = wait_until_warm(sensor.query)
    check(values is not None and is_plausible(*values), "reading in query mode", values)
    values = [sensor.query() for _ in range(3)]
    check(all(v is not None and is_plausible(*v) for v in values), "three readings", values)
    sensor.sleep()
    check(sensor.query() is None, "asleep it is silent", "no reply")
    sensor.sleep(sleep=False)
    check(sensor.query() is not None, "awake it answers", "a reply")
    # The library has no call for the firmware: its own framing and check, our command number.
    sensor._execute(sensor._finish_cmd(sensor.cmd_begin() + b"\x07" + b"\x00" * 12))
    reply = sensor._get_reply()
    check(reply is not None and reply[1:3] == b"\xc5\x07", "firmware", reply and reply[3:6].hex("-"))
    sensor.set_work_period(work_time=0)
    sensor.ser.close()


def check_sds011lib(path):
    print("sds011lib 0.4.0")
    reader = sds011lib.SDS011QueryReader(path)
    state = reader.wake()
    check(state.state.name == "WAKE", "wake is acknowledged", state.state.name)

    def query():
        answer = reader.query()
        return answer.pm25, answer.pm10

    values = wait_until_warm(query)
    check(values is not None and is_plausible(*values), "reading in query mode", values)
    firmware = reader.get_firmware_version()
    date = (firmware.year, firmware.month, firmware.day)
    check(15 <= date[0] <= 40 and 1 <= date[1] <= 12 and 1 <= date[2] <= 31, "firmware", date)
    period = reader.get_working_period()
    check(period.interval == 0, "working period", period.interval)
    state = reader.sleep()
    check(state.state.name == "SLEEP", "sleep is acknowledged", state.state.name)
    state = reader.get_sleep_state()
    check(state.state.name == "SLEEP", "asleep it still tells its state", state.state.name)
    try:
        reader.query()
        check(False, "asleep it is silent", "a reply")
    except sds011lib.exceptions.Sds011Exception as silence:
        check(True, "asleep it is silent", type(silence).__name__)
    state = reader.wake()
    check(state.state.name == "WAKE", "wake is acknowledged again", state.state.name)


logging.disable(logging.CRITICAL)  # The library logs each byte it does not expect.
check_py_sds011(sys.argv[1])
check_sds011lib(sys.argv[1])
print(f"interop: {checks} checks passed")
