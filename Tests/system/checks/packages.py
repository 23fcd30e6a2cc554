"""The Debian packages in clean roots: install, upgrade, disable, remove, install again, purge.

  sudo scripts/check packages --folder .build-packages [--suite trixie --arch arm64]

For each suite and architecture that has packages in the folder: what is installed starts and belongs to whom it should,
units are enabled, an upgrade keeps a changed configuration and what was disabled, a removal keeps history and
configuration, a purge leaves nothing. lintian finds no error. Needs root, mmdebstrap and lintian, a mirror, and for
another architecture qemu-user-static with binfmt; the clean roots are kept in the folder.
"""

import glob
import os
import re
import shutil
import subprocess

from ..check import Failed, Skipped
from ..debian_root import DebianRoot, need

NAMES = ("roost", "roost-web", "roost-courier")
UNITS = ("multi-user.target.wants/roostd.service", "sockets.target.wants/roost-web.socket",
         "multi-user.target.wants/roost-courier.path", "multi-user.target.wants/roost-courier.service")
SUITES = {"deb12": "bookworm", "deb13": "trixie"}
OWNERS_CONFIGURATION = '{\n  "name": "mine",\n  "store": {}\n}\n'


def arguments(parser):
    parser.add_argument("--packages", default=".build-packages", help="folder of the packages (.build-packages)")
    parser.add_argument("--suite", choices=("bookworm", "trixie"), help="this suite alone")
    parser.add_argument("--arch", choices=("amd64", "arm64"), help="this architecture alone")


def newest(folder):
    """The newest package of each name, by suite and architecture."""
    found = {}
    for path in sorted(glob.glob(os.path.join(folder, "*.deb")), key=os.path.getmtime):
        parts = re.fullmatch(r"(roost[a-z-]*)_(.*~(deb1[23]))_(amd64|arm64)\.deb", os.path.basename(path))
        if parts:
            found.setdefault((SUITES[parts[3]], parts[4]), {})[parts[1]] = path
    return found


def bumped(check, path):
    """The same package with a higher version and another default configuration."""
    folder = check.path("bumped")
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(["dpkg-deb", "--raw-extract", path, folder], check=True)
    control = os.path.join(folder, "DEBIAN", "control")
    with open(control, encoding="utf-8") as file:
        text = file.read()
    # Packages of one version need each other.
    text = re.sub(r"^Version: (.*)$", r"Version: \1.1", text, flags=re.MULTILINE)
    text = re.sub(r"(roost(?:-swift)?) \(= (.*?)\)", r"\1 (= \2.1)", text)
    with open(control, "w", encoding="utf-8") as file:
        file.write(text)
    default = os.path.join(folder, "etc/roost/roost.json")
    if os.path.exists(default):
        with open(default, "a", encoding="utf-8") as file:
            file.write("\n")
    target = check.path("next-" + os.path.basename(path))
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", folder, target], check=True,
                   stdout=subprocess.DEVNULL)
    return target


def installed(check, root, where):
    """What stands after an installation."""
    for program in ("roost", "roostd", "roost-web", "roost-courier"):
        said = root.run(f"/usr/bin/{program}", "--version")
        check.demand(re.search(r"\d+\.\d+\.\d+", said), f"{where}: {program} --version says {said}")
    for unit in UNITS:
        check.demand(root.has(f"/etc/systemd/system/{unit}"), f"{where}: {unit} is not enabled")
    for user in ("roost", "roost-web", "roost-courier"):
        check.demand(re.search(rf"^{user}:", root.read("/etc/passwd"), re.MULTILINE), f"{where}: no user {user}")
    owners = root.run("stat", "-c", "%n %U:%G %a", "/var/lib/roost", "/etc/roost", "/etc/roost/secrets").split("\n")
    check.same(owners[:3], ["/var/lib/roost roost:roost 750", "/etc/roost root:root 755",
                            "/etc/roost/secrets roost-courier:roost-courier 700"], f"{where}: owners")
    said = root.run("/usr/bin/roostd", "--config", "/etc/roost/roost.json", "--check")
    check.demand("roost.json" in said or said.strip(), f"{where}: --check says nothing")


def life(check, suite, arch, packages, archive):
    root = DebianRoot(check, suite, arch, archive)
    where = f"{suite} {arch}"
    root.run("apt-get", "update", "-qq", "-o", "Acquire::Check-Valid-Until=false")
    # What the packages need is there before, so that a purge can be compared.
    names = [name for name in (*NAMES, "roost-swift") if name in packages]
    files = [packages[name] for name in names]
    needed = set()
    for file in files:
        depends = subprocess.check_output(["dpkg-deb", "--field", file, "Depends"], text=True)
        needed.update(re.findall(r"(?:^|, )(?!roost)([a-z0-9.+-]+)", depends))
    root.run("apt-get", "install", "--yes", "--quiet", "--no-install-recommends", *sorted(needed))
    before = root.files()
    root.install(*files)
    installed(check, root, f"{where}, installed")
    root.write("/etc/roost/roost.json", OWNERS_CONFIGURATION)
    root.write("/var/lib/roost/history.db", "history")
    root.run("systemctl", "disable", "--quiet", "roost-web.socket")
    root.install(*(bumped(check, file) for file in files))
    check.same(root.read("/etc/roost/roost.json"), OWNERS_CONFIGURATION, f"{where}: a changed configuration after an upgrade")
    check.demand(not root.has(f"/etc/systemd/system/{UNITS[1]}"), f"{where}: what was disabled is enabled by an upgrade")
    check.demand(root.has(f"/etc/systemd/system/{UNITS[0]}"), f"{where}: roostd is not enabled after an upgrade")
    root.run("apt-get", "remove", "--yes", "--quiet", *names)
    check.demand(not root.has("/usr/bin/roostd"), f"{where}: the daemon is there after a removal")
    check.same((root.read("/var/lib/roost/history.db"), root.read("/etc/roost/roost.json")),
               ("history", OWNERS_CONFIGURATION), f"{where}: history and configuration after a removal")
    root.install(*files)
    check.same(root.read("/var/lib/roost/history.db"), "history", f"{where}: the history after a new installation")
    check.demand(root.has(f"/etc/systemd/system/{UNITS[0]}"), f"{where}: roostd is not enabled after a new installation")
    root.run("apt-get", "purge", "--yes", "--quiet", *names)
    check.same(sorted(root.files() - before), [], f"{where}: left after a purge")
    root.close()
    check.say(f"{where}: installed, upgraded, disabled, removed, installed again, purged")


def lint(check, path):
    done = subprocess.run(["lintian", "--fail-on", "error", "--no-cfg", path], capture_output=True, text=True, check=False)
    errors = [line for line in done.stdout.splitlines() if line.startswith("E:")]
    check.same(errors, [], f"lintian on {os.path.basename(path)}")
    return sum(line.startswith("W:") for line in done.stdout.splitlines())


def run(check, options):
    need("mmdebstrap", "dpkg-deb", "lintian")
    folder = os.path.realpath(options.packages)
    found = {key: packages for key, packages in newest(folder).items()
             if options.suite in (None, key[0]) and options.arch in (None, key[1])}
    if not found:
        raise Skipped(f"no packages in {folder}: scripts/package makes them")
    for (suite, arch), packages in sorted(found.items()):
        missing = [name for name in (*NAMES, "roost-lab") if name not in packages]
        if missing:
            raise Failed(f"{suite} {arch}: no package {' '.join(missing)}")
        warnings = sum(lint(check, path) for path in packages.values())
        check.say(f"{suite} {arch}: lintian has no error, {warnings} warnings")
        life(check, suite, arch, packages, os.path.join(folder, f"root-{suite}-{arch}.tar"))
