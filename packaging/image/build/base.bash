# Puts the station into an image there is: Raspberry Pi OS, Debian, anything of their kind. Read by
# scripts/image. Expects `root`, `work`, `output`, `packages`; leaves the image it was given as it is.

# What packages and their libraries need, in MiB; the first start of such an image takes the card anyway.
readonly more_mib=256

put_into_base() {
    local target name
    check_machine sfdisk e2fsck resize2fs losetup debugfs dumpe2fs python3 xz zstd
    [[ -f $1 ]] || fail 2 "there is no image $1"
    name=${1##*/}
    name=${name%.xz}
    name=${name%.zst}
    target=$output/${name%.img}-roost.img
    say "unpacking ${1##*/}"
    case $1 in
        *.xz) xz -dc -T0 "$1" >"$target.new" || fail 1 "$1 is damaged" ;;
        *.zst) zstd -dcq "$1" >"$target.new" || fail 1 "$1 is damaged" ;;
        *) cp --sparse=always "$1" "$target.new" ;;
    esac
    find_partitions "$target.new"
    know_system "$target.new"
    grow_root "$target.new"
    make_journal_partition "$target.new"
    open_root "$target.new"
    install_into_base
    close_root
    mv "$target.new" "$target"
    say "done: $target, $(($(stat -c %s "$target") >> 20)) MiB"
}

# By their kind, not by their number: `table`, `first`, `fat`, `linux_*` in sectors.
find_partitions() {
    local found
    found=$(sfdisk --json "$1" 2>/dev/null | python3 -c '
import json, sys
table = json.load(sys.stdin)["partitiontable"]
fat = {"b", "c", "e", "C12A7328-F81F-11D2-BA4B-00A0C93EC93B", "EBD0A0A2-B9E5-4433-87C0-68B6B72699C7"}
linux = {"83", "0FC63DAF-8483-4772-8E79-3D69D8477DE4", "B921B045-1DF0-41C3-AF44-4C6F280D3FAE"}
parts = [dict(p, number=i) for i, p in enumerate(table["partitions"], 1)]
number = lambda p: int(p["node"][len(sys.argv[1]):].lstrip("p"))
roots = [p for p in parts if p["type"] in linux]
boots = [p for p in parts if p["type"] in fat]
if not roots or not boots: sys.exit(1)
root = max(roots, key=lambda p: p["size"])
last = max(parts, key=lambda p: p["start"]) is root
free = next(n for n in range(1, 9) if n not in map(number, parts))
print(table["label"], min(p["start"] for p in parts), number(root), root["start"], root["size"], int(last), free)
' "$1") || fail 1 "$base has no partition table with a FAT and a Linux partition: it is no image of Raspberry Pi OS"
    read -r table first linux_number linux_start linux_size is_last free_number <<<"$found"
}

# -c: also of an image that was not shut down in order.
read_of_root() { debugfs -c -R "cat $2" "$1?offset=$((linux_start * 512))" 2>/dev/null; }

# Whose image it is, and whether the packages fit; `debs` are those of its suite.
know_system() {
    local release suite codename arch
    release=$(read_of_root "$1" /usr/lib/os-release)
    suite=$(sed -n 's/^VERSION_CODENAME=//p' <<<"$release")
    codename=$suite
    case $suite in
        bookworm) suite=deb12 ;;
        trixie) suite=deb13 ;;
        *) fail 1 "$base is '$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' <<<"$release")': Debian 12 and 13 and their kin are known" ;;
    esac
    arch=$(awk '/^Package: dpkg$/ { f = 1 } f && /^Architecture:/ { print $2; exit }' <<<"$(read_of_root "$1" /var/lib/dpkg/status)")
    [[ $arch == arm64 ]] || fail 1 "$base is of ${arch:-no known architecture}, the packages of arm64: take the 64-bit image"
    find_packages "$suite" "$codename"
    say "$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' <<<"$release"), arm64"
}

open_root() {
    loop=$(losetup --find --show --offset $((linux_start * 512)) --sizelimit $((linux_size * 512)) "$1") ||
        fail 1 "no loop device: run it on a machine that has some, not in a closed container"
    trap 'close_root; rm -rf "$work"' EXIT
    [[ ${2:-} == unmounted ]] || { mkdir -p "$tree" && mount "$loop" "$tree"; }
}

close_root() {
    [[ -n ${loop:-} ]] || return 0
    ! mountpoint -q "$tree" || umount -R "$tree"
    losetup --detach "$loop"
    loop=
}

grow_root() {
    local status=0
    if [[ $is_last == 1 ]]; then
        truncate -s "+${more_mib}M" "$1"
        echo ", +" | sfdisk --quiet --no-reread -N "$linux_number" "$1" >/dev/null
        linux_size=$((linux_size + more_mib * 2048))
    fi
    open_root "$1" unmounted
    e2fsck -fp "$loop" >/dev/null || status=$?
    [[ $status -lt 4 ]] || fail 1 "the root of $base is damaged: e2fsck says $status"
    resize2fs "$loop" >/dev/null 2>&1 || fail 1 "the root of $base cannot be grown"
    close_root
    [[ $is_last == 1 ]] || say "  not grown: the root is not the last partition"
}

# In the gap before the first partition: at 4 MiB, where cards erase, or at 1 MiB; of 1 to 16 MiB.
make_journal_partition() {
    local start size type=da
    start=8192
    [[ $first -ge $((start + 2048)) ]] || start=2048
    size=$((first - start))
    [[ $size -le 32768 ]] || size=32768
    if [[ $size -lt 2048 || $free_number -gt 4 ]]; then
        say "  no journal partition: there is no room before the first one; a file is used"
        return
    fi
    [[ $table == dos ]] || type=1045a06a-224e-461b-893a-072608b434ff,name=roost-journal
    make_journal "$work/journal.img" $((size / 2048))
    dd if="$work/journal.img" of="$1" bs=512 seek="$start" conv=notrunc status=none
    echo "start=$start,size=$size,type=$type" | sfdisk --quiet --no-reread -N "$free_number" "$1" >/dev/null 2>"$work/said" ||
        fail 1 "no partition for the journal: $(cat "$work/said")"
    say "partition $free_number: $((size / 2048)) MiB for the journal"
}

install_into_base() {
    local had_lists
    say "packages, in a root that is not running"
    had_lists=$(find "$tree/var/lib/apt/lists" -name '*Packages*' 2>/dev/null | head -n 1)
    mkdir "$tree/tmp/ours"
    cp "${debs[@]}" "$tree/tmp/ours/"
    printf '#!/bin/sh\nexit 101\n' >"$tree/usr/sbin/policy-rc.d"
    chmod 755 "$tree/usr/sbin/policy-rc.d"
    mv "$tree/etc/resolv.conf" "$tree/etc/resolv.conf.roost" 2>/dev/null || true
    cp -L /etc/resolv.conf "$tree/etc/resolv.conf"
    # shellcheck disable=SC2016
    in_root sh -euc '
        # Without apt the libraries must be there: dpkg names those that are not.
        if command -v apt-get >/dev/null; then
            apt-get -qq -o Acquire::Check-Valid-Until=false update
            apt-get -qq -y --no-install-recommends install /tmp/ours/*.deb
            apt-get clean
        else
            dpkg --force-confold --install /tmp/ours/*.deb
        fi' >"$work/said" 2>&1 || { tail -n 20 "$work/said" >&2; fail 1 "the packages cannot be installed there"; }
    rm -rf "$tree/tmp/ours" "$tree/usr/sbin/policy-rc.d" "$tree/etc/resolv.conf"
    mv "$tree/etc/resolv.conf.roost" "$tree/etc/resolv.conf" 2>/dev/null || true
    [[ -n $had_lists ]] || rm -rf "$tree"/var/lib/apt/lists/*
    install -m 644 "$image/roost.json" "$tree/etc/roost/roost.json"
    install -m 755 -D "$image/base/first-start" "$tree/usr/lib/roost/first-start"
    install -m 644 "$image/base/roost-first-start.service" "$tree/usr/lib/systemd/system/roost-first-start.service"
    in_root systemctl --quiet enable roost-first-start.service
}
