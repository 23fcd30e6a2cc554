"""The Debian packages in clean roots: install, upgrade, disable, remove, install again, purge; apt from a signed folder.

  sudo scripts/check packages [--suite trixie] [--arch arm64] [--write]

For each suite and architecture that has packages in the folder: they hold what they should, lintian finds no error, and
made again of the same programs they are the same bytes. In a clean root what is installed starts and belongs to the
right users, units are enabled, an upgrade keeps a changed configuration, what was disabled and a store that is open, a
removal keeps history and configuration, a purge leaves nothing. Then apt installs and upgrades from a signed folder, and
refuses it when it was changed; and packages of this machine's own architecture live under a systemd in a container, where
their units start, restart and end. What was found is kept in the folder, with the clean roots, as long as its packages are
the same; `--write` puts all of it into docs/measurements/packages.md. Needs root, mmdebstrap, lintian, apt-utils and gpg, a
mirror, and for another architecture qemu-user-static with binfmt.
"""

import glob
import hashlib
import os
import platform
import re
import shutil
import subprocess

from ..packaging import apt_folder, package_table
from ..booted_life import BootedLife
from ..check import ROOT, Failed, Skipped
from ..packaging.debian_root import need
from ..packaging.package_life import NAMES, Life

MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
SUITES = {"deb12": "bookworm", "deb13": "trixie"}
PARTS = ("contents", "again", "life", "apt", "booted")
# Bytes installed and to fetch, without roost-lab. The first is the budget of a Pi's card; programs for PCs are 14 % larger, and
# their bound is what was measured.
BUDGETS = {"arm64": (60e6, 16e6), "amd64": (66e6, 16.5e6)}
# What each package must hold, besides what its name is made of.
CONTENTS = {
    "roost": ("usr/bin/roost", "usr/bin/roostd", "usr/lib/systemd/system/roostd.service", "usr/lib/sysusers.d/roost.conf",
              "usr/lib/systemd/system/roost-power-off.path", "usr/lib/systemd/system/roost-power-off.service",
              "usr/lib/systemd/system/roost-bus.path", "usr/lib/systemd/system/roost-bus.service",
              "usr/lib/tmpfiles.d/roost.conf", "usr/lib/modules-load.d/roost.conf", "usr/share/man/man1/roost.1.gz",
              "usr/lib/NetworkManager/dispatcher.d/40-roost-time",
              "usr/share/man/man8/roostd.8.gz", "usr/share/bash-completion/completions/roost",
              "usr/share/zsh/vendor-completions/_roost", "usr/share/fish/vendor_completions.d/roost.fish",
              "usr/share/roost/profile.schema.json", "etc/roost/roost.json", "usr/share/doc/roost/examples/balcony.json"),
    "roost-web": ("usr/bin/roost-web", "usr/share/man/man8/roost-web.8.gz", "usr/lib/systemd/system/roost-web.service",
                  "usr/lib/systemd/system/roost-web.socket", "usr/share/roost/web/index.html",
                  "usr/share/roost/web/js/roost.js", "usr/share/roost/web/js/roost.js.gz", "usr/share/roost/web/js/later.js",
                  "usr/share/roost/web/css/roost.css.gz"),
    "roost-courier": ("usr/bin/roost-courier", "usr/share/man/man8/roost-courier.8.gz",
                      "usr/lib/systemd/system/roost-courier.service", "usr/lib/systemd/system/roost-courier.path"),
    "roost-eyes": ("usr/bin/roost-eyes", "usr/share/man/man8/roost-eyes.8.gz",
                   "usr/lib/systemd/system/roost-eyes.service", "usr/lib/systemd/system/roost-eyes.path"),
    "roost-lab": ("usr/bin/roost-lab", "usr/share/man/man1/roost-lab.1.gz", "usr/share/roost/scenario.schema.json"),
    "roost-swift": ("usr/lib/roost/libswiftCore.so",),
}


def arguments(parser):
    parser.add_argument("--packages", default=".build-packages", help="folder of the packages (.build-packages)")
    parser.add_argument("--suite", choices=("bookworm", "trixie"), help="this suite alone")
    parser.add_argument("--arch", choices=("amd64", "arm64"), help="this architecture alone")
    parser.add_argument("--only", choices=PARTS, action="append", help="this part alone")
    parser.add_argument("--write", action="store_true", help="write docs/measurements/packages.md")


def newest(folder):
    """The newest package of each name, by suite and architecture."""
    found = {}
    for path in sorted(glob.glob(os.path.join(folder, "*.deb")), key=os.path.getmtime):
        parts = re.fullmatch(r"(roost[a-z-]*)_(.*~(deb1[23]))_(amd64|arm64)\.deb", os.path.basename(path))
        if parts:
            found.setdefault((SUITES[parts[3]], parts[4]), {})[parts[1]] = path
    return found


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def lint(check, path):
    """The numbers of lintian's errors and warnings; an error is a failure."""
    done = subprocess.run(["lintian", "--fail-on", "error", "--no-cfg", "--allow-root", path], capture_output=True, text=True,
                          check=False)
    errors = [line for line in done.stdout.splitlines() if line.startswith("E:")]
    check.same(errors, [], f"lintian on {os.path.basename(path)}")
    check.demand(done.returncode in (0, 2), f"lintian ended with {done.returncode}: {done.stderr[-300:]}")
    warnings = [line for line in done.stdout.splitlines() if line.startswith("W:")]
    for line in warnings:
        check.say(line)
    return len(errors), len(warnings)


def contents(check, packages):
    """What must be inside is inside, belongs to root, and no user may write it."""
    rules = [f"usr/lib/udev/rules.d/{os.path.basename(path)}" for place in ("udev-rules", "packaging/systemd")
             for path in glob.glob(os.path.join(ROOT, place, "*.rules"))]
    for name, path in packages.items():
        said = subprocess.check_output(["dpkg-deb", "--contents", path], text=True).splitlines()
        files = {}
        for line in said:
            mode, owner, _, _, _, place = line.split(None, 5)
            if place == "./":
                continue
            files[place.split(" -> ")[0].removeprefix("./")] = mode
            check.same(owner, "root/root", f"{name}: owner of {place}")
            check.demand("w" not in mode[4:], f"{name}: {place} is {mode}")
        wanted = CONTENTS[name] + (tuple(rules) if name == "roost" else ())
        check.same([place for place in wanted if place not in files], [], f"{name} lacks")
        # A browser asks for the joined files alone, and for the map's, which runs in a frame of its own.
        parts = [place for place in files if re.search(r"web/(js|css)/(?!roost\.|map\.js)[^/]", place)]
        check.same(parts, [], f"{name}: files of the dashboard that are in the joined ones")
        odd = [place for place in files if not place.endswith("/") and not place.startswith(("usr/", "etc/roost/"))]
        check.same(odd, [], f"{name} has")


def again(check, key, packages):
    """Made twice more, with other surroundings, of the programs that this machine has; whether the bytes are the same."""
    suite, arch = key
    mark = "" if arch == "arm64" else "-amd64"
    places = [f".build-cross/{suite}{mark}-shared/release", f".build-cross/{suite}{mark}/release"]
    places += [".build-static/release"] if arch == "amd64" else []
    found = [place for place in places if os.path.exists(os.path.join(ROOT, place, "roostd"))]
    if not found:
        check.say(f"{suite} {arch}: not made again, as the programs are not here")
        return None
    made = []
    surroundings = ({"TZ": "Pacific/Auckland", "LC_ALL": "C", "HOME": "/"}, {"TZ": "America/New_York", "LANG": "de_DE.UTF-8"})
    for number, (variables, mask) in enumerate(zip(surroundings, ("077", "002"))):
        folder = check.path(f"again-{suite}-{arch}-{number}")
        words = [os.path.join(ROOT, "scripts", "package"), f"--suite={suite}", f"--arch={arch}", f"--output={folder}",
                 f"--binaries={os.path.join(ROOT, found[0])}"]
        # One processor for the second: xz shares its work among those that there are.
        few = [] if number == 0 else ["taskset", "--cpu-list", "0"]
        done = subprocess.run(["sh", "-c", f'umask {mask}; exec "$@"', "sh", *few, *words], capture_output=True, text=True,
                              env={**os.environ, **variables}, check=False, cwd=check.folder)
        if done.returncode != 0:
            raise Failed(f"scripts/package: {done.stdout[-300:]}{done.stderr[-600:]}")
        made.append({name: digest(path) for name, path in newest(folder)[key].items()})
    check.same(made[1], made[0], f"{suite} {arch}: packages made twice")
    here = {name: digest(path) for name, path in packages.items()}
    check.say(f"{suite} {arch}: made twice more, the same bytes; those in the folder are "
              + ("the same" if here == made[0] else "of another commit or other programs"))
    return made[0] == made[1]


def sizes(check, key, packages):
    """Bytes to fetch and on the card, without the lab."""
    station = [path for name, path in packages.items() if name != "roost-lab"]
    download = sum(os.path.getsize(path) for path in station)
    placed = sum(int(subprocess.check_output(["dpkg-deb", "--field", path, "Installed-Size"], text=True)) for path in station)
    installed = placed * 1024
    check.say(f"{' '.join(key)}: {download / 1e6:.1f} MB to fetch, {installed / 1e6:.1f} MB installed")
    budget = BUDGETS[key[1]]
    check.demand(installed <= budget[0], f"{' '.join(key)}: {installed / 1e6:.1f} MB installed, over the budget")
    check.demand(download <= budget[1], f"{' '.join(key)}: {download / 1e6:.1f} MB to fetch, over the budget")
    return download, installed


def hashed(packages):
    """Path and hash of each package by its name."""
    return {name: (path, digest(path)) for name, path in packages.items()}


def examine(check, key, packages, folder, parts):
    """All parts for one suite and architecture; what the table says of it is kept after each."""
    suite, arch = key
    row = package_table.Row.known(key, hashed(packages), folder)
    archive = os.path.join(folder, f"root-{suite}-{arch}.tar")
    if "contents" in parts:
        contents(check, packages)
        found = [lint(check, path) for path in packages.values()]
        row.errors, row.warnings = (sum(numbers) for numbers in zip(*found))
        check.say(f"{suite} {arch}: contents looked at; lintian: {row.errors} errors, {row.warnings} warnings")
        row.download, row.installed = sizes(check, key, packages)
        row.keep(folder)
    if "again" in parts:
        row.is_reproducible = again(check, key, packages)
        row.keep(folder)
    if "life" in parts:
        life = Life(check, key, packages, archive)
        keep_steps(row, folder, package_table.STEPS, life)
    if "apt" in parts:
        count, row.is_served = len(check.problems), False
        row.keep(folder)
        apt_folder.walk(check, key, packages, archive)
        row.is_served = len(check.problems) == count
        row.keep(folder)
    if "booted" in parts:
        if platform.machine() == MACHINES[arch] and shutil.which("systemd-nspawn"):
            life = BootedLife(check, key, packages, archive)
            keep_steps(row, folder, package_table.BOOTED_STEPS, life)
        else:
            check.say(f"{suite} {arch}: not booted: needs a machine of this architecture, and systemd-container")


def keep_steps(row, folder, names, life):
    """Lives a life through, and keeps how far it came also when it ends early."""
    row.steps = {name: went for name, went in row.steps.items() if name not in names}
    try:
        life.live()
    finally:
        row.steps.update(life.steps)
        row.memory = getattr(life, "memory", row.memory)
        row.keep(folder)


def run(check, options):
    need("mmdebstrap", "dpkg-deb", "lintian", "apt-ftparchive", "gpg")
    folder = os.path.realpath(options.packages)
    there = newest(folder)
    found = {key: packages for key, packages in there.items()
             if options.suite in (None, key[0]) and options.arch in (None, key[1])}
    if not found:
        raise Skipped(f"no packages in {folder}: scripts/package makes them")
    for machine in {MACHINES[arch] for _, arch in found} - {platform.machine()}:
        if set(options.only or PARTS) & {"life", "apt"} and not os.path.exists(f"/proc/sys/fs/binfmt_misc/qemu-{machine}"):
            raise Skipped(f"the kernel starts no programs of {machine}: sudo update-binfmts --enable qemu-{machine}")
    for key, packages in sorted(found.items()):
        missing = [name for name in (*NAMES, "roost-lab") if name not in packages]
        if missing:
            raise Failed(f"{' '.join(key)}: no package {' '.join(missing)}")
        examine(check, key, packages, folder, options.only or PARTS)
    if options.write:
        rows = [package_table.Row.known(key, hashed(packages), folder) for key, packages in sorted(there.items())]
        package_table.write(rows, os.path.join(ROOT, "docs", "measurements", "packages.md"))
