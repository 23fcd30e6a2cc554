"""Packages from PyPI in a folder of their own, installed once and used without a network afterwards."""

import os
import subprocess
import sys

from ..check import ROOT, Skipped

MISSING = "python3-venv is missing (apt install python3-venv) or PyPI cannot be reached"


class PythonPackages:
    """A virtual environment in the project's folder; `packages` are names with versions."""

    def __init__(self, folder, packages):
        self.folder, self.packages = os.path.join(ROOT, folder), list(packages)
        self.python = os.path.join(self.folder, "bin", "python3")

    @property
    def is_ready(self):
        """Whether exactly these packages are there."""
        ready = os.path.join(self.folder, "ready")  # Its content says which packages are there.
        if not os.path.exists(ready):
            return False
        with open(ready, encoding="ascii") as file:
            return file.read().split() == self.packages

    def prepare(self):
        """Installs the packages; returns whether they are there."""
        if self.is_ready:
            return True
        for command in (
                [sys.executable, "-m", "venv", self.folder],
                [self.python, "-m", "pip", "--quiet", "--disable-pip-version-check", "--retries", "1",
                 "--timeout", "15", "install", *self.packages]):
            if subprocess.run(command, stdout=sys.stderr, check=False).returncode != 0:
                return False
        with open(os.path.join(self.folder, "ready"), "w", encoding="ascii") as file:
            file.write(" ".join(self.packages) + "\n")
        return True

    def demand(self):
        """Installs them, or says why the check cannot run."""
        if not self.prepare():
            raise Skipped(MISSING)

    @property
    def library(self):
        """The folder of the packages, for `import`."""
        lib = os.path.join(self.folder, "lib")
        return os.path.join(lib, sorted(os.listdir(lib))[-1], "site-packages")
