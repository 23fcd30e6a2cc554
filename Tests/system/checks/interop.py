"""Nine programs of other projects read our simulated parts over their pseudo-terminals.

Installs these from PyPI into .build-interop (once): py-sds011, sds011lib, pysds011, pypms, plantower,
pms7003, mh-z19, Sensirion's sensirion-uart-sps30, shdlc-sps30. Starts `roost simulator` for each part
and checks through them: readings equal to those that the part sent, sleep, silence, wake, identity.
"""

import os
import subprocess
import sys

from ..check import ROOT, Skipped
from ..station import Part

PRODUCTS = ("roost",)
NEEDS = "the network once"
VENV = os.path.join(ROOT, ".build-interop")
PYTHON = os.path.join(VENV, "bin", "python3")
PACKAGES = (
    "py-sds011==0.9", "sds011lib==0.4.0", "pysds011==0.0.4", "pyserial==3.5", "pypms==0.8.0",
    "plantower==0.0.11", "pms7003==1.1.0", "mh-z19==3.1.7", "sensirion-uart-sps30==1.0.0",
    "shdlc-sps30==0.1")


def prepare():
    """Installs the packages; returns whether they are there."""
    ready = os.path.join(VENV, "ready")  # Its content says which packages are there.
    if os.path.exists(ready):
        with open(ready, encoding="ascii") as file:
            if file.read().split() == list(PACKAGES):
                return True
    for command in (
            [sys.executable, "-m", "venv", VENV],
            [PYTHON, "-m", "pip", "--quiet", "--disable-pip-version-check", "--retries", "1",
             "--timeout", "15", "install", *PACKAGES]):
        if subprocess.run(command, stdout=sys.stderr, check=False).returncode != 0:
            return False
    with open(ready, "w", encoding="ascii") as file:
        file.write(" ".join(PACKAGES) + "\n")
    return True


def run(check, options):
    if not prepare():
        raise Skipped("python3-venv is missing (apt install python3-venv) or PyPI cannot be reached")
    part = Part(check, "sds011", "--seed", "1", link=check.path("sds011"))
    for name, words in (("interop_sds011.py", [part.place]),
                        ("interop_parts.py", [check.program("roost"), check.folder])):
        script = os.path.join(ROOT, "Tests", "system", name)
        check.same(subprocess.run([PYTHON, script, *words], check=False).returncode, 0, name)
