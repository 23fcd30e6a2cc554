"""What people use instead of Roost to keep a sample, each on a card of its own.

`put` takes one sample; what it returns says whether the pattern now rests until its next commit.
"""

import ctypes
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import time

# 2026-01-01, 00:00 UTC.
START = 1_767_225_600
# Of the data file of rrdtool: a day of seconds and a year of minutes.
ROUND_ROBIN = ("--step", "1", "DS:pm25:GAUGE:120:0:1000", "DS:pm10:GAUGE:120:0:1000",
               "RRA:AVERAGE:0.5:1:86400", "RRA:AVERAGE:0.5:60:525600")
# Rows that a database holds before the count begins, so that it is past its first pages.
ROWS_BEFORE = 20_000


def die_with_us():
    """A child of ours does not outlive us: PR_SET_PDEATHSIG is 1 in linux/prctl.h."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Pattern:
    """Nothing yet: `settled` says that it rests between commits that are minutes apart."""
    settled = False
    note = ""

    def missing(self):
        """Why it cannot run here; None when it can."""
        return None

    def open(self, folder):
        self.folder = folder

    def put(self, number, row):
        raise NotImplementedError

    def close(self):
        pass


class FourFiles(Pattern):
    """The script's hourly, daily, weekly and monthly file: opened, added to and closed each time."""
    name = "four CSV files"
    lengths = (60, 1_440, 10_080, 43_800)

    def put(self, number, row):
        moment = time.asctime(time.gmtime(START + number))
        for length in self.lengths:
            first = time.asctime(time.gmtime(START + number // length * length))
            name = os.path.join(self.folder, f"{length}-{first}.csv")
            with open(name, "a", encoding="ascii", newline="") as file:
                file.write(f"PM2.5,{row[0] / 10},{moment}\r\nPM10,{row[1] / 10},{moment}\r\n")
        return False


class Rows(Pattern):
    """A row per sample in SQLite, with its own defaults but for the journal mode."""

    def __init__(self, name, mode, period=1):
        self.name, self.mode, self.period, self.settled = name, mode, period, period >= 60

    def open(self, folder):
        super().open(folder)
        self.database = sqlite3.connect(os.path.join(folder, "samples.db"), isolation_level=None)
        self.say(f"PRAGMA journal_mode = {self.mode}")
        self.say("CREATE TABLE samples (time INTEGER PRIMARY KEY, pm25 INTEGER, pm10 INTEGER)")
        self.say("BEGIN")
        for number in range(-ROWS_BEFORE, 0):
            self.add(number, (35, 91))
        self.say("COMMIT")
        if self.mode == "wal":
            # The log has once grown to its full length and is written from its start from now on.
            for value in range(1_050):
                self.say("UPDATE samples SET pm25 = ? WHERE time = ?", value, START - 1)
            self.say("PRAGMA wal_checkpoint(FULL)")

    def say(self, words, *values):
        return self.database.execute(words, values)

    def add(self, number, row):
        self.say("INSERT INTO samples VALUES (?, ?, ?)", START + number, *row)

    def put(self, number, row):
        if self.period > 1 and not self.database.in_transaction:
            self.say("BEGIN")
        self.add(number, row)
        if (number + 1) % self.period:
            return False
        if self.database.in_transaction:
            self.say("COMMIT")
        return self.settled

    def close(self):
        self.database.close()


class RoundRobin(Pattern):
    """`rrdtool update` for each sample."""
    name = "rrdtool update"
    program = "rrdtool"

    def missing(self):
        return None if shutil.which(self.program) else f"{self.program} is not installed"

    def open(self, folder):
        super().open(folder)
        self.file = os.path.join(folder, "samples.rrd")
        subprocess.run(("rrdtool", "create", self.file, "--start", str(START - 10)) + ROUND_ROBIN,
                       check=True)

    def put(self, number, row):
        value = f"{START + number}:{row[0] / 10}:{row[1] / 10}"
        subprocess.run(("rrdtool", "update", self.file, value), check=True)
        return False


class RoundRobinCache(RoundRobin):
    """rrdcached, which keeps half an hour of updates in memory."""
    program = "rrdcached"
    period = 1_800

    def __init__(self, name, journal):
        self.name, self.journal, self.settled = name, journal, not journal
        if journal:
            self.note = "the data file's part is taken from the line without a journal"

    def missing(self):
        return RoundRobin().missing() or super().missing()

    def open(self, folder):
        super().open(folder)
        # The socket and the process number are no part of what a card sees.
        place = os.path.join("/run" if os.access("/run", os.W_OK) else "/tmp",
                             f"roost-wear-{os.getpid()}-{id(self)}")
        self.place = place
        os.mkdir(place)
        words = ["rrdcached", "-g", "-l", f"unix:{place}/socket", "-p", f"{place}/pid",
                 "-w", str(self.period), "-f", str(4 * self.period), "-b", folder, "-B"]
        if self.journal:
            os.mkdir(os.path.join(folder, "journal"))
            words += ["-j", os.path.join(folder, "journal")]
        self.daemon = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                       preexec_fn=die_with_us)
        self.socket = socket.socket(socket.AF_UNIX)
        for attempt in range(100):
            try:
                self.socket.connect(f"{place}/socket")
                break
            except OSError:
                if attempt == 99:
                    raise
                time.sleep(0.05)
        self.answers = self.socket.makefile("r", encoding="ascii")

    def ask(self, words):
        self.socket.sendall(f"{words}\n".encode("ascii"))
        answer = self.answers.readline()
        if not answer.startswith("0"):
            raise RuntimeError(f"rrdcached: {words.split()[0]}: {answer.strip()}")

    def put(self, number, row):
        self.ask(f"UPDATE samples.rrd {START + number}:{row[0] / 10}:{row[1] / 10}")
        if self.journal or (number + 1) % self.period:
            return False
        self.ask("FLUSH samples.rrd")  # Its own timer would do so about now.
        return True

    def close(self):
        self.socket.close()
        self.daemon.terminate()
        self.daemon.wait()
        shutil.rmtree(self.place, ignore_errors=True)


def all_patterns():
    return [
        FourFiles(),
        Rows("SQLite, row each, rollback", "delete"),
        Rows("SQLite, row each, WAL", "wal"),
        Rows("SQLite, 600 s batch, WAL", "wal", period=600),
        RoundRobin(),
        RoundRobinCache("rrdcached -w 1800", journal=False),
        RoundRobinCache("rrdcached -w 1800, journal", journal=True),
    ]
