"""Every command and configuration of the documentation is right; those of a console run and are compared.

  commands  each command in the pages, in the programs' sentences and in their help: the program knows its words; also units,
            packages and options that a page names, other forms in a table, pages of the dashboard, addresses of its
            interface, links, and configurations. Nothing of it runs. What cannot be judged is listed in Tests/system/guide/exceptions.py, with the reason
  run       the pages of docs/guide with a console, below

A page holds blocks of ```console. A line `$ COMMAND` in it, with lines `> MORE` after it, is one
command; all of a page run in one shell. What stands below a command is its output, and `[exit N]` the
last line when its exit status is not 0. A block ```screen COLUMNSxROWS holds one command for a terminal
of that size: it runs in tmux, its screen is taken, and `q` must end it.

A comment before a block, `<!-- guide: ... -->`, can say:
  until COMMAND   before the block, repeat this command in the shell until it ends with 0
  shows TEXT      wait until a screen shows this
  wait SECONDS    with --write, run so much longer first, or let the screen run
  builds          builds the programs: left out with --binaries, as they are there
  limit SECONDS   how long one command of the block may take (default: 60)
  any             the output differs between machines: check nothing but the exit status

The shell has a home and a /run of its own, and `sudo` in it runs the command as it is. Nothing
outside the build folder of this repository and a temporary folder is written.

  scripts/check guide              all of it, with exit statuses and shapes of outputs compared
  scripts/check guide --write      write the output into the pages
"""

import json
import os
import re
import selectors
import shlex
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ..guide import commands as guide_commands
from ..guide import configurations as guide_configurations
from ..guide import names as guide_names
from ..guide import texts
from ..check import ROOT, Check, Failed, Skipped

PRODUCTS = guide_commands.PROGRAMS
NEEDS = "tmux"
DOCUMENTS = ("README.md", "SECURITY.md", "CONTRIBUTING.md", "docs/guide/**/*.md", "docs/reference/*.md",
             "docs/examples/*.md", "docs/developing/*.md")
WRONG = os.path.join(ROOT, "Tests", "system", "wrong_page.md")
SENTENCES = ("**/*.swift", "RoostWeb/www/strings/*.json", "RoostWeb/www/js/**/*.js")
FENCE = re.compile(r"^```(console|screen (\d+)x(\d+))$")
NOTE = re.compile(r"^<!-- guide: (until|shows|wait|limit|any|builds)(?: (.+))? -->$")
HOME = os.path.join("/", "home", "pi")  # In the page, for the folders of this machine.
LIMIT = 60  # Seconds for one command, unless the page says another number.
# Runs first, in a mount namespace of its own.
PRELUDE = """mount -t tmpfs guide /run || exit 1
exec bash --norc --noprofile"""


class TooSlow(Exception):
    """A command that did not end, or a state that did not come, in its time."""


class Shell:
    """One shell for a page: folders, variables and jobs last from one command to the next."""

    def __init__(self, home, binaries):
        self.home = home
        self.environment = {
            "HOME": home, "PATH": f"{binaries}:{os.environ['PATH']}", "LANG": "C.UTF-8", "TERM": "dumb",
            "NO_COLOR": "1", "COLUMNS": "80", "TZ": "Europe/Berlin",
        }
        alone = ["unshare", "--mount"] + ([] if os.geteuid() == 0 else ["--map-root-user"])
        self.process = subprocess.Popen(
            [*alone, "bash", "-c", PRELUDE], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, cwd=home, env=self.environment, start_new_session=True)
        self.waiter = selectors.DefaultSelector()
        self.waiter.register(self.process.stdout, selectors.EVENT_READ)
        self.run('sudo() { "$@"; }; set -P; export USER=$(id -un)', LIMIT)

    def run(self, command, limit):
        """The output of a command, and its exit status."""
        mark = f"--{os.getpid()}-{time.monotonic_ns()}--"
        text = f"{command}\nprintf '\\n%s%s\\n' {mark} $?\n"
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()
        output, deadline = b"", time.monotonic() + limit
        while True:
            found = re.search(rb"\n" + mark.encode() + rb"(\d+)\n", output)
            if found:
                return self.clean(output[:found.start()].decode(errors="replace")), int(found[1])
            if not self.waiter.select(max(0, deadline - time.monotonic())):
                text = self.clean(output.decode(errors="replace"))
                raise TooSlow(f"`{command}` did not end within {limit} s; it printed:\n{text}")
            more = os.read(self.process.stdout.fileno(), 65536)
            if not more:
                raise TooSlow(f"`{command}` ended the shell; it printed:\n{output.decode()}")
            output += more

    def wait_until(self, command, limit):
        deadline = time.monotonic() + limit
        while True:
            output, status = self.run(command, limit)
            if status == 0:
                return
            if time.monotonic() > deadline:
                raise TooSlow(f"`{command}` still ended with {status} after {limit} s:\n{output}")
            time.sleep(0.5)

    def screen(self, command, size, text, seconds, limit):
        """What a terminal shows some seconds after this text, and how the command ended."""
        tmux = f"tmux -L guide-{os.getpid()}"
        ended = os.path.join(self.home, ".ended")
        script = os.path.join(self.home, ".screen")
        Path(script).write_text(f"{command}\necho $? >{ended}\n")
        environment = "env -u COLUMNS -u NO_COLOR TERM=xterm-256color"
        self.run(f"{environment} {tmux} new-session -d -x {size[0]} -y {size[1]} bash {script}", limit)
        try:
            self.wait_until(f"{tmux} capture-pane -p | grep -qF {shlex.quote(text)}", limit)
            time.sleep(seconds)
            text, _ = self.run(f"{tmux} capture-pane -p", limit)
            self.run(f"{tmux} send-keys q", limit)
            try:
                self.wait_until(f"test -s {ended}", 10)
            except TooSlow:
                raise TooSlow(f"`{command}` did not end within 10 s of the key q; "
                              f"it showed:\n{text}") from None
            return text, int(Path(ended).read_text())
        finally:
            self.run(f"{tmux} kill-server 2>/dev/null; rm -f {ended} {script}", limit)

    def clean(self, text):
        text = text.replace(self.home, HOME).replace(ROOT, os.path.join(HOME, "roost"))
        text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
        # What bash says of a job that a signal ended; a shell with a prompt says it otherwise.
        text = re.sub(r"^bash: line \d+: +\d+ (Killed|Terminated) .*\n?", "", text, flags=re.M)
        return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")

    def close(self):
        """Ends what the page left running."""
        self.process.stdin.close()
        try:
            os.killpg(self.process.pid, signal.SIGTERM)
            self.process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def shape(text):
    """The first word of each line; a number is a number, and what repeats itself counts once."""
    words = []
    for line in text.splitlines():
        first = line.split(maxsplit=1)[0] if line.strip() else ""
        if first.startswith("{"):
            try:
                first = "{" + " ".join(sorted(json.loads(line)))
            except ValueError:
                pass
        first = re.sub(r"^\d.*", "#", first)
        if first and words[-1:] != [first]:
            words.append(first)
    return words


class Run:
    """One run of a page's consoles."""

    def __init__(self, path, shell, is_check, is_built):
        self.path, self.shell, self.is_check, self.is_built = path, shell, is_check, is_built
        self.lines, self.result, self.problems = path.read_text().splitlines(), [], []

    def play(self):
        notes, lines = {}, iter(self.lines)
        for line in lines:
            self.result.append(line)
            note, fence = NOTE.match(line), FENCE.match(line)
            if note:
                notes[note[1]] = note[2]
            elif line.startswith("<!-- guide"):
                raise SyntaxError(f"{self.path}: not understood: {line}")
            if fence:
                for command, old in self.commands(lines):
                    if self.is_built and "builds" in notes:
                        self.result += command + old
                    else:
                        self.one(command, old, fence, notes)
                self.result.append("```")
            if fence or line.startswith("#"):
                notes = {}
        return "\n".join(self.result) + "\n"

    def commands(self, lines):
        """The commands of a block and what stands below each."""
        found = []
        for line in lines:
            if line == "```":
                return found
            if line.startswith("$ "):
                found.append(([line], []))
            elif found and line.startswith("> ") and not found[-1][1]:
                found[-1][0].append(line)
            elif found:
                found[-1][1].append(line)
            else:
                raise SyntaxError(f"{self.path}: a block begins with `$ COMMAND`, not: {line}")
        raise SyntaxError(f"{self.path}: a block has no end")

    def one(self, command, old, fence, notes):
        text, limit = "\n".join(line[2:] for line in command), int(notes.get("limit") or LIMIT)
        wait = 0 if self.is_check else int(notes.get("wait") or 0)
        print(f"guide: {self.path.name}: {text.splitlines()[0]}", file=sys.stderr, flush=True)
        if until := notes.pop("until", None):
            self.shell.wait_until(until, limit)
        if fence[2]:
            size = int(fence[2]), int(fence[3])
            # The script builds, and then runs this.
            shown = text.replace("scripts/demo", "roost demo") if self.is_built else text
            output, status = self.shell.screen(shown, size, notes.get("shows") or " ", wait, limit)
        else:
            time.sleep(wait)
            notes.pop("wait", None)
            output, status = self.shell.run(text, limit)
        ended = re.fullmatch(r"\[exit (\d+)\]", old[-1]) if old else None
        expected = int(ended[1]) if ended else 0
        if ended:
            old = old[:-1]
        if status != expected:
            self.problems.append(
                f"`{text}` ended with {status}, the page says {expected}; it printed:\n{output}")
        elif self.is_check and "any" not in notes and shape(output) != shape("\n".join(old)):
            self.problems.append(
                f"`{text}` printed {shape(output)}, the page shows {shape(chr(10).join(old))}")
        self.result += command + output.splitlines()
        if status != 0:
            self.result.append(f"[exit {status}]")


def play(check, path, options):
    home = check.path(path.stem)
    os.mkdir(home)
    os.symlink(ROOT, os.path.join(home, "roost"))
    shell = check.ends(Shell(home, check.binaries))
    page = Run(path, shell, not options.write, bool(options.binaries))
    try:
        text = page.play()
        if options.write:
            path.write_text(text)
    except TooSlow as error:
        page.problems.append(str(error))
    except SyntaxError as error:
        raise Failed(str(error)) from None
    for problem in page.problems:
        check.demand(False, f"{path.name}: {problem}")


def documents():
    for pattern in DOCUMENTS:
        yield from sorted(Path(ROOT).glob(pattern))


def judge(check, paths):
    """The part `commands`."""
    pages, judge = [texts.Page(path) for path in paths], guide_commands.Judge(check)
    demand_complaints(check, judge)
    commands = []
    for path in sorted(Path(ROOT, "Sources").glob("**/*.swift")):
        commands += texts.in_source(path)
    for program, tree in judge.trees.items():
        commands += texts.examples(program, tree)
    judge.judge(commands)
    options, configurations = judge_pages(check, judge, pages)
    places = [path for kind in SENTENCES for path in sorted(Path(ROOT, "Sources").glob(kind))]
    for command in [one for path in places for one in texts.in_sentences(path)]:
        judge.sentence(command)
    commands += [one for page in pages for one in page.commands]
    check.say(f"{len(commands)} commands, {options} options and {configurations} configurations looked at")


def judge_pages(check, judge, pages):
    """The numbers of options and configurations."""
    configurations = guide_configurations.Configurations(check)
    judge.judge([one for page in pages for one in page.commands])
    for page in pages:
        for fault in page.faults:
            check.demand(False, fault)
        for form in page.forms:
            judge.form(form)
        for option in page.options:
            judge.option(option)
        configurations.judge(page)
    guide_names.judge(check, pages)
    return sum(len(page.options) for page in pages), configurations.count


def demand_complaints(check, judge):
    """Demands that each mistake of a page full of them is found, by the line or block that it is in."""
    page, other = texts.Page(WRONG), Check(check.name, check.path("wrong"), check.binaries)
    os.mkdir(other.folder)
    judge.check = other
    judge_pages(other, judge, [page])
    judge.check = check
    found = {re.match(r"[^ ]*?:(\d+)", problem)[1] for problem in other.problems}
    blocks = {number: block for block in page.blocks for number in block.lines}
    for number, line in enumerate(page.lines, 1):
        if "✗" in line and number > 2:
            place = number if blocks.get(number) is None or blocks[number].language == "sh" else blocks[number].lines[0] - 1
            check.demand(str(place) in found, f"the mistake in {page.place(number)} is not found: {line}")


def arguments(parser):
    parser.add_argument("pages", nargs="*", type=Path, help="pages (all)")
    parser.add_argument("--only", choices=("commands", "run"), help="one part alone")
    parser.add_argument("--write", action="store_true", help="write the output into the pages")


def run(check, options):
    paths = [path.resolve() for path in options.pages or documents()]
    with ThreadPoolExecutor() as pool:  # A console waits for its station most of the time.
        judging = pool.submit(judge, check, paths) if options.only != "run" and not options.write else None
        if options.only != "commands":
            consoles(check, options, paths)
        if judging:
            judging.result()


def consoles(check, options, paths):
    """The part `run`."""
    if missing := [name for name in ("tmux", "unshare") if shutil.which(name) is None]:
        raise Skipped(f"run: {', '.join(missing)} is missing: apt install tmux util-linux")
    for path in paths:
        if re.search(r"^```(console|screen )", path.read_text(), re.M):
            play(check, path, options)
