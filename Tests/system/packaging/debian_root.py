"""A clean Debian root of a suite and architecture, to install packages in; needs root and a mirror."""

import os
import re
import shutil
import subprocess

from ..check import Failed, Skipped
from ..station import end

# What changes in any root by the mere use of the package manager.
PASSING = re.compile(
    r"^/(proc|sys|dev|tmp|run|packages|root|var/(cache|log|lib/(dpkg|apt|systemd|ucf|pam))|etc/(ld\.so\.cache|passwd-?"
    r"|group-?|shadow-?|gshadow-?|subuid-?|subgid-?|apt/.*|mtab|resolv\.conf|ssl/.*|ca-certificates.*|machine-id))(/|$)")

ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8",
               "HOME": "/root"}


def need(*programs):
    """Skips the check where something is missing."""
    if os.geteuid() != 0:
        raise Skipped("a root of its own needs root")
    missing = [name for name in programs if shutil.which(name) is None]
    if missing:
        raise Skipped(f"missing: {' '.join(missing)}")


def mirror():
    """The mirror that this machine uses."""
    for folder, _, names in os.walk("/etc/apt"):
        for name in sorted(names):
            if name.endswith((".sources", ".list")):
                with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                    found = re.search(r"^(?:URIs:|deb)\s+(?:\[[^]]*\]\s+)?(http\S+)", file.read(), re.MULTILINE)
                if found:
                    return found[1]
    return "http://deb.debian.org/debian"


class DebianRoot:
    """A root in a folder of the check; gone when the check ends."""

    def __init__(self, check, suite, arch, archive):
        self.check, self.folder = check, check.path(f"root-{suite}-{arch}")
        if not os.path.exists(archive):
            self.make(suite, arch, archive)
        os.makedirs(self.folder)
        subprocess.run(["tar", "-xpf", archive, "-C", self.folder, "--numeric-owner"], check=True)
        shutil.copy("/etc/resolv.conf", os.path.join(self.folder, "etc/resolv.conf"))
        # Its life is short: what dpkg writes need not outlive a power cut.
        self.write("/etc/dpkg/dpkg.cfg.d/short-life", "force-unsafe-io\n")
        # Nothing is started in a folder.
        self.write("/usr/sbin/policy-rc.d", "#!/bin/sh\nexit 101\n", 0o755)
        self.mounts, self.processes = [], []
        check.ends(self)
        for place in ("proc", "dev"):
            target = os.path.join(self.folder, place)
            os.makedirs(target, exist_ok=True)
            subprocess.run(["mount", "--rbind", "/" + place, target], check=True)
            subprocess.run(["mount", "--make-rslave", target], check=True)
            self.mounts.append(target)
        # In memory, as the station wants it.
        subprocess.run(["mount", "-t", "tmpfs", "run", os.path.join(self.folder, "run")], check=True)
        self.mounts.append(os.path.join(self.folder, "run"))

    def make(self, suite, arch, archive):
        self.check.say(f"a root of {suite} for {arch}, once")
        place = mirror()
        done = subprocess.run(
            ["mmdebstrap", "--quiet", "--variant=apt", f"--arch={arch}", "--skip=check/qemu",
             '--aptopt=Acquire::Check-Valid-Until "false"', "--dpkgopt=force-unsafe-io", "--include=systemd,udev,init-system-helpers", suite,
             archive + ".new.tar", f"deb {place} {suite} main"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failed(f"mmdebstrap: {done.stderr[-600:]}")
        os.replace(archive + ".new.tar", archive)

    def path(self, place):
        return os.path.join(self.folder, place.lstrip("/"))

    def write(self, place, text, mode=0o644):
        with open(self.path(place), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.path(place), mode)

    def read(self, place):
        with open(self.path(place), encoding="utf-8") as file:
            return file.read()

    def has(self, place):
        return os.path.lexists(self.path(place))

    def run(self, *words, status=0):
        """Runs a command in it; what it says, and that its exit status is `status`."""
        done = subprocess.run(["chroot", self.folder, *words], capture_output=True, text=True, env=ENVIRONMENT,
                              check=False, stdin=subprocess.DEVNULL)
        self.check.demand(done.returncode == status,
                          f"{' '.join(words)[:160]}: status {done.returncode}, not {status}: "
                          f"{done.stdout[-400:]}{done.stderr[-600:]}")
        return done.stdout + done.stderr

    def ask(self, user, *words):
        """What a program says that may fail: as `user` in it, the empty text if it does."""
        done = subprocess.run(["chroot", f"--userspec={user}:{user}", self.folder, *words], capture_output=True, text=True,
                              env=ENVIRONMENT, check=False, stdin=subprocess.DEVNULL)
        return done.stdout if done.returncode == 0 else ""

    def spawn(self, user, *words):
        """Starts a program as `user` in it; it is ended with the root, if it has not ended before."""
        with open(self.check.path("spawned.log"), "ab") as log:
            process = subprocess.Popen(["chroot", f"--userspec={user}:{user}", self.folder, *words], env=ENVIRONMENT,
                                       stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.processes.append(process)
        return process

    def spawned(self):
        """What all programs said that were started."""
        with open(self.check.path("spawned.log"), encoding="utf-8", errors="replace") as file:
            return file.read()

    def install(self, *files, options=("Dpkg::Options::=--force-confold",), status=0):
        """Installs packages by their files, with what they need from the mirror."""
        os.makedirs(self.path("/packages"), exist_ok=True)
        places = [shutil.copy(file, self.path("/packages")) for file in files]
        words = [word for option in options for word in ("-o", option)]
        return self.run("apt-get", "install", "--yes", "--quiet", "--no-install-recommends", "--allow-downgrades", *words,
                        "-o", "Acquire::Check-Valid-Until=false",
                        *("/packages/" + os.path.basename(place) for place in places), status=status)

    def files(self):
        """Every path in it but those that pass."""
        found = set()
        for folder, folders, names in os.walk(self.folder):
            inside = folder[len(self.folder):] or "/"
            folders[:] = [name for name in folders if not PASSING.match(os.path.join(inside, name))]
            found.update(os.path.join(inside, name) for name in folders + names
                         if not PASSING.match(os.path.join(inside, name)))
        return found

    def close(self):
        for process in self.processes:
            end(process)
        self.processes = []
        # Not into this machine's own /dev, if that is still there.
        if self.unmount():
            shutil.rmtree(self.folder, ignore_errors=True)

    def unmount(self):
        """Takes this machine's folders out of it; whether they are."""
        for target in reversed(self.mounts):
            subprocess.run(["umount", "--recursive", "--lazy", target], check=False)
        is_free = not any(os.path.ismount(target) for target in self.mounts)
        self.mounts = []
        return is_free
