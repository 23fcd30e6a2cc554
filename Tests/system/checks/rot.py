"""A store is damaged at every place in turn, and must serve what is whole.

Damaged are each bit of the history's header, each page, the file's end, its log and slots of the journal.

  scripts/check rot -- --help     all options; they go to `roost-lab rot`
"""

from .. import roost_lab

PRODUCTS = ("roost-lab",)
BUILD = "release"
PASSES_OPTIONS = True


def run(check, options):
    roost_lab.run(check, "rot", *options.rest)
