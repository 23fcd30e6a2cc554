"""Stand-ins for the kernel that a check puts into a program (LD_PRELOAD), made of `Tests/Support/NAME-standin.c`."""

import os
import subprocess

from .check import ROOT


def build(name):
    """Builds one; returns its path."""
    path = os.path.join(ROOT, f".build-{name}-standin", f"{name}-standin.so")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    # Under another name first: a program of another check may be starting with it.
    fresh = f"{path}.{os.getpid()}"
    subprocess.run(
        [os.environ.get("CC", "cc"), "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", fresh,
         os.path.join(ROOT, "Tests", "Support", f"{name}-standin.c"), "-ldl", "-lpthread"], check=True)
    os.replace(fresh, path)
    return path


def preload(name):
    """LD_PRELOAD with a stand-in, beside what the check itself was started with (scripts/at)."""
    return ":".join(filter(None, (build(name), os.environ.get("LD_PRELOAD"))))
