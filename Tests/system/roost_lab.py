"""Checks that are one command of `roost-lab`: they hand their options on."""

import subprocess

from .check import Failed


def run(check, *words):
    """Runs a command of roost-lab; its exit status is the result."""
    words = [word for word in words if word != "--"]
    done = subprocess.run([check.program("roost-lab"), *words], check=False)
    if done.returncode != 0:
        raise Failed(f"roost-lab {' '.join(words)} ended with status {done.returncode}")
