# The root of the image: Debian's packages (kept), ours, and the settings. Read by scripts/image.
# Expects `root`, `cache`, `work`, `mirror`, `debs`, `version`, `keys`, and `tree`, the root's folder.

image=$root/packaging/image

find_mirror() {
    [[ -n $mirror ]] || mirror=$(awk '/^URIs:/ { print $2; exit }' /etc/apt/sources.list.d/*.sources 2>/dev/null || true)
    [[ -n $mirror ]] || mirror=$(awk '$1 == "deb" && $2 ~ /^http/ { print $2; exit }' /etc/apt/sources.list 2>/dev/null || true)
    [[ -n $mirror ]] || fail 4 "no mirror of Debian is known here: give --mirror=URL"
    mirror=${mirror%/}
}

# A package that stands for the programs that make memory disks: make_memory_disk does that, in a second.
make_stand_in() {
    mkdir -p "$work/stand-in/DEBIAN"
    cat >"$work/stand-in/DEBIAN/control" <<'TEXT'
Package: roost-memory-disk
Version: 1
Architecture: all
Provides: linux-initramfs-tool
Maintainer: Roost <roost@localhost>
Description: stands for initramfs-tools, as the image's memory disk is made where the image is
TEXT
    dpkg-deb --root-owner-group --build "$work/stand-in" "$work/stand-in.deb" >/dev/null
}

# Debian's part of the root as $cache/root-MARK.tar, and what is only unpacked (firmware, U-Boot, busybox)
# as packages in $cache/parts-MARK. Made once; MARK is of the list of packages.
make_base_root() {
    local list mark include security
    list=$(grep -v '^#' "$image/debian-packages" | tr '\n' ' ')
    parts_list=$(grep -v '^#' "$image/debian-parts" | tr '\n' ' ')
    mark=$(cat "$image/debian-packages" "$image/debian-parts" | sha256sum | cut -c 1-12)
    archive=$cache/root-$mark.tar parts=$cache/parts-$mark
    if [[ -e $archive ]]; then
        say "Debian's packages of $(date -r "$archive" +%F), as kept in ${archive##*/}"
        return
    fi
    find_mirror
    make_stand_in
    include=$(tr -s ' ' ',' <<<"$list" | sed 's/^,//; s/,$//')
    security=${mirror%/debian}/debian-security
    say "Debian 13's packages for arm64: some ten minutes, once"
    rm -rf "$parts.new"
    mkdir "$parts.new"
    mmdebstrap --quiet --mode=root --variant=essential --arch=arm64 --skip=check/qemu --format=tar \
        --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='Apt::Install-Recommends "false"' \
        --aptopt='Acquire::Languages "none"' --aptopt='APT::Sandbox::User "root"' \
        --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
        --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
        --essential-hook="cp '$work/stand-in.deb' \"\$1/tmp/\"; chroot \"\$1\" dpkg -i /tmp/stand-in.deb; rm \"\$1/tmp/stand-in.deb\"" \
        --include="$include" \
        --customize-hook="cd '$parts.new'; APT_CONFIG=\"\$MMDEBSTRAP_APT_CONFIG\" apt-get -qq download $parts_list" \
        --customize-hook="chroot \"\$1\" dpkg-query --show --showformat='\${Package}\t\${Version}\t\${Installed-Size}\n' >'$parts.new/packages.txt'" \
        trixie "$work/root.tar" "deb $mirror trixie main non-free-firmware" \
        "deb $mirror trixie-updates main non-free-firmware" "deb $security trixie-security main non-free-firmware" ||
        fail 1 "mmdebstrap: Debian's packages cannot be fetched or installed, see above"
    rm -rf "$parts"
    mv "$parts.new" "$parts"
    mv "$work/root.tar" "$archive"
}

# Runs a program of the root, of the root's architecture.
in_root() {
    # shellcheck disable=SC2016
    unshare --mount --pid --fork --kill-child bash -euc '
        mount --make-rprivate /
        mount -t proc proc "$0/proc"
        mount -t tmpfs run "$0/run"
        mount --bind /dev "$0/dev"
        chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"
    ' "$tree" "$@"
}

make_root() {
    say "the root: Debian, roost, settings"
    mkdir "$tree"
    tar --extract --preserve-permissions --file "$archive" --directory "$tree" --numeric-owner \
        --xattrs --xattrs-include='*' --exclude='./dev/*'
    # Settings of the Wi-Fi chips, which Debian has beside the Pi's firmware.
    unpack_part raspi-firmware
    cp -an "$work/parts/usr/lib/firmware/." "$tree/usr/lib/firmware/"
    install_ours
    cp -a --no-preserve=ownership "$image/root/." "$tree/"
    write_settings
    enable_units
    remove_the_needless
    kernel=$(basename "$tree"/usr/lib/modules/*)
}

install_ours() {
    # Nothing is started in a folder.
    printf '#!/bin/sh\nexit 101\n' >"$tree/usr/sbin/policy-rc.d"
    chmod 755 "$tree/usr/sbin/policy-rc.d"
    mkdir "$tree/tmp/ours"
    cp "${debs[@]}" "$tree/tmp/ours/"
    # shellcheck disable=SC2016
    in_root sh -euc 'dpkg --force-confold --install /tmp/ours/*.deb >/tmp/ours/said 2>&1 || { cat /tmp/ours/said >&2; exit 1; }' ||
        fail 1 "roost's packages cannot be installed in Debian 13: is a library missing in packaging/image/debian-packages?"
    rm -r "$tree/tmp/ours" "$tree/usr/sbin/policy-rc.d"
}

write_settings() {
    mkdir -p "$tree/data" "$tree/boot/firmware" "$tree/usr/share/roost/update-keys.d" "$tree/etc/roost/update-keys.d"
    install -m 644 "$image/roost.json" "$tree/etc/roost/roost.json"
    echo roost >"$tree/etc/hostname"
    printf '127.0.0.1\tlocalhost\n127.0.1.1\troost\n::1\tlocalhost ip6-localhost ip6-loopback\n' >"$tree/etc/hosts"
    printf '{"board":"rpi-arm64","layout":1,"version":"%s","build":"%s"}\n' "$version" "$(build_name)" >"$tree/usr/lib/roost/image.json"
    # Empty, not missing: the first start makes an id, and does not take itself for a first installation.
    : >"$tree/etc/machine-id"
    rm -f "$tree"/etc/ssh/ssh_host_* "$tree/var/lib/dbus/machine-id" "$tree/etc/resolv.conf" "$tree/etc/localtime"
    ln -s /run/systemd/resolve/stub-resolv.conf "$tree/etc/resolv.conf"
    ln -s /usr/share/zoneinfo/Etc/UTC "$tree/etc/localtime"
    local one
    for one in "${keys[@]}"; do
        openssl pkey -in "$one" -pubout -out "$tree/usr/share/roost/update-keys.d/$(key_id "$one").pem"
    done
    in_root usermod --lock --shell /usr/sbin/nologin root
}

build_name() {
    printf '%s %s' "$(date -u -d "@$SOURCE_DATE_EPOCH" +%F)" "$(of_git rev-parse --short HEAD 2>/dev/null || echo none)"
}

enable_units() {
    local units
    in_root systemctl --quiet enable systemd-networkd systemd-resolved systemd-timesyncd avahi-daemon ssh \
        roost-grow.service roost-hostkeys.service roost-act-led.service roost-warnings-stop.service \
        roost-warnings.timer
    # Their commands come with the programs.
    for units in provision:roost-provision.service,roost-network.path,roost-wires.path update:roost-good.service,roost-update.path reset:roost-reset.path; do
        if in_root roost --experimental-dump-help | grep -q "\"commandName\" : \"${units%%:*}\""; then
            in_root systemctl --quiet enable $(tr , ' ' <<<"${units#*:}")
        else
            say "  left out: ${units#*:}: these programs have no 'roost ${units%%:*}'"
        fi
    done
    in_root systemctl --quiet mask systemd-networkd-wait-online.service systemd-rfkill.service systemd-rfkill.socket \
        systemd-firstboot.service systemd-logind.service ldconfig.service systemd-hwdb-update.service \
        systemd-journal-catalog-update.service
    # It looks for a virtual machine's socket, and complains.
    mkdir -p "$tree/etc/systemd/system-generators"
    ln -s /dev/null "$tree/etc/systemd/system-generators/systemd-ssh-generator"
    # What writes by the clock, or is for machines that write their root.
    in_root sh -c 'systemctl --quiet disable wpa_supplicant.service e2scrub_reap.service $(cd /etc/systemd/system/timers.target.wants && ls | grep -v roost)' 2>/dev/null || true
}

remove_the_needless() {
    rm -rf "$tree"/var/lib/apt/lists/* "$tree"/var/cache/* "$tree"/var/log/* "$tree"/tmp/* "$tree"/boot/System.map-* \
        "$tree"/boot/initrd* "$tree"/initrd* "$tree"/vmlinuz* "$tree"/var/lib/dpkg/*-old
}
