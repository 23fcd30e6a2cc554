"""The dashboard in Chromium, before a real station: every page, width, theme, and the cases B-T1 to B-T18.

A simulated SDS011, a real roostd and a real roost-web; a browser claims the station and walks. On every page:
no console message, no report of the content policy, no finding of axe-core, nothing wider than the screen, and
a picture to look at. Then the navigation by keyboard alone, the acceptance cases by name, texts that have broken
other programs, each cause of a gap by a tap on the chart of a simulated card, restarts, Outbox and Alerts before a
real courier, and each state of a station.
The files of the client are held to their rules first, which needs no browser.

  scripts/check browser                       everything: four sizes, themes and languages, cases, states, gaps
  scripts/check browser --small               a claim, each page at 360 px with axe, the keyboard
  scripts/check browser --short               each page at 360 and 1280 px, axe and the cases
  scripts/check browser --full                320, 360, 768 and 1280 px, light and dark, English and German
  scripts/check browser --engine webkit       pages and cases in WebKitGTK, the engine nearest to Apple's phones
  scripts/check browser --budget              what a first visit costs, each figure beside its limit
  scripts/check browser --folder SHOTS        keeps the pictures there
  scripts/check browser --only B-T3 states    these cases, parts and states alone

Installs selenium and axe-core from PyPI into .build-browser (once). Skipped without Chromium and its driver.
"""

import shutil
import sys

from ..browser import files
from ..check import Skipped
from ..packaging.python_packages import PythonPackages

PRODUCTS = ("roost", "roostd", "roost-web", "roost-lab", "roost-courier", "roost-eyes")
NEEDS = "chromium, chromium-driver, the network once"
PACKAGES = PythonPackages(".build-browser", ("selenium==4.51.0", "axe-playwright-python==0.1.8"))
TOGETHER = ("--small",)
NEEDED = {
    "chromium": (("chromium", "chromedriver"), "chromium chromium-driver"),
    "webkit": (("WebKitWebDriver", "Xvfb"), "webkit2gtk-driver xvfb"),
}


def arguments(parser):
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--short", action="store_true", help="two sizes and the cases, for scripts/test --all")
    size.add_argument("--small", action="store_true", help="a claim, one size, the keyboard: for scripts/test")
    size.add_argument("--full", action="store_true", help="all widths, themes and two languages")
    size.add_argument("--budget", action="store_true", help="bytes, requests, paint, drawing and a reading's way")
    parser.add_argument("--engine", choices=("chromium", "webkit"), default="chromium",
                        help="webkit: WebKitGTK, pages and cases alone")
    parser.add_argument("--folder", help="keeps a picture of each page there")
    parser.add_argument("--store", metavar="FOLDER", help="the card for the gaps (default: a simulated life of 6 days)")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="cases, parts and states by name")


def run(check, options):
    files.hold(check)
    programs, packages = NEEDED[options.engine]
    missing = [name for name in programs if shutil.which(name) is None]
    if missing and not check.problems:
        raise Skipped(f"{' and '.join(missing)} missing (apt install {packages})")
    if missing:
        return None
    PACKAGES.demand()
    sys.path.insert(0, PACKAGES.library)
    from ..browser import budget, suite  # Imports selenium, which is there only now.

    if options.budget:
        return budget.run(check, PACKAGES.library)
    return suite.run(check, options, PACKAGES.library)
