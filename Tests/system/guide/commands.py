"""Judges the commands of pages by the programs themselves, without running what they do.

A command of ours is given to its program with one option more that there is not. ArgumentParser reads and
validates every word before it says so: a command is right where this unknown option is the only complaint.
How many words may stand without an option comes from the program's own --experimental-dump-help.
"""

import glob
import json
import os
import re
import shlex
import subprocess
from concurrent.futures import ThreadPoolExecutor

from . import exceptions
from . import texts
from ..check import ROOT

PROGRAMS = ("roost", "roostd", "roost-web", "roost-courier", "roost-eyes", "roost-lab")
# Commands of `roost` that are those of roost-courier, and with which words.
HANDED_ON = {"courier": [], "outbox": ["outbox"], "secret": ["secret"], "subscribers": ["subscribers"],
             "stations": ["stations"]}
UNKNOWN = "--no-option-of-any-program"
# A name for what a reader puts in: FILE, N, TIME, [DEVICE], <name>, …
PLACEHOLDER = re.compile(r"[A-Z][A-Z_-]*|.*[…<>].*")
# What ArgumentParser says of a word that is wrong, in place of one that is missing.
PARSERS = r"Error: (Unknown option|The value|Unexpected|\d+ unexpected)"
UNITS = ("packaging/systemd/*", "packaging/image/root/usr/lib/systemd/system/*", "packaging/image/base/*.service")


class Wrong(Exception):
    """What is wrong with a command."""


def split(text):
    """The simple commands of a line, each its words; without redirections and comments."""
    text = re.sub(r"(?<!\S)\d?(>>?|<<?)(&\d| ?[^\s|&;]+)", " ", text.replace("[", "").replace("]", ""))
    words = shlex.shlex(text, posix=True, punctuation_chars="|&;")
    words.whitespace_split = True
    found = [[]]
    for word in words:
        if word and set(word) <= set("|&;"):
            found.append([])
        else:
            found[-1].append(word)
    return [bare(words) for words in found if bare(words)]


def bare(words):
    """Without `sudo`, variables and what the shell puts before a command."""
    while words and (words[0] in ("sudo", "!", "until", "exec") or re.match(r"[A-Za-z_]+=", words[0])):
        words = words[1:]
    return words


class Judge:
    def __init__(self, check):
        self.check, self.known = check, {}
        with ThreadPoolExecutor() as pool:
            self.trees = dict(zip(PROGRAMS, pool.map(self.tree, PROGRAMS)))
        paths = [path for pattern in UNITS for path in glob.glob(os.path.join(ROOT, pattern))]
        self.units = {os.path.basename(path): path for path in paths}

    def tree(self, program):
        done = subprocess.run([self.check.program(program), "--experimental-dump-help"], capture_output=True, text=True,
                              check=True)
        return json.loads(done.stdout)["command"]

    def judge(self, commands):
        """Says what is wrong with each command."""
        with ThreadPoolExecutor() as pool:  # The programs are asked at once; what is known then is not asked again.
            list(pool.map(self.fault, [one for one in commands if "scripts/" not in one.text]))
        for command in commands:
            fault = self.fault(command)
            self.check.demand(fault is None, f"{command.place}: `{command.text}`: {fault}")

    def fault(self, command):
        """What is wrong with a command; None if it is right."""
        if command.text in exceptions.COMMANDS:
            return None
        try:
            for words in split(command.text):
                self.simple(words, command.is_whole)
        except Wrong as wrong:
            return str(wrong)
        except ValueError as error:
            return f"the shell does not read it: {error}"
        return None

    def simple(self, words, is_whole):
        name = os.path.basename(words[0])
        if name in PROGRAMS and "scripts/" not in words[0]:
            self.own(name, words[1:], is_whole)
        elif words[0] == "scripts/at" and len(words) > 2:
            self.simple(bare(words[2:]), is_whole)
        elif words[0].startswith("scripts/"):
            script(words, is_whole)
        elif name == "systemctl":
            self.systemctl(words[1:])
        elif name == "journalctl":
            for unit in [word for word in words[1:] if not word.startswith("-")]:
                self.unit(unit)
        elif name not in exceptions.FOREIGN:
            raise Wrong(f"{name} is no command of ours, and not listed as another's in guide_exceptions.py")
        elif name == "apt":
            packages(words)

    def own(self, program, words, is_whole):
        """Judges the words of a command of ours."""
        if program == "roost" and words and words[0] in HANDED_ON:
            program, words = "roost-courier", HANDED_ON[words[0]] + words[1:]
        is_help = "--help" in words
        words = [word for word in words if word not in ("--help", "--version", "…")]
        node, rest = self.resolve(program, words)
        said = self.said(program, words)
        is_placeholder = any(PLACEHOLDER.fullmatch(word) and f"'{word}'" in said for word in words)
        if said.startswith("Error: Unknown option '" + UNKNOWN) or is_placeholder:
            return self.count(node, rest)
        # Prose may name a command without what must follow it, and without a file that is there.
        if (is_help or not is_whole) and not re.match(PARSERS, said):
            return self.count(node, rest)
        raise Wrong(said.removeprefix("Error: "))

    def said(self, program, words):
        """What the program complains of when it gets these words and an unknown option."""
        key = (program, *words)
        if key not in self.known:
            done = subprocess.run([self.check.program(program), *words, UNKNOWN], capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, timeout=30, check=False)
            self.known[key] = next((line for line in done.stderr.splitlines() if line.startswith("Error: ")),
                                   f"ended with {done.returncode}: {(done.stdout + done.stderr)[-200:]}")
        return self.known[key]

    def resolve(self, program, words):
        """The command that words name, and the words after it."""
        node = self.trees[program]
        for number, word in enumerate(words):
            found = [one for one in node.get("subcommands", []) if word in (one["commandName"], *one.get("aliases", []))]
            if not found:
                return node, words[number:]
            node = found[0]
        return node, []

    def count(self, node, rest):
        """Demands that no word stands where none is taken."""
        default = [one for one in node.get("subcommands", []) if one["commandName"] == node.get("defaultSubcommand")]
        node = default[0] if default else node
        taking, spots, is_endless = set(), 0, False
        for one in node.get("arguments", []):
            if one["kind"] == "option":
                taking.update(name_of(name) for name in one.get("names") or [])
            elif one["kind"] == "positional":
                spots, is_endless = spots + 1, is_endless or one.get("isRepeating", False)
        loose, words = [], iter(rest)
        for word in words:
            if word in taking:
                next(words, None)
            elif not word.startswith("-") or word == "-":
                loose.append(word)
        if len(loose) > spots and not is_endless:
            names = ", ".join(one["commandName"] for one in node.get("subcommands", []))
            raise Wrong(f"{node['commandName']} takes no {loose[spots]!r}" + (f"; it has {names}" if names else ""))

    def sentence(self, command):
        """Demands that a sentence's first words are a command, and the option behind them one of it."""
        if command.text.split()[0] in exceptions.SENTENCES:
            return
        *words, last = command.text.split()
        is_option = last.startswith("--")
        node, rest = self.resolve("roost", words if is_option else [*words, last])
        tree = self.trees["roost"]
        self.check.demand(node is not tree, f"{command.place}: there is no command of roost with this name")
        if is_option and not rest and words and words[0] not in HANDED_ON:
            self.check.demand(last in all_options(node), f"{command.place}: {node['commandName']} has no {last}")

    def systemctl(self, words):
        verbs = [word for word in words if not word.startswith("-")]
        for unit in [one for one in verbs[1:] if one not in exceptions.UNITS]:
            path = self.unit(unit)
            with open(path, encoding="utf-8") as file:
                if verbs[0] == "reload" and "\nExecReload=" not in file.read():
                    raise Wrong(f"{os.path.basename(path)} cannot be reloaded")

    def unit(self, name):
        """The file of a unit."""
        name = name if re.search(r"\.(service|socket|path)$", name) else name + ".service"
        if name not in self.units:
            raise Wrong(f"there is no unit {name}")
        return self.units[name]

    def form(self, form):
        """Demands that a text is another form of the command in its row."""
        words = split(form.command)[0]
        other = form.text.split()
        tries = [" ".join(map(shlex.quote, words[:number] + other)) for number in range(len(words), 0, -1)]
        faults = [self.fault(texts.Command(form.place, text, False)) for text in tries]
        self.check.demand(None in faults, f"{form.place}: `{form.text}` is no other form of `{form.command}`: {faults[0]}")

    def option(self, option):
        """Demands that an option in prose is one of a command that stands near it."""
        name = re.match(r"--[a-z0-9-]+", option.text)[0]
        if name in exceptions.OPTIONS:
            return
        near = [words for text in option.near for words in split(text)]
        is_known = any(name in self.options(words) for words in near) if near else \
            any(name in all_options(tree) for tree in self.trees.values()) or self.in_scripts(name)
        beside = ", ".join(dict.fromkeys(option.near)) or "no command"
        self.check.demand(is_known, f"{option.place}: `{option.text}` is no option of what stands near it ({beside})")

    def in_scripts(self, name):
        return any(name in self.options(["scripts/" + script]) for script in os.listdir(os.path.join(ROOT, "scripts")))

    def options(self, words):
        """The options of a command and of all below it."""
        name = os.path.basename(words[0])
        if words[0].startswith("scripts/"):
            with open(os.path.join(ROOT, words[0]), encoding="utf-8") as file:
                text = file.read() + (check_help(words) if words[0] == "scripts/check" else "")
            return set(re.findall(r"--[a-z][a-z-]*", text))
        if name not in PROGRAMS:
            return set()
        words = words[1:]
        if name == "roost" and words and words[0] in HANDED_ON:
            name, words = "roost-courier", HANDED_ON[words[0]] + words[1:]
        return all_options(self.resolve(name, words)[0]) | {"--help", "--version"}


def name_of(name):
    return ("--" if name["kind"] == "long" else "-") + name["name"]


def all_options(node):
    found = {name_of(name) for one in node.get("arguments", []) for name in one.get("names") or []}
    return found.union(*(all_options(one) for one in node.get("subcommands", [])))


def script(words, is_whole):
    """A script of this repository, with the options that it has; a check with its own."""
    path = os.path.join(ROOT, words[0])
    if not os.path.isfile(path):
        raise Wrong(f"there is no {words[0]}")
    if words[0] == "scripts/check" and len(words) > 1 and not words[1].startswith("-"):
        return a_check(words[1:], is_whole)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if words[0] == "scripts/demo":
        return None  # Its words are those of `roost demo`.
    for option in [word.split("=")[0] for word in words[1:] if word.startswith("--") and word != "--help"]:
        if not re.search(re.escape(option) + r"(?![a-z-])", text):
            raise Wrong(f"{words[0]} has no {option}")
    return None


def a_check(words, is_whole):
    """`scripts/check NAME …` by the check's own arguments."""
    from .. import main  # It loads the checks, of which one uses this module.
    chosen, *rest = words
    if chosen == "together" or PLACEHOLDER.fullmatch(chosen):
        return
    if chosen not in main.names():
        raise Wrong(f"there is no check {chosen}")
    parser = main.parser_of(chosen)
    parser.error = refuse
    is_open = getattr(main.load(chosen), "PASSES_OPTIONS", False)
    read = parser.parse_known_args if is_open else parser.parse_args
    try:
        read([word for word in rest if word != "--help" and not PLACEHOLDER.fullmatch(word)])
    except Wrong as wrong:
        if is_whole or "expected one argument" not in str(wrong):  # Prose may leave a value to the reader.
            raise


def refuse(message):
    """In place of argparse's own way, which ends the process."""
    raise Wrong(message)


def check_help(words):
    """What a check says of its options."""
    from .. import main
    return main.parser_of(words[1]).format_help() if words[1:2] and words[1] in main.names() else ""


def packages(words):
    """Names of our packages that there are."""
    known = {os.path.basename(path).removesuffix(".description")
             for path in glob.glob(os.path.join(ROOT, "packaging", "debian", "*.description"))}
    for word in words[1:]:
        if word.startswith("roost") and word not in known and "*" not in word:
            raise Wrong(f"there is no package {word}")
