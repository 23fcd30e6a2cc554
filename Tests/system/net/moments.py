"""A running station's answers without what the moment of a question decides, or the machine that it runs on."""

import re

from ..check import ROOT
from .facts import parse, shape

# Keys whose texts are words of the program, and the same at each moment.
WORDS = frozenset({"kind", "state", "mode", "role", "right", "severity", "unit", "type", "trust", "search", "quantity"})
# Of each set one word stands for all.
STATES = [("motion", "still"), ("idle", "sending", "waiting", "later", "waitsForStation"), ("measuring", "warming", "asleep"),
          ("good", "moderate", "poor")]
# What is there in some moments only: the end of a path.
KEYS = (".nextInSeconds", ".phaseEndsInSeconds", ".nextBeatInSeconds", ".lastBeatSeconds", ".oldestWaiting", ".targets[].nextTrySeconds", ".targets[].why",
        ".store.waitingSeconds", ".stretches[][]", ".keepsDays",
        ".alerts[].blind", ".alerts[].blindSeconds")
# Lists of what this machine and this moment have: neither their items nor that there are none.
MACHINE = re.compile(r"(.*?\.(faults|findings|reasons|because|doubts|details|hidden|missing|quality|power|behind|lasers))[.\[]")


def steady(text, words=WORDS):
    """The lines of an answer: one JSON value, or one a line."""
    try:
        value = parse(text)
    except ValueError:
        value = [parse(line) for line in text.splitlines()]
    found = []
    for line in shape(value, words):
        path, _, kinds = line.partition(": ")
        if path.endswith(KEYS) or MACHINE.match(f"{path}[" if kinds == "array" else path):
            continue
        if re.search(r"\.verdict\.(device|channel|cause|sinceSeconds|leftSeconds)$", path) or path.endswith(".items[].seconds"):
            kinds = "null or more"
        if path.endswith(".state"):
            for states in STATES:
                names = [f'"{word}"' for word in states]
                kept = [kind for kind in kinds.split(" | ") if kind not in names]
                if len(kept) < len(kinds.split(" | ")):
                    kinds = " | ".join(sorted([*kept, f'"{" or ".join(states)}"']))
        found.append(f"{path}: {kinds}")
    return found


def masked(text):
    """The lines of a text without numbers and times, and without the widths that follow from them."""
    found = []
    for line in text.replace(ROOT, "REPOSITORY").splitlines():
        if line.lstrip().startswith("doubts"):
            continue
        line = re.sub(r"\d{4}-\d\d-\d\d[T ][\d:.]+(Z|[+-]\d\d:\d\d)?", "TIME", line)
        line = re.sub(r"\b[0-9a-f]{8,}\b", "ID", line)
        line = re.sub(r"-?\d+([.,:]\d+)*", "#", line)
        line = re.sub(r"# (ms|s|min|h|d)\b( # (s|min|h)\b)?", "SPAN", line)
        line = re.sub(r"\b(motion|still|good|moderate|poor)$", "STATE", line)
        line = re.sub(r": (sends|all is delivered|tries again: .*)$|; next try in SPAN| since TIME", "", line)
        line = re.sub(r"# (B|KB|KiB|MB|MiB)\b", "BYTES", line)
        found.append("| " + re.sub(r"\s+", " ", line).strip())
    return found


def problems():
    """What is wrong with these functions themselves."""
    wanted = [
        (steady('{"state": "still", "faults": [{"id": 1}], "nextInSeconds": 2}'), [
            '.state: "motion or still"']),
        (steady('{"a": {"doubts": []}, "b": {"doubts": ["high"]}, "c": []}'), [".c: array"]),
        (steady('{"a": 1}\n{"a": "x"}'), ["[].a: number | text"]),
        (masked("dust  12.5 µg/m³  3 min 4 s ago, 12 KiB"), ["| dust # µg/m³ SPAN ago, BYTES"]),
    ]
    return [f"moments.py: {found}, not {right}" for found, right in wanted if found != right]
