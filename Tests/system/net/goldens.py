"""The files of goldens: one for each question, compared or written anew."""

import difflib
import fnmatch
import os
import re

from ..check import ROOT
from .facts import renamed

FOLDER = os.path.join(ROOT, "Tests", "system", "net", "goldens")
RENAMED = os.path.join(ROOT, "Tests", "system", "net", "renamed.md")
UPDATE = "scripts/check net --update"
DIFF_MAX = 40  # Lines that are shown of one difference.
ROW = re.compile(r"\|\s*`([^`]+)`\s*\|\s*`([^`]+)`\s*\|\s*(?:`([^`]+)`|(–))\s*\|")


def rows_of(text):
    """The rows of renamed.md: question, old path, new path."""
    return [(row[1], row[2], row[3] or row[4]) for line in text.splitlines() if (row := ROW.match(line))]


class Goldens:
    """`look` compares an answer with its file, or writes it; `finish` says which files no question has."""

    def __init__(self, check, is_update):
        self.check, self.is_update = check, is_update
        self.asked, self.changed, self.key_count, self.used = set(), [], 0, set()
        with open(RENAMED, encoding="utf-8") as file:
            self.rows = rows_of(file.read())

    def wanted(self, name, lines):
        """A golden with the names of renamed.md, and whether one was changed."""
        rows = [(number, old, new) for number, (question, old, new) in enumerate(self.rows) if fnmatch.fnmatch(name, question)]
        found, used = renamed(lines, [(old, new) for _, old, new in rows])
        self.used |= {rows[number][0] for number in used}
        return found, bool(used)

    def look(self, name, lines):
        """One question by its name, as `store/ledger`, and the lines of its answer."""
        path, lines = os.path.join(FOLDER, name + ".txt"), [line.rstrip() for line in lines]
        self.check.demand(name not in self.asked, f"{name} is asked twice")
        self.asked.add(name)
        self.key_count += sum(line.startswith(".") for line in lines)
        old = None
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                old = file.read().splitlines()
        if self.is_update:
            if old != lines:
                self.changed.append(name)
                self.show(name, old or [], lines)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as file:
                    file.write("\n".join(lines) + "\n")
            return
        if old is None:
            self.check.demand(False, f"{name}: no golden: run {UPDATE}")
            return
        old, is_other = self.wanted(name, old)
        is_same = sorted(old) == sorted(lines) if is_other else old == lines
        if not self.check.demand(is_same, f"{os.path.relpath(path, ROOT)} differs; if that is meant, a row of "
                                 f"Tests/system/net/renamed.md, or {UPDATE}"):
            self.show(name, sorted(old) if is_other else old, sorted(lines) if is_other else lines)

    def show(self, name, old, new):
        lines = list(difflib.unified_diff(old, new, f"goldens/{name}.txt", "now", lineterm="", n=1))
        more = len(lines) - DIFF_MAX
        print("\n".join(lines[:DIFF_MAX] + ([f"… {more} more lines"] if more > 0 else [])), flush=True)

    def finish(self):
        """Files without a question, and rows of renamed.md that no golden needs."""
        for place, _, names in os.walk(FOLDER):
            for one in names:
                path = os.path.join(place, one)
                name = os.path.relpath(path, FOLDER).removesuffix(".txt")
                if name in self.asked:
                    continue
                if self.is_update:
                    os.remove(path)
                    self.changed.append(name)
                self.check.demand(self.is_update, f"{os.path.relpath(path, ROOT)}: no question has this name: {UPDATE}")
        for number, row in enumerate(self.rows):
            self.check.demand(self.is_update or number in self.used,
                              f"renamed.md: no golden has {row[1]} of {row[0]}: the row is spent, remove it")
