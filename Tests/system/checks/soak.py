"""A year with the real heap and real files, and a minute with too little memory.

  year     a whole station on the virtual clock: journal, history and mirror are real files, memory is
           the real heap (`roost-bench soak`). Every day an unplug, ten minutes live, a hundred visits
           and a client that asks for everything each hour. The straight line through resident memory
           must rise by at most 1 MiB in 30 days, those through descriptors and threads not at all.
  courier  the same year with a courier beside it: two targets and a heartbeat, whose servers refuse, are
           gone and lose answers for an hour a day each; a new process each week. The same slopes, and
           at the end nothing waits.
  memory   the real roostd at 1 Hz with 48 MiB at most (cgroup; without rights to make one RLIMIT_DATA),
           and readers that ask and never read: they are shed or refused with a reason, samples go on.
  broker   the real roost-courier with 64 MiB at most, and a mosquitto that keeps a message of 60 MiB on a
           topic that the courier listens to: values go on arriving.

All unless one is named.
"""

import json
import os
import resource
import shutil
import subprocess
import time

from ..check import Failed, until
from ..courier import Courier
from ..servers.home_assistant import Broker
from ..station import Connection, Part, Station, value_age

PRODUCTS = ("roost", "roostd", "roost-bench", "roost-courier")
BUILD = "release"
SLOPE_KIB = 1024.0  # Of resident memory, per 30 days.
FLAT = 0.05  # Descriptors or threads per 30 days: one more in 20 months.
READERS = 15  # The station takes 16; the last is ours.
JITTER_SECONDS = 2.5


def year(check, options, courier=False):
    """One line for each 30 days, two with a courier."""
    folder = check.path("courier" if courier else "year")
    command = [check.program("roost-bench"), "soak", folder, str(options.days), options.mode]
    os.mkdir(folder)
    began, last, outbox = time.monotonic(), {}, {}
    if courier:
        command.append("courier")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            last = json.loads(line)
            if "delivered" in last:
                outbox = last
            print(line.strip() if options.json else row(last), flush=True)
    if process.returncode != 0:
        raise Failed(f"the year ended with status {process.returncode}")
    spent = time.monotonic() - began
    check.say(f"{options.days} days in {spent:.0f} s, {options.days * 86400 / spent:.0f} x real time")
    check.demand(last["residentKiB"] <= SLOPE_KIB,
                 f"resident memory rises by {last['residentKiB']} KiB in 30 days")
    for name in ("descriptors", "threads"):
        check.demand(abs(last[name]) <= FLAT, f"{name} change by {last[name]} in 30 days")


    if courier:
        check.demand(outbox.get("delivered", 0) > 0 and outbox["waiting"] <= 1,
                     f"the courier's last word is {outbox}")


def row(line):
    if "delivered" in line:
        return (f"          {line['delivered']} samples delivered since the start, {line['waiting']} "
                f"wait, {line['requests']} requests")
    if "per" in line:
        return (f"in 30 days: {line['residentKiB']:+.1f} KiB resident, {line['privateKiB']:+.1f} "
                f"private, {line['descriptors']:+.2f} descriptors, {line['threads']:+.2f} threads")
    return (f"day {line['day']:4}: {line['residentKiB']:6} KiB, {line['descriptors']:3} descriptors, "
            f"{line['threads']:2} threads, {line['readings']:8} readings, "
            f"{line['cardBytes'] / 1e6:7.1f} MB and {line['cardSyncs']:6} syncs to the card")


class Limit:
    """A bound of the memory of one process."""

    def __init__(self, byte_count):
        self.byte_count, self.group = byte_count, None
        old, new = "/sys/fs/cgroup/memory", "/sys/fs/cgroup"
        for parent, name in ((old, "memory.limit_in_bytes"), (new, "memory.max")):
            group = os.path.join(parent, f"roost-soak-{os.getpid()}")
            try:
                os.mkdir(group)
                with open(os.path.join(group, name), "w", encoding="ascii") as file:
                    file.write(str(byte_count))
                self.group = group
                return
            except OSError:
                if os.path.isdir(group):
                    os.rmdir(group)

    @property
    def text(self):
        return "cgroup" if self.group else "RLIMIT_DATA"

    def enter(self):
        """Called by the child, before it becomes roostd."""
        if self.group:
            with open(os.path.join(self.group, "cgroup.procs"), "w", encoding="ascii") as file:
                file.write(str(os.getpid()))
        else:
            resource.setrlimit(resource.RLIMIT_DATA, (self.byte_count, self.byte_count))

    def peak(self):
        for name in ("memory.max_usage_in_bytes", "memory.peak"):
            try:
                with open(os.path.join(self.group or "", name), encoding="ascii") as file:
                    return int(file.read())
            except OSError:
                continue
        return None

    def close(self):
        if self.group:
            for _ in range(50):
                try:
                    return os.rmdir(self.group)
                except OSError:
                    time.sleep(0.1)


class Lazy(Connection):
    """Asks again and again and never reads; every third wants to hear everything live."""

    def __init__(self, path, number):
        super().__init__(path)
        self.socket.setblocking(False)
        self.is_live = number % 3 == 0
        if self.is_live:
            self.send(command="live")

    def pester(self):
        try:
            while not self.is_live:
                self.send(command="readings", limit=10000)
        except OSError:
            pass

    def is_closed(self):
        """Whether the station let go of it, by reading what there is."""
        self.socket.setblocking(False)
        try:
            while self.socket.recv(1 << 20):
                pass
            return True
        except BlockingIOError:
            return False
        except OSError:
            return True


def memory(check, options):
    part = Part(check, "sds011", link=check.path("sds011"))
    limit = check.ends(Limit(options.limit_mib << 20))
    station = Station(
        check, "soak", detect=False, mode="live",
        devices=[{"name": "dust", "type": "sds011", "port": part.place}],
        store={"folder": check.path("store"), "megabytes": 16, "lossWindowSeconds": 10})
    station.start(preexec_fn=limit.enter)
    try:
        starve(check, options, station, limit)
    except OSError as error:
        raise Failed(f"the station gives no answer at {options.limit_mib} MiB: {error}; "
                     f"exit status of roostd: {station.daemon.poll()}") from None


def at_the_limit(path):
    """What the station says when one more connects than it takes: it closes the idle one, or refuses."""
    pair = [Connection(path, timeout=1) for _ in range(2)]
    try:
        for connection in pair:
            try:
                return connection.line()["error"]["code"]
            except OSError:
                continue
        return "nothing"
    finally:
        for connection in pair:
            connection.close()


def starve(check, options, station, limit):
    if not until(lambda: station.value_age() < JITTER_SECONDS, 40):
        raise Failed("no reading at all")
    path, daemon = station.socket, station.daemon
    counted = station.status()["budget"]["readingCount"]
    began, oldest, resident, silent = time.monotonic(), 0.0, 0, 0
    readers = [Lazy(path, number) for number in range(READERS)]
    answer = at_the_limit(path)
    while time.monotonic() < began + options.seconds and daemon.poll() is None:
        for reader in readers:
            reader.pester()
        status = station.status()
        if status is None:
            silent += 1
            continue
        oldest, resident = max(oldest, value_age(status)), max(resident, status["budget"]["residentKiB"])
        time.sleep(0.5)
    if daemon.poll() is not None:
        raise Failed(f"roostd ended with status {daemon.returncode} at {options.limit_mib} MiB")
    samples = ((station.status() or status)["budget"]["readingCount"] - counted) / 2
    shed = sum(reader.is_closed() for reader in readers)
    peak = limit.peak()
    check.say(
        f"{limit.text} of {options.limit_mib} MiB: {samples:.0f} samples in {options.seconds} s, "
        f"none older than {oldest:.1f} s; resident {resident} KiB at most"
        + (f", {peak >> 10} KiB with the page cache" if peak else "")
        + f"; {shed} of {READERS} readers that never read were shed; to one more it said {answer}")
    check.demand(samples >= options.seconds - 3, f"{samples:.0f} samples in {options.seconds} s")
    check.demand(oldest <= JITTER_SECONDS, f"a value was {oldest:.1f} s old")
    check.demand(shed > 0, "no reader was shed")
    check.demand(silent == 0, f"{silent} questions had no answer within a second")


def broker(check, options):
    if shutil.which("mosquitto", path="/usr/sbin:/usr/bin") is None:
        return check.say("broker: skipped, mosquitto is not installed: apt install mosquitto")
    # One user may write everything; the courier may only listen to what is retained.
    server = Broker(check, {"roost": "one", "house": "two"}, ["user roost", "topic write roost/#",
                    "topic write homeassistant/#", "topic read homeassistant/status", "user house", "topic readwrite #"])
    server.start()
    own = ["-h", "127.0.0.1", "-p", str(server.port), "-u", "house", "-P", "two"]
    large = check.path("large")
    with open(large, "wb") as file:
        file.truncate(60 << 20)
    sent = until(lambda: subprocess.run(["mosquitto_pub", *own, "-r", "-t", "homeassistant/status", "-f", large],
                                 stderr=subprocess.DEVNULL, check=False).returncode == 0, 20)
    check.demand(sent, "the broker does not accept the large message")
    part = Part(check, "sds011", link=check.path("sds011"))
    station = Station(check, "broker", detect=False, mode="live",
                      devices=[{"name": "dust", "type": "sds011", "port": part.place}],
                      store={"folder": check.path("broker-store"), "megabytes": 16, "lossWindowSeconds": 10})
    station.start()
    station.trust_clock()
    courier = Courier(check, station, targets=[{
        "id": "ha", "type": "mqtt", "url": f"mqtt://127.0.0.1:{server.port}", "user": "roost",
        "password": {"secret": "mqtt"}, "discovery": "device", "local": True}])
    courier.secret("mqtt", "one")
    limit = check.ends(Limit(64 << 20))
    courier.start(preexec_fn=limit.enter)
    heard = until(lambda: server.retained("roost/#", "house", "two"), 30)
    began, count = time.monotonic(), 0
    with subprocess.Popen(["mosquitto_sub", *own, "-t", "roost/+/dust/#", "-R", "-W", str(options.seconds)],
                          stdout=subprocess.PIPE, text=True) as listener:
        count = sum(1 for _ in listener.stdout)
    check.demand(courier.process.poll() is None, f"roost-courier ended with status {courier.process.poll()}")
    peak = limit.peak()
    check.say(f"{limit.text} of 64 MiB: {count} values in {time.monotonic() - began:.0f} s beside a retained message "
              f"of 60 MiB" + (f", {peak >> 10} KiB at most" if peak else ""))
    check.demand(heard and count >= options.seconds - 10, f"{count} values in {options.seconds} s: {courier.log()[-600:]}")


def with_courier(check, options):
    year(check, options, courier=True)


PARTS = {"year": year, "courier": with_courier, "memory": memory, "broker": broker}


def arguments(parser):
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=[])
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--mode", choices=("normal", "live"), default="normal")
    parser.add_argument("--limit-mib", type=int, default=48)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--json", action="store_true")


def run(check, options):
    for name in options.parts or PARTS:
        PARTS[name](check, options)
