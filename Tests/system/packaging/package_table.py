"""What scripts/check packages found, as tables of docs/measurements/packages.md."""

import dataclasses
import json
import os
import subprocess

from ..booted_life import STEPS as BOOTED_STEPS
from .package_life import STEPS

BEGIN, END = "<!-- written by scripts/check packages --write -->", "<!-- end -->"
WORDS = {True: "yes", False: "**no**", None: "–"}


@dataclasses.dataclass
class Row:
    """What was found of one suite and architecture; None is what was not looked at."""

    key: tuple
    packages: dict  # Name to path and hash.
    errors: int = None
    warnings: int = None
    download: int = None
    installed: int = None
    is_reproducible: bool = None
    is_served: bool = None
    steps: dict = dataclasses.field(default_factory=dict)
    memory: dict = dataclasses.field(default_factory=dict)  # Unit to resident and proportional MiB.

    def keep(self, folder):
        """Keeps what was found beside the packages, so that parts may run one by one, and suites too."""
        with open(place(self.key, folder), "w", encoding="utf-8") as file:
            json.dump(dataclasses.asdict(self), file, indent=1)

    @classmethod
    def known(cls, key, packages, folder):
        """What was found before of these very packages, names to path and hash; of others nothing counts."""
        try:
            with open(place(key, folder), encoding="utf-8") as file:
                found = json.load(file)
        except FileNotFoundError:
            found = {"packages": {}}
        # By their hashes: the folder may have another name now.
        hashes = {name: one[1] for name, one in packages.items()}
        is_of_these = {name: one[1] for name, one in found["packages"].items()} == hashes
        return cls(**{**(found if is_of_these else {}), "key": key, "packages": packages})


def place(key, folder):
    return os.path.join(folder, f"found-{'-'.join(key)}.json")


def table(head, lines):
    return "\n".join(["| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head), *lines)])


def megabytes(size):
    return "–" if size is None else f"{size / 1e6:.1f} MB"


def life(rows):
    head = ["", *(" ".join(row.key) for row in rows)]
    lines = [[step, *(WORDS[row.steps.get(step)] for row in rows)] for step in STEPS]
    lines += [[f"booted: {step}", *(WORDS[row.steps.get(step)] for row in rows)] for step in BOOTED_STEPS]
    lines += [["apt from a signed folder: install, upgrade, six refusals", *(WORDS[row.is_served] for row in rows)],
              ["packages made three times of the same programs: the same bytes", *(WORDS[row.is_reproducible] for row in rows)],
              ["lintian: errors; warnings", *("–" if row.warnings is None else f"{row.errors}; {row.warnings}" for row in rows)],
              ["to fetch, without `roost-lab`", *(megabytes(row.download) for row in rows)],
              ["installed, without `roost-lab`", *(megabytes(row.installed) for row in rows)]]
    return table(head, lines)


def packages(rows):
    lines = []
    for row in rows:
        for name, (path, digest) in sorted(row.packages.items()):
            kibibytes = int(subprocess.check_output(["dpkg-deb", "--field", path, "Installed-Size"], text=True))
            version = subprocess.check_output(["dpkg-deb", "--field", path, "Version"], text=True).strip()
            lines.append([f"`{name}`", f"`{version}`", row.key[1], f"{os.path.getsize(path) / 1e6:.2f} MB",
                          f"{kibibytes * 1024 / 1e6:.2f} MB", f"`{digest[:16]}`"])
    return table(["Package", "Version", "", "To fetch", "Installed", "SHA-256"], lines)


def memory(rows):
    """Empty where no programs ran under systemd."""
    rows = [row for row in rows if row.memory]
    if not rows:
        return ""
    lines = [[" ".join(row.key), f"`{unit}`", f"{resident:.1f} MiB", f"{proportional:.1f} MiB"]
             for row in rows for unit, (resident, proportional) in row.memory.items()]
    lines += [[" ".join(row.key), "together", "", f"{sum(size for _, size in row.memory.values()):.1f} MiB"]
              for row in rows]
    return table(["", "Program", "Resident", "Its share of what several map"], lines)


def write(rows, page):
    """Puts the tables between the two marks of the page."""
    with open(page, encoding="utf-8") as file:
        before, rest = file.read().split(BEGIN)
        after = rest.split(END)[1]
    tables = "\n\n".join(text for text in (life(rows), packages(rows), memory(rows)) if text)
    with open(page, "w", encoding="utf-8") as file:
        file.write(f"{before}{BEGIN}\n\n{tables}\n\n{END}{after}")
