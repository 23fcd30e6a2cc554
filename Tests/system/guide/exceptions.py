"""What scripts/check guide cannot judge by the programs, each with the reason."""

# Programs of the system, in the pages' commands: their words are theirs, and nothing here runs them.
FOREIGN = {
    "nmtui": "NetworkManager's",
    "adduser": "Debian's", "apt": "Debian's; names of our packages are looked up", "cat": "coreutils", "chown": "coreutils",
    "cp": "coreutils", "curl": "fetches from a station or a server that is made up", "dd": "writes a card",
    "echo": "the shell's", "export": "the shell's", "cd": "the shell's", "head": "coreutils", "install": "coreutils",
    "kill": "the shell's", "lsblk": "util-linux", "mkdir": "coreutils", "mount": "util-linux", "openssl": "OpenSSL's",
    "rm": "coreutils", "sed": "its own", "ssh": "OpenSSH's", "swift": "the compiler's", "tail": "coreutils",
    "tee": "coreutils", "wait": "the shell's", "xz": "its own", "rpicam-still": "Raspberry Pi's, not on other machines",
    "rpicam-vid": "Raspberry Pi's, not on other machines", "git": "its own", "gzip": "its own", "jq": "its own",
    "ffplay": "FFmpeg's", "usermod": "Debian's", "sleep": "coreutils", "mv": "coreutils",
    "blkdiscard": "util-linux", "losetup": "util-linux", "partx": "util-linux", "umount": "util-linux",
    "dmesg": "util-linux", "grep": "its own", "i2cdetect": "looks at a bus of a Pi", "ls": "coreutils", "reboot": "systemd's",
    "sfdisk": "writes a card's table", "openapi-python-client": "its own; scripts/check api runs it",
}

# Units of other programs.
UNITS = {"nginx": "Debian's", "caddy": "Debian's"}

# Blocks of JSON that no program of ours reads, by a text in them.
JSON = {
    '"Version": "2012-10-17"': "a policy of Amazon's S3",
    '"files_seen"': "an answer of the face `alert`, which the tests of the faces compare",
}

# Options in prose that are of other programs.
OPTIONS = {
    "--no-install-recommends": "apt's",
}

# Commands that are right and that a program refuses on this machine, by their text.
COMMANDS = {
    "roost doctor --root /mnt/card": "looks for the folder before it reads the other words",
}

# Words behind `roost` in a text of the programs that is no command.
SENTENCES = {
    "here": "of the group roost", "may": "of the group roost", "lights": "who holds lines of GPIO", "try": "who tries a line of GPIO",
    "replay": "the id of a boot that is made up",
}

# Addresses of the faces that faces.json names, which scripts/check faces asks.
ADDRESSES = {"/compat/push", "/compat/push/notify", "/notify", "/"}
