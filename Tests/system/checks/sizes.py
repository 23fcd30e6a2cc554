"""The files of a store keep their size, month by month.

  scripts/check sizes --years 10 [--interval 1]
  scripts/check sizes -- --help     all options; they go to `roost-lab years`
"""

from .. import roost_lab

PRODUCTS = ("roost-lab",)
BUILD = "release"
PASSES_OPTIONS = True


def run(check, options):
    roost_lab.run(check, "years", *options.rest)
