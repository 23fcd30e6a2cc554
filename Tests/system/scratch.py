"""A scratch copy of the sources, in which tests are built and run."""

import os
import signal
import subprocess

from .check import ROOT

BUILD = ["swift", "build", "--product", "roostPackageTests"]


def write_if_changed(path, data):
    if os.path.isfile(path) and not os.path.islink(path):
        with open(path, "rb") as file:
            if file.read() == data:
                return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def synchronise(work):
    """Makes the copy like the project; only what differs is written, so that builds are short."""
    listed = subprocess.check_output(
        ["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"])
    names = {name.decode() for name in listed.split(b"\0") if name}
    for name in names:
        source, target = os.path.join(ROOT, name), os.path.join(work, name)
        if os.path.islink(source):
            if not os.path.islink(target):
                os.makedirs(os.path.dirname(target), exist_ok=True)
                os.symlink(os.readlink(source), target)
        elif os.path.isfile(source):
            with open(source, "rb") as file:
                write_if_changed(target, file.read())
            os.chmod(target, os.stat(source).st_mode & 0o777)
    for folder in ("Sources", "Tests", "Benchmarks"):
        for place, _, files in os.walk(os.path.join(work, folder)):
            for file in files:
                path = os.path.join(place, file)
                if os.path.relpath(path, work) not in names and "__pycache__" not in path:
                    os.remove(path)


def family(number):
    """A process and all below it: `swift test` puts the tests into a group of their own."""
    found = [number]
    for task in os.listdir(f"/proc/{number}/task"):
        with open(f"/proc/{number}/task/{task}/children", encoding="ascii") as file:
            for child in file.read().split():
                found += family(int(child))
    return found


def execute(work, command, limit):
    """Exit status and output; the status is None when it hung."""
    process = subprocess.Popen(
        command, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace", start_new_session=True)
    try:
        text, _ = process.communicate(timeout=limit)
        return process.returncode, text
    except subprocess.TimeoutExpired:
        for number in reversed(family(process.pid)):
            try:
                os.kill(number, signal.SIGKILL)
            except ProcessLookupError:
                pass
        text, _ = process.communicate()
        return None, text


def build(work):
    status, text = execute(work, BUILD, 3600)
    return status == 0, text
