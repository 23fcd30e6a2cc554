"""The files of a store keep their size, month by month.

  scripts/check sizes --years 10 [--interval 1]
  scripts/check sizes -- --help     all options; they go to `roost-lab years`
"""

import json
import subprocess

from .. import roost_lab

PRODUCTS = ("roost-lab",)
BUILD = "release"
PASSES_OPTIONS = True


def run(check, options):
    roost_lab.run(check, "years", *options.rest)
    words = [check.program("roost-lab"), "years", "--years", "1", "--interval", "600", "--megabytes", "4", "--json"]
    said = json.loads(subprocess.check_output(words, text=True))
    check.same((said["months"], said["isConstant"]), (12, True), "what years --json says")
    check.demand(said["sampleCount"] > 50_000 and said["byteCounts"].get("history.db"), f"years --json: {said}")
