"""What scripts/check packages found, as tables of docs/measurements/packages.md."""

import dataclasses
import os
import subprocess

from .booted_life import STEPS as BOOTED_STEPS
from .package_life import STEPS

BEGIN, END = "<!-- written by scripts/check packages --write -->", "<!-- end -->"
WORDS = {True: "yes", False: "**no**", None: "–"}


@dataclasses.dataclass
class Row:
    """What was found of one suite and architecture; None is what was not looked at."""

    key: tuple
    packages: dict  # Name to path and hash.
    warnings: int = None
    download: int = None
    installed: int = None
    is_reproducible: bool = None
    is_served: bool = None
    steps: dict = dataclasses.field(default_factory=dict)
    memory: dict = dataclasses.field(default_factory=dict)  # Unit to resident and proportional MiB.


def table(head, lines):
    return "\n".join(["| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head), *lines)])


def megabytes(size):
    return "–" if size is None else f"{size / 1e6:.1f} MB"


def life(rows):
    head = ["", *(" ".join(row.key) for row in rows)]
    lines = [[step, *(WORDS[row.steps.get(step)] for row in rows)] for step in STEPS]
    lines += [[f"booted: {step}", *(WORDS[row.steps.get(step)] for row in rows)] for step in BOOTED_STEPS]
    lines += [["apt from a signed folder: install, upgrade, seven refusals", *(WORDS[row.is_served] for row in rows)],
              ["made three times: the same bytes", *(WORDS[row.is_reproducible] for row in rows)],
              ["lintian: errors; warnings", *("–" if row.warnings is None else f"0; {row.warnings}" for row in rows)],
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
    lines = [[" ".join(row.key), f"`{unit}`", f"{resident:.1f} MiB", f"{proportional:.1f} MiB"]
             for row in rows for unit, (resident, proportional) in row.memory.items()]
    lines += [[" ".join(row.key), "together", "", f"{sum(size for _, size in row.memory.values()):.1f} MiB"]
              for row in rows if row.memory]
    return table(["", "Program", "Resident", "Its share of what several map"], lines)


def write(rows, page):
    """Puts the tables between the two marks of the page."""
    with open(page, encoding="utf-8") as file:
        before, rest = file.read().split(BEGIN)
        after = rest.split(END)[1]
    with open(page, "w", encoding="utf-8") as file:
        file.write(f"{before}{BEGIN}\n\n{life(rows)}\n\n{packages(rows)}\n\n{memory(rows)}\n\n{END}{after}")
