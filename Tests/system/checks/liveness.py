"""Parts of a running roostd stand still: readings go on, or come back.

A small supervisor stands in for systemd: NOTIFY_SOCKET, WatchdogSec with SIGABRT and then SIGKILL,
RestartSec. Under it the real roostd with a store, and the SDS011 simulator at 1 Hz on a
pseudo-terminal. Nothing in roostd knows of this test: threads are held by ptrace.

  stopped     SIGSTOP of the process: it pets no more, is aborted, killed and started again
  loop        only the thread of the loop stands still: the same
  disk        the thread of the disk stands still: samples and pets go on, nothing is lost
  removed     the disk stands still, the sensor was plugged anew and is taken out of the
              configuration: its child leaves the port that does not open, and the process goes on
  parting     the disk stands still and SIGTERM comes: an orderly end with the store left open

Needs no rights but ptrace of a child, and is skipped where that is forbidden.
"""

import signal

from ..check import Failed, now
from ..station import Part, Station
from ..systemd import ABORT_SECONDS, RESTART_SECONDS, WATCHDOG_SECONDS, Supervisor

PRODUCTS = ("roost", "roostd")
BUILD = "release"
RESUME_SECONDS = 30.0  # From the end of a fault to the next value; 15 s are the first warm-up.
JITTER_SECONDS = 2.5  # A sample a second, on a busy machine.


class SupervisedStation(Station):
    """The simulator, and roostd under its supervisor."""

    def __init__(self, check):
        self.link, self.part = check.path("sds011"), None
        super().__init__(check, "liveness")
        self.use_sensor(True)
        self.supervisor = check.ends(Supervisor(self.folder, self.command))

    def use_sensor(self, has_sensor):
        sensor = {"name": "dust", "type": "sds011", "port": self.link}
        self.configure(
            detect=False, mode="live", devices=[sensor] if has_sensor else [],
            store={"folder": self.check.path("store"), "megabytes": 4, "journalBlocks": 64,
                   "lossWindowSeconds": 10})

    def plug(self):
        self.part = Part(self.check, "sds011", link=self.link)
        return self.part.place

    def is_measuring(self):
        return self.value_age() < JITTER_SECONDS


def expect(condition, words):
    if not condition:
        raise Failed(words)


def stopped(station):
    supervisor = station.supervisor
    supervisor.process.send_signal(signal.SIGSTOP)
    return await_watchdog(station)


def loop(station):
    supervisor = station.supervisor
    supervisor.hold(supervisor.process.pid)
    return await_watchdog(station)


def await_watchdog(station):
    supervisor, before = station.supervisor, station.supervisor.restarts
    caused = len(supervisor.causes)
    limit = WATCHDOG_SECONDS + ABORT_SECONDS + RESTART_SECONDS + 3
    gone = supervisor.until(lambda: supervisor.restarts > before, limit, "no restart")
    expect(len(supervisor.causes) == caused + 1, "it was not the watchdog that ended it")
    back = supervisor.until(station.is_measuring, RESUME_SECONDS, "readings do not resume")
    return f"ended after {gone:.1f} s, readings {back:.1f} s later"


def disk(station):
    supervisor, before = station.supervisor, station.supervisor.restarts
    counted = station.status()["budget"]["readingCount"]
    held, began = supervisor.hold(supervisor.thread("disk")), now()
    supervisor.longest_pet = 0.0
    oldest = 0.0
    while now() < began + 15:  # Longer than the loss window and the watchdog.
        supervisor.pause(0.5)
        oldest = max(oldest, station.value_age())
    samples = (station.status()["budget"]["readingCount"] - counted) / 2
    held.release()
    supervisor.held.remove(held)
    expect(supervisor.restarts == before, "the process ended")
    expect(oldest < JITTER_SECONDS, f"a value was {oldest:.1f} s old")
    expect(samples >= 13, f"{samples:.0f} samples in 15 s")
    supervisor.until(
        lambda: not [fault for fault in station.status()["faults"]
                     if not fault["id"].startswith("mirror-missing")],
        20, "the store has trouble")
    return (f"{samples:.0f} samples in 15 s, none older than {oldest:.1f} s, "
            f"petted every {supervisor.longest_pet:.1f} s at most")


def removed(station):
    supervisor, before = station.supervisor, station.supervisor.restarts
    held = supervisor.hold(supervisor.thread("disk"))
    station.part.unplug()
    supervisor.pause(1)
    station.plug()
    supervisor.pause(3)  # It is tried again, and waits for its turn on the disk thread.
    station.use_sensor(False)
    supervisor.process.send_signal(signal.SIGHUP)
    # Longer than its grace and its supervisor's.
    supervisor.pause(12)
    expect(supervisor.restarts == before, "the process ended")
    held.release()
    supervisor.held.remove(held)
    station.use_sensor(True)
    supervisor.process.send_signal(signal.SIGHUP)
    back = supervisor.until(station.is_measuring, RESUME_SECONDS, "readings do not resume")
    expect(supervisor.restarts == before, "the process ended")
    return f"the process goes on, readings {back:.1f} s after the disk does"


def parting(station):
    supervisor, before = station.supervisor, station.supervisor.restarts
    supervisor.hold(supervisor.thread("disk"))
    supervisor.process.send_signal(signal.SIGTERM)
    gone = supervisor.until(lambda: supervisor.restarts > before, 20, "it does not end")
    expect(supervisor.endings[-1] == 0, f"status {supervisor.endings[-1]}")
    back = supervisor.until(station.is_measuring, RESUME_SECONDS, "readings do not resume")
    return f"ended in order after {gone:.1f} s, readings {back:.1f} s later"


CASES = {"stopped": stopped, "loop": loop, "disk": disk, "removed": removed,
         "parting": parting}


def arguments(parser):
    parser.add_argument("--only", choices=CASES)
    parser.add_argument("--rounds", type=int, default=1)


def run(check, options):
    station = SupervisedStation(check)
    supervisor = station.supervisor
    try:
        station.plug()
        supervisor.until(station.is_measuring, RESUME_SECONDS + 10, "no reading at all")
        for _ in range(options.rounds):
            for name in [options.only] if options.only else CASES:
                print(f"{name:11} {CASES[name](station)}", flush=True)
        expect(not [status for status in supervisor.endings if status not in (
            0, -signal.SIGKILL, -signal.SIGABRT)], f"it ended in another way: {supervisor.endings}")
    except Failed as reason:
        raise Failed(f"{reason}\n{station.log()[-2000:]}") from None
    return f"passed, {supervisor.restarts} restarts"
