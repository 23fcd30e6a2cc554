"""Update files of the case update, and the USB stick that they lie on.

Their roots are copies of the image's own with some files changed; scripts/image's own steps make the files.
"""

import json
import os
import subprocess

from ..check import ROOT
from .bench import board

LABEL = "UPDATES"
FAT_FIRST = 1 << 20  # Where the stick's one partition begins.
SPARE = 64 << 20
WRITE = """set -euo pipefail
fail() { echo "$2" >&2; exit "$1"; }
say() { :; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
. "$1/packaging/image/build/update.bash"
[ -e "$3.zst" ] || zstd -q -T0 -3 --force -o "$3.zst" "$3"
write_update "$2" "$3.zst" "$3" "$4" "$5" "$6" "a test" "$7"
"""
UNIT = "/usr/lib/systemd/system/roostd.service.d"
# What is changed in each root, besides the name of its version: path, text and mode of a file.
CHANGES = {
    "good": (),
    # roostd ends at once, again and again.
    "crashing": (("/usr/bin/roostd", "#!/bin/sh\nexit 1\n", "0100755"),),
    # The kernel starts and nothing comes after the memory disk: it panics.
    "dead": (("/usr/lib/systemd/systemd", "no program\n", "0100755"),),
    # roostd runs and answers, and its store never opens.
    "storeless": ((f"{UNIT}/90-test.conf", "[Service]\nInaccessiblePaths=/var/lib/roost\n", "0100644"),),
    # roostd runs, its store is open, and the adapter of the sensor is not given to it.
    "deaf": ((f"{UNIT}/90-test.conf", "[Service]\nDeviceAllow=\nDeviceAllow=block-virtblk rw\n", "0100644"),),
}
# Whole files of the good root: refused for their signature, their board, their bytes or their length alone.
REFUSED = {"wrong-key": "key", "wrong-board": "board", "altered": "signature", "truncated": "ends early"}


class Stick:
    """A USB stick as a person has it: one FAT partition with a label."""

    def __init__(self, bench, names):
        self.bench, self.path = bench, bench.check.path("stick.img")
        self.folder, self.roots = bench.check.path("stick"), {}
        os.makedirs(self.folder)
        self.keys = {"own": bench.options.key, "other": bench.check.path("other.pem")}
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", self.keys["other"]], check=True)
        source = bench.check.path("source.root")
        take_root(bench.image, source)
        self.info = json.loads(read_root(source, "/usr/lib/roost/image.json"))
        self.schema = bench.options.schema or own_schema(bench)
        for name in names:
            self._add(name, source)
        os.remove(source)
        self._fill()
        subprocess.run(["rm", "-rf", self.folder], check=True)

    def version(self, name):
        return f"{self.info['version']}+{name}"

    def _add(self, name, source):
        root = self.bench.check.path(f"{name}.root")
        subprocess.run(["cp", "--sparse=always", source, root], check=True)
        info = json.dumps({**self.info, "version": self.version(name)})
        change(root, "/usr/lib/roost/image.json", info, "0100644")
        for path, text, mode in CHANGES[name]:
            change(root, path, text, mode)
        self._write(name, root, name)
        if name == "good":
            self._write("wrong-key", root, name, key="other")
            self._write("wrong-board", root, name, board_name="rpi-arm32")
            self._damage()
        for path in (root, f"{root}.zst"):
            os.remove(path)

    def _write(self, file_name, root, version, key="own", board_name="rpi-arm64"):
        path = os.path.join(self.folder, f"{file_name}.update")
        subprocess.run(["bash", "-c", WRITE, "update", ROOT, path, root, self.keys[key], self.version(version),
                        str(self.schema), board_name], check=True)
        with open(path, "rb") as file:
            self.roots[file_name] = json.loads(file.read(16384).split(b"\n", 3)[2])["root"]
        self.bench.check.say(f"  {file_name}.update: {os.path.getsize(path) / 1e6:.0f} MB")

    def _damage(self):
        """A manifest with another version under the same signature, and a file that ends early."""
        at = lambda name: os.path.join(self.folder, f"{name}.update")  # noqa: E731
        with open(at("good"), "rb") as file:
            head = file.read(4096)
            old = b'"version":"' + self.version("good").encode()
            new = old[:-1] + b"x"
            if head.count(old) != 1:
                raise ValueError("the head of the update names its version otherwise")
            with open(at("altered"), "wb") as altered:
                altered.write(head.replace(old, new))
                altered.write(file.read())
        subprocess.run(["head", "--bytes=40M", at("good")], stdout=open(at("truncated"), "wb"), check=True)

    def _fill(self):
        files = [os.path.join(self.folder, name) for name in sorted(os.listdir(self.folder))]
        size = FAT_FIRST + sum(os.path.getsize(path) for path in files) + SPARE
        size = -(-size // FAT_FIRST) * FAT_FIRST
        with open(self.path, "wb") as file:
            file.truncate(size)
        subprocess.run(["sfdisk", "-q", self.path], check=True, text=True, input=f"label: dos\nstart={FAT_FIRST // 512}, type=c\n")
        subprocess.run(["mkfs.vfat", "-F", "32", "-n", LABEL, "--offset", str(FAT_FIRST // 512), self.path,
                        str((size - FAT_FIRST) // 1024)], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["mcopy", "-i", f"{self.path}@@{FAT_FIRST}", *files, "::"], check=True,
                       env={**os.environ, "MTOOLS_SKIP_CHECK": "1"})


def own_schema(bench):
    """As many steps of the store's schema as this machine's programs know; they are of the image's age."""
    return json.loads(bench.check.roost("update", "describe", "--json", status=0).stdout)["storeSchema"]


def take_root(image, target):
    """The file system of root A alone, without the rest of its partition."""
    start, _ = board.table(image)[2]
    count = root_size(image, start)
    subprocess.run(["dd", f"if={image}", f"of={target}", "bs=1M", f"skip={start // board.MIB}",
                    f"count={-(-count // board.MIB)}", "conv=sparse", "status=none"], check=True)
    with open(target, "r+b") as file:
        file.truncate(count)


def root_size(image, start):
    """Bytes of the ext4 file system that begins at `start`; 0 where there is none."""
    with open(image, "rb") as file:
        file.seek(start + 1024)
        head = file.read(64)
    if head[56:58] != b"\x53\xef":
        return 0
    return int.from_bytes(head[4:8], "little") * (1024 << int.from_bytes(head[24:28], "little"))


def read_root(root, path):
    return subprocess.run(["debugfs", "-R", f"cat {path}", root], check=True, capture_output=True).stdout


def change(root, path, text, mode):
    """Replaces or adds a file of a root, with the folder that it lies in; demands that it is there."""
    changed = root + ".changed"
    with open(changed, "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run(["debugfs", "-w", "-f", "-", root], check=True, capture_output=True, text=True,
                   input=f"mkdir {os.path.dirname(path)}\nrm {path}\nwrite {changed} {path}\n"
                         f"sif {path} mode {mode}\nsif {path} uid 0\nsif {path} gid 0\n")
    os.remove(changed)
    if read_root(root, path).decode() != text:
        raise ValueError(f"debugfs did not change {path}")
