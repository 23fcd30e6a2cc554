"""What scripts/bench measures, and how: processes, /proc, and the peer that plays the sensors."""

import glob
import json
import os
import select
import signal
import socket
import statistics
import subprocess
import time

READY_SECONDS = 20.0  # A candidate that is not ready by then has failed.
STOP_SECONDS = 10.0


def configuration(place, port, output, mode):
    """Writes a configuration of one sensor and a lamp; returns its path."""
    os.makedirs(place, exist_ok=True)
    path = os.path.join(place, "roost.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({
            "name": f"bench-{os.path.basename(place)}", "detect": False, "mode": mode,
            "socket": os.path.join(place, "roost.sock"),
            "devices": [{"name": "balcony", "type": "sds011", "port": port}],
            "lights": {"output": output},
        }, file)
    return path


class Peer:
    """The C program that plays the sensors; see latency/peer.c."""

    def __init__(self, folder, count, label):
        self.outputs = [os.path.join(folder, f"lamp-{label}-{i}") for i in range(count)]
        for path in self.outputs:
            os.mkfifo(path)
        self.process = subprocess.Popen([os.path.join(folder, "peer"), *self.outputs],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ports = [self.process.stdout.readline().split()[1] for _ in range(count)]

    def run(self, samples, gap_min, gap_max):
        """Nanoseconds for each frame that had its letter, by candidate, and how many had none."""
        self.process.stdin.write(f"run {samples} {gap_min} {gap_max}\n")
        self.process.stdin.flush()
        times, lost = [[] for _ in self.ports], [0 for _ in self.ports]
        for line in self.process.stdout:
            words = line.split()
            if words[0] == "done":
                return times, lost
            if words[0] == "sample":
                times[int(words[1])].append(int(words[2]))
            else:
                lost[int(words[1])] += 1
        raise RuntimeError("the peer ended early")

    def end(self):
        self.process.stdin.close()
        self.process.wait(STOP_SECONDS)


class Candidate:
    """One running program, ready when it says so as to systemd."""

    def __init__(self, command, place):
        os.makedirs(place, exist_ok=True)
        path = os.path.join(place, "notify")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
            if os.path.exists(path):
                os.unlink(path)
            listener.bind(path)
            environment = dict(os.environ, NOTIFY_SOCKET=path)
            self.log = open(os.path.join(place, "log"), "ab")
            began = time.monotonic_ns()
            # Without close_fds Python uses vfork: the smallest share of its own in the figure.
            self.process = subprocess.Popen(command, env=environment, close_fds=False,
                                            stdout=self.log, stderr=self.log)
            self.start_milliseconds = self.await_ready(listener, began)

    def await_ready(self, listener, began):
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            readable, _, _ = select.select([listener], [], [], 0.1)
            if readable and b"READY=1" in listener.recv(4096):
                return (time.monotonic_ns() - began) / 1e6
        self.end()
        with open(self.log.name, encoding="utf-8", errors="replace") as file:
            raise RuntimeError(f"{self.process.args[0]} does not get ready: {file.read()[-600:]}")

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()

    def cost(self):
        """CPU in ns and voluntary context switches so far, over all threads."""
        cpu = switches = 0
        for task in glob.glob(f"/proc/{self.process.pid}/task/*"):
            with open(f"{task}/schedstat", encoding="ascii") as file:
                cpu += int(file.read().split()[0])
            with open(f"{task}/status", encoding="ascii") as file:
                for line in file:
                    if line.startswith("voluntary_ctxt_switches:"):
                        switches += int(line.split()[1])
        return cpu, switches

    def memory(self):
        """Resident and private KiB."""
        sums = {}
        with open(f"/proc/{self.process.pid}/smaps_rollup", encoding="ascii") as file:
            for line in list(file)[1:]:
                words = line.split()
                sums[words[0].rstrip(":")] = int(words[1])
        return sums["Rss"], sums["Private_Clean"] + sums["Private_Dirty"]


def percentile(values, share):
    """The smallest value that `share` of all do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, -(-len(ordered) * share // 100) - 1))]


def starts(folder, found, count):
    """Milliseconds from the start of the process to READY=1, the median of `count`, in turn."""
    peer = Peer(folder, len(found), "start")
    times = {name: [] for name, _ in found}
    for _ in range(count):
        for index, (name, command) in enumerate(found):
            place = os.path.join(folder, f"start-{name}")
            line = command(peer.ports[index], peer.outputs[index], place)
            candidate = Candidate(line, place)
            times[name].append(candidate.start_milliseconds)
            candidate.end()
    peer.end()
    return {name: round(statistics.median(values), 2) if values else None
            for name, values in times.items()}


def latency(folder, found, samples):
    """Latency and cost of each candidate, all running side by side."""
    peer = Peer(folder, len(found), "latency")
    running = []
    for index, (name, command) in enumerate(found):
        place = os.path.join(folder, f"latency-{name}")
        line = command(peer.ports[index], peer.outputs[index], place)
        running.append(Candidate(line, place))
    time.sleep(28)  # Past the 20 s of warm-up, whose values count nowhere; settings restored, caches warm.
    before = [candidate.cost() for candidate in running]
    times, lost = peer.run(samples, 950, 1050)
    after = [candidate.cost() for candidate in running]
    results = {}
    for index, (name, _) in enumerate(found):
        if not times[index]:
            raise RuntimeError(f"{name} showed no lamp in {samples} frames")
        resident, private = running[index].memory()
        results[name] = {
            "samples": len(times[index]), "lost": lost[index],
            "medianMicroseconds": round(percentile(times[index], 50) / 1e3, 1),
            "p99Microseconds": round(percentile(times[index], 99) / 1e3, 1),
            "cpuMillisecondsPerSample":
                round((after[index][0] - before[index][0]) / 1e6 / samples, 4),
            "switchesPerSample": round((after[index][1] - before[index][1]) / samples, 2),
            "residentKiB": resident, "privateKiB": private,
        }
    for candidate in running:
        candidate.end()
    peer.end()
    base = results[found[0][0]]
    for result in results.values():
        for key in ("median", "p99"):
            ratio = result[f"{key}Microseconds"] / base[f"{key}Microseconds"]
            result[f"{key}Ratio"] = round(ratio, 2)
    return results


def idle(folder, roostd, seconds):
    """Voluntary context switches of a station in normal mode over a stated window."""
    peer = Peer(folder, 1, "idle")
    place = os.path.join(folder, "idle")
    path = configuration(place, peer.ports[0], peer.outputs[0], mode="normal")
    station = Candidate([roostd, "--config", path], place)
    time.sleep(45)  # Past the first sample: 25 s warm-up, 5 s window.
    cpu, switches = station.cost()
    time.sleep(seconds)
    later_cpu, later_switches = station.cost()
    station.end()
    peer.end()
    return {
        "windowSeconds": seconds,
        "wakeUpsPerMinute": round((later_switches - switches) / seconds * 60, 2),
        "cpuMillisecondsPerMinute": round((later_cpu - cpu) / 1e6 / seconds * 60, 3),
    }
