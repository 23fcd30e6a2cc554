"""The GPIO suite on the real libgpiod, 1.6 and 2.x, over a stand-in for the kernel.

What is installed counts as 1.6, and --binaries is a build with it; 2.x is built into .build-libgpiod2 from sources that pip fetches once.
"""

import os
import subprocess

from .. import standin
from ..check import ROOT, Failed, Skipped, tests_of
from ..libgpiod import PKG_CONFIG_PATH, NotBuilt, build

TESTS = True
NEEDS = "the network once, for 2.x"


def suite(check, scratch, environment):
    """Builds the tests and runs those of GPIO."""
    command = ["swift", "build", "--package-path", ROOT, "--scratch-path", os.path.join(ROOT, scratch),
               "--explicit-target-dependency-import-check", "error"]
    built = subprocess.run([*command, "--build-tests"], env=environment, text=True, check=False,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if built.returncode != 0:
        raise Failed(f"the tests do not build:\n{built.stdout[-5000:]}")
    place = subprocess.check_output([*command, "--show-bin-path"], env=environment, text=True).strip()
    run_suite(check, place, environment)


def run_suite(check, place, environment):
    """Runs the tests with the stand-in in the test program alone."""
    done = subprocess.run([*tests_of(place), "--filter", "GPIO"], check=False,
                          env={**environment, "LD_PRELOAD": standin.preload("gpio")})
    check.same(done.returncode, 0, f"the suite in {place}: exit status")


def arguments(parser):
    parser.add_argument("versions", nargs="*", choices=["1", "2", []], default=[], metavar="VERSION",
                        help="of libgpiod: 1 or 2 (both)")
    parser.add_argument("--sdist", help="a gpiod-*.tar.gz that you fetched yourself")


def run(check, options):
    for version in options.versions or ("1", "2"):
        if version == "1":
            found = subprocess.check_output(["pkg-config", "--modversion", "libgpiod"], text=True)
            check.say(f"libgpiod {found.strip()}")
            if options.binaries:
                run_suite(check, os.path.realpath(options.binaries), dict(os.environ))
            else:
                suite(check, ".build", dict(os.environ))
            continue
        try:
            check.say(f"libgpiod {build(options.sdist)}")
        except NotBuilt as reason:
            if options.versions == ["2"]:
                raise Skipped(reason) from None
            check.skip(f"libgpiod 2.x: {reason}")
            continue
        # Only the tests of GPIO and what they need, in a build folder of its own.
        suite(check, ".build-gpiod2", dict(os.environ, PKG_CONFIG_PATH=PKG_CONFIG_PATH, ROOST_ONLY="GPIOTests"))
