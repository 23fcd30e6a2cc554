"""The dashboard in Chromium, before a real station: every page, width, theme, and the cases B-T1 to B-T18.

A simulated SDS011, a real roostd and a real roost-web; a browser claims the station and walks. On every page:
no console message, no report of the content policy, no finding of axe-core, nothing wider than the screen, and
a picture to look at. Then the navigation by keyboard alone, and the acceptance cases by name.
The files of the client are held to their rules first, which needs no browser.

  scripts/check browser                       each page at 360 and 1280 px, light and once dark, in English
  scripts/check browser --full                320, 360, 768 and 1280 px, light and dark, English and German
  scripts/check browser --folder SHOTS        keeps the pictures there
  scripts/check browser --only B-T3 B-T18     these cases alone

Installs selenium and axe-core from PyPI into .build-browser (once). Skipped without Chromium and its driver.
"""

import shutil
import sys

from ..browser import files
from ..check import Skipped
from ..python_packages import PythonPackages

PRODUCTS = ("roost", "roostd", "roost-web")
NEEDS = "chromium, chromium-driver, the network once"
PACKAGES = PythonPackages(".build-browser", ("selenium==4.51.0", "axe-playwright-python==0.1.8"))
TOGETHER = ("--short",)


def arguments(parser):
    parser.add_argument("--full", action="store_true", help="all widths, themes and two languages")
    parser.add_argument("--folder", help="where the pictures go (default: the folder of the check)")
    parser.add_argument("--only", nargs="+", metavar="CASE", help="cases by name, no walk")


def run(check, options):
    files.hold(check)
    missing = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    if missing and not check.problems:
        raise Skipped(f"{' and '.join(missing)} missing (apt install chromium chromium-driver)")
    if missing:
        return None
    PACKAGES.demand()
    sys.path.insert(0, PACKAGES.library)
    from ..browser import suite  # Imports selenium, which is there only now.

    return suite.run(check, options, PACKAGES.library)
