"""Which processor a guest runs on: this machine's own by KVM, or QEMU's emulated one."""

import functools
import os
import subprocess
import tempfile

# With QEMU's own 1 GiB of translated code a guest takes minutes to come up after a reset.
EMULATED = "tcg,tb-size=64"
# Without a root file system a kernel that got through its start ends with these words.
ENDED = b"Kernel panic - not syncing: VFS"


@functools.cache
def chosen(guest):
    """QEMU's word for it; LAB_ACCEL in the environment goes before what is found out."""
    return os.environ.get("LAB_ACCEL") or ("kvm" if obstacle(guest) is None else EMULATED)


def describe(guest):
    """A line for a person."""
    word = chosen(guest)
    if word == "kvm":
        return "processor: this machine's own, by KVM"
    asked = "LAB_ACCEL says so" if os.environ.get("LAB_ACCEL") else obstacle(guest)
    return f"processor: emulated ({word}): {asked}"


@functools.cache
def obstacle(guest):
    """Why the guest cannot run on this machine's own processor, or None.

    That the device opens is not enough: some machines in a cloud have a KVM that runs only kernels
    made for it.
    """
    try:
        os.close(os.open("/dev/kvm", os.O_RDWR | os.O_CLOEXEC))
    except OSError as error:
        return f"/dev/kvm: {error.strerror}"
    return None if runs(guest, "kvm") else "/dev/kvm opens, and does not run the guest's kernel"


def runs(guest, word, limit=30):
    """Whether the guest's kernel gets to the end of its start, tried without a disk."""
    with tempfile.NamedTemporaryFile() as console:
        command = ["qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none",
                   "-machine", "pc", "-accel", word, "-cpu", "max", "-m", "256", "-no-reboot",
                   "-kernel", f"{guest}/vmlinux", "-serial", f"file:{console.name}",
                   "-append", "console=ttyS0 panic=-1 mitigations=off no_timer_check"]
        try:
            subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, timeout=limit, check=False)
        except subprocess.TimeoutExpired:
            return False
        return ENDED in console.read()
