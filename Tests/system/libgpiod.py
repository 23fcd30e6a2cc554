"""libgpiod 2.x, which Debian 12 lacks, built into .build-libgpiod2. Fetched once, then offline.

The C sources come with the Python bindings on PyPI: gpiod 2.3.0 holds libgpiod 2.2.1, the version of
Debian 13.
"""

import glob
import hashlib
import os
import shutil
import subprocess
import tarfile

from .check import ROOT

BINDING = "2.3.0"
SHA256 = "daa840ed5b691e7078a9cf21c79fe813b9a91c3ed0bdbafae0181c7b98b80300"
PREFIX = os.path.join(ROOT, ".build-libgpiod2")
PKG_CONFIG_PATH = ":".join([os.path.join(PREFIX, "lib", "pkgconfig"),
                            *filter(None, [os.environ.get("PKG_CONFIG_PATH")])])
BY_HAND = (f"fetch gpiod-{BINDING}.tar.gz from PyPI on another machine and run: "
           f"scripts/check gpio 2 --sdist gpiod-{BINDING}.tar.gz")


class NotBuilt(Exception):
    """Why libgpiod 2.x cannot be built here, and what to do."""


def fetch():
    sdist = os.path.join(PREFIX, f"gpiod-{BINDING}.tar.gz")
    if os.path.exists(sdist):
        return sdist
    pip = shutil.which("pip") or shutil.which("pip3")
    if pip is None:
        raise NotBuilt(f"there is no pip. Install python3-pip, or {BY_HAND}")
    done = subprocess.run([pip, "download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest",
                           PREFIX, f"gpiod=={BINDING}"], capture_output=True, text=True, check=False)
    if done.returncode != 0 and not os.path.exists(sdist):
        raise NotBuilt(f"pip cannot fetch it: {done.stderr[-300:]}\nWithout a network, {BY_HAND}")
    return sdist


def build(sdist=None):
    """Returns the version, once it is built."""
    stamp = os.path.join(PREFIX, f"built-{BINDING}-1")
    if os.path.exists(stamp):
        with open(stamp, encoding="ascii") as file:
            return file.read().strip()
    source, library = os.path.join(PREFIX, "source"), os.path.join(PREFIX, "lib")
    for folder in (os.path.join(library, "pkgconfig"), os.path.join(PREFIX, "include")):
        os.makedirs(folder, exist_ok=True)
    sdist = sdist or fetch()
    with open(sdist, "rb") as file:
        if hashlib.sha256(file.read()).hexdigest() != SHA256:
            raise NotBuilt(f"{sdist} has another checksum; remove it and run this again")
    with tarfile.open(sdist) as archive:
        archive.extractall(source, filter="data") if hasattr(tarfile, "data_filter") else \
            archive.extractall(source)
    source = os.path.join(source, f"gpiod-{BINDING}")
    with open(os.path.join(source, "libgpiod-version.txt"), encoding="ascii") as file:
        version = file.read().strip()
    code = os.path.join(source, "lib")
    for path in glob.glob(os.path.join(code, "*.c")):
        subprocess.run(
            [os.environ.get("CC", "cc"), "-std=gnu11", "-O2", "-fPIC", "-D_GNU_SOURCE",
             f'-DGPIOD_VERSION_STR="{version}"', "-I../include", "-I.", "-c", path,
             "-o", path.removesuffix("c") + "o"], cwd=code, check=True)
    # Static, so that a program built with it needs no LD_LIBRARY_PATH; and by another name, as the
    # linker finds the installed libgpiod first.
    archive_path = os.path.join(library, "libgpiod-two.a")
    if os.path.exists(archive_path):
        os.remove(archive_path)
    subprocess.run(["ar", "rcs", archive_path, *glob.glob(os.path.join(code, "*.o"))], check=True)
    shutil.copy(os.path.join(source, "include", "gpiod.h"), os.path.join(PREFIX, "include"))
    with open(os.path.join(library, "pkgconfig", "libgpiod.pc"), "w", encoding="ascii") as file:
        file.write(f"Name: libgpiod\nDescription: GPIO lines of Linux\nVersion: {version}\n"
                   f"Libs: -L{library} -lgpiod-two\nCflags: -I{PREFIX}/include\n")
    with open(stamp, "w", encoding="ascii") as file:
        file.write(version + "\n")
    return version
