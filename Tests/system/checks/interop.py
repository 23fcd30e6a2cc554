"""Nine programs of other projects read our simulated parts over their pseudo-terminals.

Installs these from PyPI into .build-interop (once): py-sds011, sds011lib, pysds011, pypms, plantower,
pms7003, mh-z19, Sensirion's sensirion-uart-sps30, shdlc-sps30. Starts `roost simulator` for each part
and checks through them: readings equal to those that the part sent, sleep, silence, wake, identity.
"""

import os
import subprocess

from ..check import ROOT
from ..packaging.python_packages import PythonPackages
from ..station import Part

PRODUCTS = ("roost",)
NEEDS = "the network once"
PACKAGES = PythonPackages(".build-interop", (
    "py-sds011==0.9", "sds011lib==0.4.0", "pysds011==0.0.4", "pyserial==3.5", "pypms==0.8.0",
    "plantower==0.0.11", "pms7003==1.1.0", "mh-z19==3.1.7", "sensirion-uart-sps30==1.0.0",
    "shdlc-sps30==0.1"))


def run(check, options):
    PACKAGES.demand()
    part = Part(check, "sds011", "--seed", "1", link=check.path("sds011"))
    for name, words in (("two_libraries.py", [part.place]),
                        ("parts.py", [check.program("roost"), check.folder])):
        script = os.path.join(ROOT, "Tests", "system", "interop", name)
        check.same(subprocess.run([PACKAGES.python, script, *words], check=False).returncode, 0, name)
