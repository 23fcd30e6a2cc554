"""What the pages tell people to type: the commands and the configurations in a page, each with its place."""

import json
import os
import re
from typing import NamedTuple

from ..check import ROOT

LANGUAGES = {"sh", "console", "screen", "json", "text", "ini", "yaml", "python", "nginx", "caddy"}
FENCE = re.compile(r"^( *)```(.*)$")
CODE = re.compile(r"`([^`]+)`")
# A word after which the rest of a cell lists other forms of the command in its row.
ALSO = re.compile(r"\balso ((?:`[^`]+`(?:, | and | or )?)+)")
ITEM = re.compile(r"^ *([-*]|\d+\.) |^\|")
# Text that Swift puts in, and a sentence that goes on in the next line.
INSERTED = re.compile(r"\\\((?:[^()]|\([^()]*\))*\)")
JOINED = re.compile(r'"\s*\n\s*\+ "')


class Command(NamedTuple):
    place: str
    text: str
    is_whole: bool = True  # False: prose that names it, maybe without what must follow.


class Option(NamedTuple):
    place: str
    text: str
    near: tuple  # The commands of its paragraph; where that has none, it may be any program's.


class Forms(NamedTuple):
    place: str
    command: str  # The command of the row.
    text: str  # Another form of it.


class Block(NamedTuple):
    place: str
    language: str
    text: str
    lines: range


def is_command(text):
    """Whether words in the middle of a sentence are a command, and not a name."""
    bare = re.sub(r"^(sudo )?", "", text)
    return bool(re.match(r"(roost|roostd|roost-(web|courier|eyes|lab)|systemctl|journalctl|apt|adduser) \S", bare)
                or bare.startswith("scripts/") or text.startswith("sudo ") or "| sudo roost " in text)


class Page:
    """A page of documentation, in pieces."""

    def __init__(self, path):
        self.name = os.path.relpath(path, ROOT)
        self.blocks, self.commands, self.options, self.forms, self.faults = [], [], [], [], []
        with open(path, encoding="utf-8") as file:
            self.lines = file.read().splitlines()
        self.paragraph = []
        self.read()

    def place(self, number):
        return f"{self.name}:{number}"

    def read(self):
        rows = iter(enumerate(self.lines, 1))
        for number, line in rows:
            fence = FENCE.match(line)
            if fence:
                self.end()
                self.block(number, fence, rows)
            elif not line.strip() or ITEM.match(line):
                self.end()
            if not fence and line.strip():
                self.paragraph.append((number, line))
        self.end()

    def block(self, number, fence, rows):
        text, language = [], fence[2].split(" ")[0]
        for _, line in rows:
            if line == fence[1] + "```":
                break
            text.append(line)
        else:
            self.faults.append(f"{self.place(number)}: a block has no end")
        if language not in LANGUAGES:
            self.faults.append(f"{self.place(number)}: a block names its language, one of {', '.join(sorted(LANGUAGES))}: "
                               f"commands stand in `sh`, other text in `text`")
        block = Block(self.place(number), language, "\n".join(text),
                      range(number + 1, number + 1 + len(text)))
        self.blocks.append(block)
        for index, line in enumerate(text, number + 1):
            if language == "sh" and line.strip():
                self.commands.append(Command(self.place(index), line.strip()))
            elif language in ("console", "screen", "text") and line.startswith("$ "):
                self.commands.append(Command(self.place(index), line[2:]))

    def end(self):
        """What stands in code in the paragraph that ends here."""
        rows, self.paragraph = self.paragraph, []
        codes = [(number, code) for number, line in rows for code in CODE.findall(line)]
        # A piece of code may be broken over two lines.
        if any(line.count("`") % 2 for _, line in rows):
            codes = [(rows[0][0], code) for code in CODE.findall(" ".join(line.strip() for _, line in rows))]
        found = [(number, code) for number, code in codes if is_command(code)]
        near = tuple(code for _, code in found)
        for number, code in found:
            self.commands.append(Command(self.place(number), code, False))
        for number, code in codes:
            if re.match(r"--[a-z]", code):
                self.options.append(Option(self.place(number), code, near))
        for number, line in rows:
            self.row(number, line)

    def row(self, number, line):
        """`| `roost a b`, `c` | shows; also `d` |`: forms of the command that stands first."""
        cells = re.split(r"(?<!\\) \| ", line.strip("| "))
        first = CODE.match(cells[0])
        if not line.startswith("| `") or not first or not is_command(first[1]):
            return
        others = CODE.findall(cells[0])[1:]
        for listed in ALSO.findall(" ".join(cells[1:])):
            others += CODE.findall(listed)
        for other in others:
            if not is_command(other) and not other.startswith("-"):
                self.forms.append(Forms(self.place(number), first[1], other))


def in_source(path):
    """The commands that the program's own sentences name: what to type next, and comments for who works on it."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    name = os.path.relpath(path, ROOT)
    for found in re.finditer(r"`((?:sudo )?roost(?:d|-web|-courier|-eyes|-lab)? [a-z-][^`\n]*)`", joined(text)):
        place = f"{name}:{text[:text.find(found[1][:12])].count(chr(10)) + 1}"
        yield Command(place, INSERTED.sub("X", found[1]), False)


# `roost WORD` in a sentence of the programs without code marks: its first words are a command, the rest may be the sentence.
LOOSE = re.compile(r"(?<![\w./`-])roost (?!-)([a-z][a-z ]*)((?: --[a-z-]+)?)")
TEXT = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def in_sentences(path):
    """The commands that sentences of the programs and of the dashboard name, as their first words and an option."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"^ *//.*$", "", JOINED.sub("", file.read()), flags=re.M)
    for line in TEXT.findall(text):
        for found in LOOSE.finditer(line):
            yield Command(f"{os.path.relpath(path, ROOT)}: {found[0]!r}", found[1] + found[2], False)


def joined(text):
    """A text whose sentences go on over lines, as one line for each sentence."""
    return re.sub(r"\n *///? ?", " ", JOINED.sub("", text))


def examples(program, tree):
    """The examples in the help of a program."""
    for number, line in enumerate(tree.get("discussion", "").replace("\\\n", " ").splitlines(), 1):
        found = re.search(r"(?:^ *|: +)((?:sudo )?roost(?:d|-web|-courier|-eyes|-lab)? +[a-z-].*)", line)
        if found and ("xample" in line or line.startswith("  ")):
            yield Command(f"the help of {program}, line {number}", found[1])
    for one in tree.get("subcommands", []):
        yield from examples(f"{program} {one['commandName']}", one)


def parsed(text):
    """A block of JSON, also one without its outer braces."""
    try:
        return json.loads(text)
    except ValueError:
        return json.loads("{" + text.strip().rstrip(",") + "}")
