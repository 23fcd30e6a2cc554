"""The power is cut at every write and sync of the store's workloads, under 19 models of a card.

  scripts/check powercut store --full --depth 1     everything at one cut (15 minutes)
  scripts/check powercut -- --help                  the workloads and all options

All options go to `roost-lab cuts`.
"""

from .. import roost_lab

PRODUCTS = ("roost-lab",)
BUILD = "release"
PASSES_OPTIONS = True


def run(check, options):
    roost_lab.run(check, "cuts", *options.rest)
