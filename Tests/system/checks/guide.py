"""The commands in docs/guide run, and their output is written below them, or compared.

A page holds blocks of ```console. A line `$ COMMAND` in it, with lines `> MORE` after it, is one
command; all of a page run in one shell. What stands below a command is its output, and `[exit N]` the
last line when its exit status is not 0. A block ```screen COLUMNSxROWS holds one command for a terminal
of that size: it runs in tmux, its screen is taken, and `q` must end it.

A comment before a block, `<!-- guide: ... -->`, can say:
  until COMMAND   before the block, repeat this command in the shell until it ends with 0
  shows TEXT      wait until a screen shows this
  wait SECONDS    let a screen run so much longer before it is taken
  limit SECONDS   how long one command of the block may take (default: 60)
  any             the output differs between machines: check nothing but the exit status

The shell has a home and a /run of its own, and `sudo` in it runs the command as it is. Nothing
outside the build folder of this repository and a temporary folder is written.

  scripts/check guide              run all of docs/guide and compare exit statuses and shapes of outputs
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
from pathlib import Path

from ..check import ROOT, Failed

NEEDS = "tmux"
FENCE = re.compile(r"^```(console|screen (\d+)x(\d+))$")
NOTE = re.compile(r"^<!-- guide: (until|shows|wait|limit|any)(?: (.+))? -->$")
HOME = os.path.join("/", "home", "pi")  # In the page, for the folders of this machine.
LIMIT = 60  # Seconds for one command, unless the page says another number.
# Runs first, in a mount namespace of its own.
PRELUDE = """mount -t tmpfs guide /run || exit 1
exec bash --norc --noprofile"""


class TooSlow(Exception):
    """A command that did not end, or a state that did not come, in its time."""


class Shell:
    """One shell for a page: folders, variables and jobs last from one command to the next."""

    def __init__(self, home):
        self.home = home
        self.environment = {
            "HOME": home, "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TERM": "dumb",
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


class Page:
    def __init__(self, path, shell, is_check):
        self.path, self.shell, self.is_check = path, shell, is_check
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
        print(f"guide: {self.path.name}: {text.splitlines()[0]}", file=sys.stderr, flush=True)
        if until := notes.pop("until", None):
            self.shell.wait_until(until, limit)
        if fence[2]:
            size, wait = (int(fence[2]), int(fence[3])), int(notes.get("wait") or 0)
            output, status = self.shell.screen(text, size, notes.get("shows") or " ", wait, limit)
        else:
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


def play(check, path, is_check):
    home = check.path(path.stem)
    os.mkdir(home)
    os.symlink(ROOT, os.path.join(home, "roost"))
    shell = check.ends(Shell(home))
    page = Page(path, shell, is_check)
    try:
        text = page.play()
        if not is_check:
            path.write_text(text)
    except TooSlow as error:
        page.problems.append(str(error))
    except SyntaxError as error:
        raise Failed(str(error)) from None
    for problem in page.problems:
        check.demand(False, f"{path.name}: {problem}")


def arguments(parser):
    parser.add_argument("pages", nargs="*", type=Path, help="pages (all of docs/guide)")
    parser.add_argument("--write", action="store_true", help="write the output into the pages")


def obstacle(options):
    missing = [name for name in ("tmux", "unshare", "swift") if shutil.which(name) is None]
    return f"{', '.join(missing)} is missing: scripts/setup, apt install tmux util-linux" \
        if missing else None


def run(check, options):
    for path in options.pages or sorted(Path(ROOT, "docs", "guide").glob("*.md")):
        play(check, path.resolve(), not options.write)
