"""An image in Raspberry Pi OS's layout: FAT at /boot/firmware, one root that is written, nothing of ours.

None can be downloaded here, so it is made of Debian's packages that scripts/image keeps. The kernel and a small
memory disk of QEMU stand beside it in place of the Pi's firmware.
"""

import glob
import os
import subprocess

from ..check import ROOT, Failed
from .bench import board

CACHE = os.path.join(ROOT, ".build-image", "cache")
BOOT_MIB, ROOT_MIB, FIRST_MIB = 512, 1500, 8
INIT = """#!/bin/busybox sh
# In place of the memory disk of Raspberry Pi OS: mounts the second partition and starts what is there.
export PATH=/bin
/bin/busybox --install -s /bin
mount -t devtmpfs dev /dev
mount -t proc proc /proc
mount -t sysfs sys /sys
while read -r module; do insmod "/modules/$module" 2>/dev/null; done </modules/order
tenths=0
until [ -b /dev/vda2 ] || [ $tenths -gt 300 ]; do usleep 100000; tenths=$((tenths + 1)); done
mount -t ext4 -o rw,noatime /dev/vda2 /root || { sleep 20; reboot -f; }
cd /root && for folder in dev proc sys; do mount --move "/$folder" "$folder"; done
exec switch_root /root /usr/lib/systemd/systemd
"""
WORDS = f"console=ttyAMA0 root=/dev/vda2 rw net.ifnames=0 quiet loglevel=4 systemd.wants={board.AGENT_UNIT}"


def shell(text, *words):
    subprocess.run(["bash", "-euo", "pipefail", "-c", text, "stock", *words], check=True, stdin=subprocess.DEVNULL)


def make(bench, target):
    """Makes the image at `target`; returns kernel, memory disk and words of the kernel for QEMU."""
    archives = sorted(glob.glob(os.path.join(CACHE, "root-*.tar")), key=os.path.getmtime)
    if not archives:
        raise Failed("Debian's packages are not kept in .build-image/cache: run scripts/image first")
    folder = bench.check.path("stock")
    tree = os.path.join(folder, "root")
    os.makedirs(tree)
    shell("tar --extract --preserve-permissions --numeric-owner --exclude='./dev/*' --file \"$1\" --directory \"$2\"",
          archives[-1], tree)
    files = {
        "etc/fstab": "proc /proc proc defaults 0 0\nLABEL=BOOTFS /boot/firmware vfat defaults 0 2\n"
                     "LABEL=rootfs / ext4 defaults,noatime 0 1\n",
        "etc/hostname": "raspberrypi\n", "etc/machine-id": "",
        "etc/systemd/network/20-wired.network": "[Match]\nName=e*\n[Network]\nDHCP=yes\n",
        # The unit allows cards and disks; the card here is on QEMU's virtio.
        "etc/systemd/system/roostd.service.d/90-lab.conf": "[Service]\nDeviceAllow=block-virtblk rw\n"}
    for name, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(tree, name)), exist_ok=True)
        with open(os.path.join(tree, name), "w", encoding="ascii") as file:
            file.write(text)
    wants = os.path.join(tree, "etc/systemd/system/multi-user.target.wants")
    os.makedirs(wants, exist_ok=True)
    link = os.path.join(wants, "systemd-networkd.service")
    if not os.path.lexists(link):
        os.symlink("/usr/lib/systemd/system/systemd-networkd.service", link)
    os.makedirs(os.path.join(tree, "boot/firmware"), exist_ok=True)
    kernel, disk = memory_disk(bench, tree, folder)
    shell("""folder=$1 target=$2 boot=$3 root=$4 first=$5
        printf 'arm_64bit=1\\nauto_initramfs=1\\n' >"$folder/config.txt"
        printf 'console=tty1 root=LABEL=rootfs rw rootwait\\n' >"$folder/cmdline.txt"
        truncate -s "${boot}M" "$folder/boot.img"
        mkfs.vfat -F 32 -n BOOTFS "$folder/boot.img" >/dev/null
        MTOOLS_SKIP_CHECK=1 mcopy -i "$folder/boot.img" "$folder/config.txt" "$folder/cmdline.txt" ::
        mke2fs -q -t ext4 -L rootfs -E root_owner=0:0 -d "$folder/root" "$folder/root.img" "${root}M" >/dev/null
        truncate -s "$((first + boot + root))M" "$target"
        printf 'label: dos\\nstart=%s, size=%s, type=c\\nstart=%s, size=%s, type=83\\n' $((first * 2048)) \
            $((boot * 2048)) $(((first + boot) * 2048)) $((root * 2048)) | sfdisk -q "$target"
        dd if="$folder/boot.img" of="$target" bs=1M seek="$first" conv=notrunc,sparse status=none
        dd if="$folder/root.img" of="$target" bs=1M seek=$((first + boot)) conv=notrunc,sparse status=none
        rm -rf "$folder/root" "$folder/root.img" "$folder/boot.img"
        """, folder, target, str(BOOT_MIB), str(ROOT_MIB), str(FIRST_MIB))
    return kernel, disk, WORDS


def memory_disk(bench, tree, folder):
    """The image's own memory disk with another first program."""
    kernel, disk = os.path.join(folder, "vmlinuz"), os.path.join(folder, "initrd.img")
    shell("""image=$1 folder=$2 offset=$3 tree=$4
        debugfs -R "dump /boot/initrd.img $folder/ours.img" "$image?offset=$offset" 2>/dev/null
        cp "$tree"/boot/vmlinuz-* "$folder/vmlinuz"
        mkdir "$folder/disk"
        zstd -dcq "$folder/ours.img" | (cd "$folder/disk" && cpio --quiet -id)
        """, bench.image, folder, str(board.table(bench.image)[2][0]), tree)
    with open(os.path.join(folder, "disk/init"), "w", encoding="ascii") as file:
        file.write(INIT)
    shell("(cd \"$1/disk\" && find . | cpio --quiet -o -H newc) | zstd -q >\"$1/initrd.img\"", folder)
    return kernel, disk
