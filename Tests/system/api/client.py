"""A client in Python, made from the description, and the program `report.py` over it."""

import os
import shutil
import subprocess

from ..check import ROOT, Failed

FOLDER = os.path.join(ROOT, "Tests", "system", "api")
# As it is made, for nobody reads it; bodies that are neither JSON nor text are bytes.
CONFIG = "post_hooks: []\ncontent_type_overrides:\n" + "".join(
    f"  {kind}: application/octet-stream\n" for kind in ("image/jpeg", "application/vnd.sqlite3", "multipart/x-mixed-replace"))


class Client:
    """The package `roost_client`, beside the program that uses it."""

    def __init__(self, check, packages, description):
        self.check, self.packages, self.folder = check, packages, check.path("client")
        os.makedirs(self.folder)
        shutil.copy(os.path.join(FOLDER, "report.py"), self.folder)
        with open(os.path.join(self.folder, "config.yaml"), "w", encoding="ascii") as file:
            file.write(CONFIG)
        self.run("openapi_python_client", "generate", "--path", description, "--meta", "none", "--config", "config.yaml",
                 "--output-path", "roost_client", "--fail-on-warning")

    def run(self, module, *words):
        """What a program of the packages prints; one that fails ends the check."""
        done = subprocess.run([self.packages.python, "-m", module, *words], cwd=self.folder, capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            raise Failed(f"{module}: {(done.stdout + done.stderr)[-2000:]}")
        return done.stdout

    def prove(self):
        """Has mypy prove the program: no value of it is `Any`, and nothing is taken out of what mypy looks at."""
        with open(os.path.join(FOLDER, "report.py"), encoding="utf-8") as file:
            text = file.read().split('"""', 2)[2]
        for word in ("cast", "Any", "ignore", "getattr", "additional_keys"):
            self.check.demand(word not in text, f"report.py has the word {word}")
        return self.run("mypy", "--config-file", os.path.join(FOLDER, "mypy.ini"), "--cache-dir",
                        os.path.join(self.packages.folder, "mypy"), "report.py").strip()

    def report(self, *words):
        """What the program prints: a list of words for each line."""
        return [line.split(" ") for line in self.run("report", *words).splitlines()]
