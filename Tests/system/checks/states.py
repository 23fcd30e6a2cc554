"""The store is opened in 10 000 random states of its folder, also on a full file system.

Root plays the states twice on a file system that gets full, the second time as a user without rights;
any other user plays them once, without a full file system.

  scripts/check states --seed 3 --from 17 --count 1
  scripts/check states -- --help     all options; they go to `roost-lab states`
"""

import os
import subprocess

PRODUCTS = ("roost-lab",)
BUILD = "release"
PASSES_OPTIONS = True
USER = "65534"  # nobody


def play(check, *words, before=()):
    """Plays states; a crash of the program is a failure of the state that was being played."""
    note = check.path("small.note")
    done = subprocess.run(
        [*before, check.program("roost-lab"), "states", "--root", check.path("small"),
         "--note-in", note, *words], check=False)
    place = ""
    if done.returncode < 0:
        with open(note, encoding="utf-8") as file:
            place = f" in state {file.read().strip()}"
    check.demand(done.returncode == 0, f"roost-lab states ended with {done.returncode}{place}")


class SmallDisk:
    """A file system of 24 MiB: the store, what is set aside, and little more."""

    def __init__(self, path):
        self.path = path
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m,mode=755", "tmpfs", path], check=True)

    def close(self):
        subprocess.run(["umount", self.path], check=True)


def run(check, options):
    small, note = check.path("small"), check.path("small.note")
    os.mkdir(small)
    words = [word for word in options.rest if word != "--"]
    if os.geteuid() != 0 or "--help" in words:
        return play(check, *words)
    check.ends(SmallDisk(small))
    play(check, "--fills", *words)
    open(note, "a", encoding="utf-8").close()
    for path in (small, note):
        os.chown(path, int(USER), -1)
    play(check, "--fills", *words,
         before=("setpriv", "--reuid", USER, "--regid", USER, "--clear-groups"))
    return None
