"""The names by which pages lead through the dashboard: each is a text that it shows."""

import json
import os
import re

from .check import ROOT

# `the page *Now*`, `*More → Update*`, `under *Audit*`, `press *Notify this browser*`.
NAMED = re.compile(r"(?:\b(?:pages?|[Uu]nder|press) )\*([^*]+)\*|\*(More → [^*]+)\*|^(?:\d\.|.*) Open \*([^*]+)\*")


def judge(check, pages):
    with open(os.path.join(ROOT, "Sources", "RoostWeb", "www", "strings", "en.json"), encoding="utf-8") as file:
        shown = set(json.load(file).values())
    for page in pages:
        for number, line in enumerate(page.lines, 1):
            for found in NAMED.finditer(line):
                for name in next(filter(None, found.groups())).split(" → "):
                    check.demand(name in shown, f"{page.place(number)}: the dashboard shows no text *{name}*")
