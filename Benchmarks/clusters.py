#!/usr/bin/env python3
"""How long 100 000 points take to group by place, beside SciPy's k-d tree and scikit-learn's DBSCAN.

  python3 -m venv .build-places && .build-places/bin/pip install numpy scipy scikit-learn
  swift build -c release --product roost-bench
  .build-places/bin/python Benchmarks/clusters.py .build/release/roost-bench

Seconds of processor time, the least of three rounds, in one run on one machine. The tree answers how many points are
within 200 m of each point, which every grouping has to know; DBSCAN groups by chains and knows no greatest distance.
"""

import json
import subprocess
import sys
import tempfile
import time

import numpy
from scipy.spatial import cKDTree
from sklearn.cluster import DBSCAN

EARTH, REACH, COUNT = 6371008.8, 200.0, 100_000
SPREADS = {"one place (100 m)": 0.001, "a walk (800 m)": 0.008, "a town (5 km)": 0.045, "a region (50 km)": 0.45}


def least(work, rounds=3):
    times = []
    for _ in range(rounds):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)


def main():
    chance = numpy.random.default_rng(1)
    print(f"{'points':20} {'Roost':>8} {'clusters':>9} {'k-d tree':>9} {'DBSCAN':>8}")
    for name, spread in SPREADS.items():
        points = numpy.column_stack([45 + chance.random(COUNT) * spread, 9 + chance.random(COUNT) * spread])
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            numpy.savetxt(file, points, fmt="%.7f")
            file.flush()
            ours = json.loads(subprocess.check_output([sys.argv[1], "clusters", file.name, "3"]))
        metres = numpy.radians(points) * EARTH * [1, numpy.cos(numpy.radians(45))]
        tree = least(lambda: cKDTree(metres).query_ball_point(metres, REACH, return_length=True), 1)
        # In memory DBSCAN holds every pair of neighbours: of the denser sets that is more than there is.
        other = f"{least(lambda: DBSCAN(eps=REACH, min_samples=1).fit(metres), 1):8.2f}" if spread >= 0.045 else f"{'–':>8}"
        print(f"{name:20} {ours['seconds']:8.2f} {ours['clusters']:9} {tree:9.2f} {other}", flush=True)


if __name__ == "__main__":
    main()
