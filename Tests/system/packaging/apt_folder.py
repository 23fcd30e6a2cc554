"""apt in a clean root, and a signed folder of packages: installs, upgrades, and refuses what was changed."""

import functools
import http.server
import os
import re
import shutil
import subprocess
import threading

from ..check import ROOT, Failed
from .debian_root import DebianRoot
from .package_life import NAMES, bumped

KEYRING = "/usr/share/keyrings/roost.gpg"


class Handler(http.server.SimpleHTTPRequestHandler):
    """Sends a file as it is now, whatever the one that asks has: two of one second differ here."""

    def send_head(self):
        del self.headers["If-Modified-Since"]
        return super().send_head()

    def log_message(self, *_):
        """Says nothing."""


class Served:
    """A folder on a loopback port."""

    def __init__(self, check, folder):
        handler = functools.partial(Handler, directory=folder)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"
        check.ends(self)

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Signer:
    """A GnuPG key made for the check, and the folder that scripts/package makes with it."""

    def __init__(self, check):
        self.check, self.folder, self.debs = check, check.path("apt"), check.path("debs")
        self.home = check.path("gnupg")
        os.mkdir(self.home, 0o700)
        os.mkdir(self.debs)
        self.environment = {**os.environ, "GNUPGHOME": self.home}
        for name in ("roost", "stranger"):
            subprocess.run(["gpg", "--batch", "--quiet", "--passphrase", "", "--quick-generate-key",
                            f"{name}@example.org", "ed25519", "sign", "never"], env=self.environment, check=True,
                           capture_output=True)
        check.ends(self)

    def index(self, key="roost", status=0):
        words = [f"--key={key}@example.org"] if key else []
        done = subprocess.run([os.path.join(ROOT, "scripts", "package"), "--index", f"--output={self.debs}",
                               f"--repository={self.folder}", "--suite=trixie", *words],
                              env=self.environment, capture_output=True, text=True, check=False)
        self.check.same(done.returncode, status, f"scripts/package --index, key {key}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def close(self):
        subprocess.run(["gpgconf", "--kill", "all"], env=self.environment, capture_output=True, check=False)


class Apt:
    """apt in a clean root with one line of sources."""

    def __init__(self, check, key, archive, signer):
        self.check, self.suite = check, key[0]
        self.root = DebianRoot(check, *key, archive)
        self.served = Served(check, signer.folder)
        shutil.copy(os.path.join(signer.folder, "roost.gpg"), self.root.path(KEYRING))
        os.chmod(self.root.path(KEYRING), 0o644)
        self.root.write("/etc/apt/sources.list.d/roost.list",
                        f"deb [signed-by={KEYRING}] {self.served.address} {self.suite} main\n")

    def update(self, status=0, is_all=False):
        """Reads the folder's index; Debian's only for `is_all`, as its lists alone take a minute under qemu."""
        words = ["APT::Update::Error-Mode=any", "Acquire::Check-Valid-Until=false"]
        if not is_all:
            words += ["Dir::Etc::sourcelist=/etc/apt/sources.list.d/roost.list", "Dir::Etc::sourceparts=-",
                      "APT::Get::List-Cleanup=false"]
        return self.root.run("apt-get", "update", "-qq", *(part for word in words for part in ("-o", word)), status=status)

    def version(self, which="Installed"):
        said = self.root.run("apt-cache", "policy", "roost")
        return re.search(rf"{which}: (\S+)", said)[1]


def spoil(path, old, new):
    """Changes a file of the folder; what is changed back by a new index."""
    with open(path, "rb") as file:
        content = file.read()
    if old not in content:
        raise Failed(f"no {old!r} in {path}")
    with open(path, "wb") as file:
        file.write(content.replace(old, new, 1))


def refusals(check, signer, apt, where):
    """Each way to change the folder that apt must notice."""
    release = os.path.join(signer.folder, "dists", apt.suite)
    offered = apt.version("Candidate")

    def refused(what, words):
        said = apt.update(status=100)
        check.demand(re.search(words, said), f"{where}, {what}: apt says {said[-400:]}")
        check.same(apt.version("Candidate"), offered, f"{where}, {what}: what apt offers")
        signer.index()
        apt.update()

    spoil(os.path.join(release, "InRelease"), b"Origin: Roost", b"Origin: Boost")
    # By gpgv (Debian 12), or by sqv (13).
    refused("a changed index", "BADSIG|invalid|manipulated|not signed")
    signer.index(key="stranger")
    refused("an index of another key", "NO_PUBKEY|Missing key|not signed")
    signer.index(key=None)
    refused("an index without a signature", "not signed|no longer signed")
    # Of the same length, and still a list of packages: its hash alone differs.
    for name in ("Packages", "Packages.gz"):
        place = os.path.join(release, "main", "binary-" + apt.root.run("dpkg", "--print-architecture").strip(), name)
        spoil(place, b"Version", b"Wersion") if name == "Packages" else os.remove(place)
    # What has not changed by name and date is not fetched again.
    shutil.rmtree(apt.root.path("/var/lib/apt/lists"))
    said = apt.update(status=100)
    check.demand("Hash Sum mismatch" in said or "unexpected size" in said, f"{where}, a changed list: {said[-400:]}")
    signer.index()
    apt.update()
    said = signer.index(key="missing", status=1)
    check.demand("cannot sign" in said, f"{where}: a key that is not there: {said[-300:]}")
    apt.update()


def spoiled_package(check, signer, apt, where):
    """A package that is not the one of the index is not installed."""
    before = apt.version()
    name = next(name for name in os.listdir(os.path.join(signer.folder, "pool")) if name.startswith(f"roost_{before}_"))
    place = os.path.join(signer.folder, "pool", name)
    with open(place, "r+b") as file:
        file.seek(-100, os.SEEK_END)
        file.write(b"\0" * 50)
    apt.root.run("apt-get", "clean")
    said = apt.root.run("apt-get", "install", "--yes", "--quiet", "--reinstall", "roost", status=100)
    check.demand("Hash Sum mismatch" in said, f"{where}, a changed package: apt says {said[-400:]}")


def walk(check, key, packages, archive):
    """Installs from a signed folder, upgrades from it, and is refused whatever was changed."""
    signer, where = Signer(check), f"{' '.join(key)}, apt"
    for path in packages.values():
        shutil.copy(path, signer.debs)
    signer.index()
    apt = Apt(check, key, archive, signer)
    apt.update(is_all=True)
    apt.root.run("apt-get", "install", "--yes", "--quiet", "--no-install-recommends", *NAMES)
    first = apt.version()
    check.demand(first != "(none)", f"{where}: roost is not installed")
    for path in packages.values():
        shutil.copy(bumped(check, path), signer.debs)
    signer.index()
    apt.update()
    apt.root.run("apt-get", "upgrade", "--yes", "--quiet")
    check.same(apt.version(), first + ".1", f"{where}: the version after an upgrade")
    refusals(check, signer, apt, where)
    spoiled_package(check, signer, apt, where)
    apt.root.close()
    check.say(f"{where}: installed and upgraded from a signed folder; what was changed is refused")
