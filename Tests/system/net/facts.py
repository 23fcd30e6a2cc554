"""JSON as lines that can be read and compared: exactly, by its shape, or by its shape and a digest of its values.

A path is `.key` for a member and `[]` for each item of an array, which are merged; an exact text counts items, `[2]`.
A key that is data stands as `*`.
"""

import hashlib
import json
import re

# Objects within these are named after quantities.
DATA = {"values", "channels"}
KEY = re.compile(r"[A-Za-z_$][A-Za-z0-9_$ -]*\Z")
# Keys whose texts are words of the program, not of the world.
WORDS = {"cause", "kind", "state", "mode", "role", "right", "severity", "unit", "code", "type", "trust", "noData",
         "level", "verdict", "search", "change", "quantity"}


def parse(text):
    """JSON with its numbers as they were written."""
    return json.loads(text, parse_float=Number, parse_int=Number)


class Number(str):
    """A number as it was written."""


def kind(value):
    if isinstance(value, Number):
        return "number"
    return {bool: "yes or no", type(None): "null", str: "text", dict: "object", list: "array"}[type(value)]


def name(key, parent, value):
    """The place of a member in a path."""
    return "*" if parent in DATA and isinstance(value, dict) or not KEY.match(key) else key


def shape(value, words=frozenset(WORDS)):
    """Sorted lines `path: types`; texts below keys of `words` stand as they are. What has members is not named itself."""
    found = {}

    def walk(value, path, key):
        is_word = key in words and isinstance(value, str) and not isinstance(value, Number)
        found.setdefault(path, set()).add(json.dumps(value, ensure_ascii=False) if is_word else kind(value))
        if isinstance(value, dict):
            for member, item in value.items():
                walk(item, f"{path}.{name(member, key, item)}", member)
        elif isinstance(value, list):
            for item in value:
                walk(item, f"{path}[]", "" if isinstance(item, dict) else key)

    walk(value, "", "")
    parents = {re.sub(r"(\.[^.\[]*|\[\])$", "", path) for path in found if path}
    return [f"{path or '.'}: {' | '.join(sorted(kinds))}" for path, kinds in sorted(found.items())
            if path not in parents or kinds - {"object", "array"}]


def exact(value):
    """Sorted lines `path: value`; items of an array by number."""
    found = []

    def walk(value, path):
        if isinstance(value, dict) and value:
            for member, item in sorted(value.items()):
                walk(item, f"{path}.{member}")
        elif isinstance(value, list) and value:
            for number, item in enumerate(value):
                walk(item, f"{path}[{number}]")
        else:
            text = value if isinstance(value, Number) else json.dumps(value, ensure_ascii=False)
            found.append(f"{path or '.'}: {text}")

    walk(value, "")
    return found


def digest(value):
    """A hash of all values and the order of items; it does not know what a key is called."""
    if isinstance(value, dict):
        text = "{" + ",".join(sorted(digest(item) for item in value.values())) + "}"
    elif isinstance(value, list):
        text = "[" + ",".join(digest(item) for item in value) + "]"
    else:
        text = f"{kind(value)} {value}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def facts(value, limit=40):
    """Exact up to so many lines, beyond it the shape, and what the values come to."""
    lines = exact(value)
    return lines if len(lines) <= limit else [*shape(value), f"({len(lines)} values: {digest(value)})"]


def renamed(lines, rows):
    """The lines with other names, and the rows that did it: an old path and a new one, `–` for what is gone."""
    rows = [(re.compile("([-+] )?" + re.escape(old).replace(r"\[\]", r"\[(\d*)\]") + r"(?=[.:\[]|$)"), new) for old, new in rows]
    used, found = set(), []
    for line in lines:
        for number, (old, new) in enumerate(rows):
            if match := old.match(line):
                used.add(number)
                sign, *numbers = match.groups()
                numbers = iter(numbers)
                line = None if new == "–" else (sign or "") + re.sub(r"\[\]", lambda _: f"[{next(numbers, '')}]", new) + line[match.end():]
                break
        if line is not None:
            found.append(line)
    return found, used


SELF = """{"items": [{"id": 1, "state": "held", "note": "x"}, {"id": 2.50, "state": "idle", "to": null}],
           "values": {"pm25": {"value": 1}}, "notices": {"300": true}, "none": []}"""


def problems():
    """What is wrong with these functions themselves."""
    value = parse(SELF)
    wanted = [
        (shape(value), [
            ".items[].id: number", ".items[].note: text", '.items[].state: "held" | "idle"', ".items[].to: null", ".none: array",
            ".notices.*: yes or no", ".values.*.value: number"]),
        (exact(parse('{"b": [1, 2.50], "a": {"c": "ü"}, "d": []}')), ['.a.c: "ü"', ".b[0]: 1", ".b[1]: 2.50", ".d: []"]),
        (facts(parse('{"b": [1, 2]}'), 1)[:-1], [".b[]: number"]),
        (digest(parse('{"a": 1, "b": [2, 3]}')), digest(parse('{"y": [2, 3], "x": 1}'))),
        (digest(parse('{"b": [2, 3]}')) == digest(parse('{"b": [3, 2]}')), False),
        (digest(parse("2.5")) == digest(parse("2.50")), False),
        (digest(parse("1")) == digest(parse('"1"')), False),
        (renamed([".a: 1", ".ab: 2", ".c[0].d: 3", ".c[1].e: 4", ".f: 5", "+ .a.b: 6"], [(".a", ".x"), (".c[].d", ".c[].y"), (".f", "–")]),
         ([".x: 1", ".ab: 2", ".c[0].y: 3", ".c[1].e: 4", "+ .x.b: 6"], {0, 1, 2})),
    ]
    return [f"facts.py: {found}, not {right}" for found, right in wanted if found != right]
