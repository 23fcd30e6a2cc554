# Memory disk, boot partition and the card as a whole. Read by scripts/image.
# Expects `root`, `image`, `tree`, `work`, `parts`, `kernel`, `version`.

# Sizes in MiB, on a card that has 4 GB at least. A root has room for twice what it holds today; the data
# partition grows to the card at the first start.
readonly boot_mib=128 root_mib=1024 journal_mib=8 data_mib=192 gap_mib=4
readonly number=0a057e00
readonly root_number=2 other_number=3 journal_number=5 data_number=6

# Unpacks a package of debian-parts to $work/parts.
unpack_part() {
    local file
    file=$(find "$parts" -name "$1_*.deb" | head -n 1)
    [[ -n $file ]] || fail 1 "$1 is missing in $parts: remove that folder"
    mkdir -p "$work/parts"
    dpkg-deb --fsys-tarfile "$file" | tar --extract --directory "$work/parts"
}

# The first program, busybox and some modules; needs nothing that runs on another architecture.
make_memory_disk() {
    local disk=$work/memory-disk module file name
    unpack_part busybox-static
    mkdir -p "$disk"/{bin,dev,proc,sys,run,root,modules}
    cp "$work/parts/usr/bin/busybox" "$disk/bin/busybox"
    install -m 755 "$image/memory-disk/init" "$disk/init"
    lay_out
    printf '%s\n' "$((total_mib * 2048))" >"$disk/sectors"
    depmod -b "$tree" "$kernel"
    # Those that are built in have no file, and are passed over; one that is missing is said.
    grep -v '^#' "$image/memory-disk/modules" | while read -r module; do
        modprobe --dirname "$tree" --set-version "$kernel" --show-depends "$module" 2>/dev/null |
            awk '$1 == "insmod" { print $2 }' || say "  this kernel has no module $module" >&2
    done | awk '!seen[$0]++' | while read -r file; do
        name=$(basename "$file")
        case $name in
            *.xz) xz -dc "$file" >"$disk/modules/${name%.xz}" ;;
            *.zst) zstd -dcq "$file" >"$disk/modules/${name%.zst}" ;;
            *) cp "$file" "$disk/modules/$name" ;;
        esac
        name=${name%.xz}
        printf '%s\n' "${name%.zst}" >>"$disk/modules/order"
    done
    find "$disk" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    (cd "$disk" && find . | LC_ALL=C sort | cpio --quiet --reproducible -R 0:0 -o -H newc) | zstd -q -19 >"$tree/boot/initrd.img"
    mv "$tree/boot/vmlinuz-$kernel" "$tree/boot/vmlinuz"
    say "memory disk: $(wc -l <"$disk/modules/order") modules, $(($(stat -c %s "$tree/boot/initrd.img") / 1024)) kB; kernel $kernel"
}

# Firmware, U-Boot with its script, device trees, and the files for people.
make_boot_files() {
    local boot=$work/boot file
    unpack_part u-boot-rpi
    mkdir "$boot"
    for file in bootcode.bin start.elf start4.elf fixup.dat fixup4.dat LICENCE.broadcom; do
        file=$(find "$work/parts/usr" -name "$file" | head -n 1)
        [[ -z $file ]] || cp "$file" "$boot/"
    done
    for file in bootcode.bin start.elf start4.elf; do
        [[ -e $boot/$file ]] || fail 1 "raspi-firmware has no $file"
    done
    cp "$work/parts/usr/lib/u-boot/rpi_arm64/u-boot.bin" "$boot/u-boot.bin"
    cp "$tree/usr/lib/linux-image-$kernel"/broadcom/bcm2{837,711}*.dtb "$boot/"
    rm -rf "$tree/usr/lib/linux-image-$kernel"
    find "$image/boot" -maxdepth 1 -type f ! -name boot.txt -exec cp {} "$boot/" \;
    mkimage -A arm64 -T script -C none -n roost -d "$image/boot/boot.txt" "$boot/boot.scr" >/dev/null
    fill_sector "$boot/slot.txt"
    printf 'tried=0\n' >"$boot/tried.txt"
    fill_sector "$boot/tried.txt"
    make_overlays "$boot"
    # Windows' Notepad of old shows these as one line otherwise.
    sed -i 's/$/\r/' "$boot/README.txt" "$boot/station-example.txt"
}

# For each part with a wire of its own and each free pin of the header an overlay of the device tree: U-Boot
# adds those that overlays.txt names. None is named at first. GPIO14 and 15 are the serial port's (config.txt).
make_overlays() {
    local source name pin
    mkdir "$1/overlays"
    for source in "$image"/overlays/*.dts; do
        name=$(basename "$source" .dts)
        for pin in {4..13} {16..27}; do
            sed "s/PIN/$pin/g" "$source" | dtc -q -@ -I dts -O dtb -o "$1/overlays/$name-$pin.dtbo" -
        done
    done
    printf 'overlays=\n' >"$1/overlays.txt"
    fill_sector "$1/overlays.txt"
}

# One sector, so that it is overwritten in place and in one piece.
fill_sector() {
    local size
    size=$(stat -c %s "$1")
    head -c $((512 - size)) /dev/zero | tr '\0' '\n' >>"$1"
}

# Where each partition begins, in MiB.
lay_out() {
    boot_start=$gap_mib
    root_start=$((boot_start + boot_mib))
    other_start=$((root_start + root_mib))
    extended_start=$((other_start + root_mib))
    journal_start=$((extended_start + gap_mib))
    data_start=$((journal_start + journal_mib + gap_mib))
    total_mib=$((data_start + data_mib))
}

partition_table() {
    cat <<TEXT
label: dos
label-id: 0x$number
start=$((boot_start * 2048)), size=$((boot_mib * 2048)), type=c, bootable
start=$((root_start * 2048)), size=$((root_mib * 2048)), type=83
start=$((other_start * 2048)), size=$((root_mib * 2048)), type=83
start=$((extended_start * 2048)), size=$(((total_mib - extended_start) * 2048)), type=f
start=$((journal_start * 2048)), size=$((journal_mib * 2048)), type=da
start=$((data_start * 2048)), size=$((data_mib * 2048)), type=83
TEXT
}

# The root as a file system of just its size and a tenth: an update need not write more.
make_root_file_system() {
    local mib
    find "$tree" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    mib=$(($(du -sm --apparent-size "$tree" | cut -f 1) * 112 / 100 + 32))
    [[ $mib -le $root_mib ]] || fail 1 "the root has $mib MiB, its partition $root_mib"
    rm -f "$work/root.img"
    mke2fs -q -t ext4 -b 4096 -L roost-root -O '^has_journal,^metadata_csum_seed' -m 0 -N 0 \
        -U "$number-0000-4000-8000-000000000002" -E "root_owner=0:0,hash_seed=$number-0000-4000-8000-000000000003" \
        -d "$tree" "$work/root.img" "${mib}M" >/dev/null || fail 1 "mke2fs: the root's file system"
    say "root: $(du -sm "$tree" | cut -f 1) MB in a file system of $mib MiB"
}

# FILE MIB: the mark of the journal's partition, as `roost store partition` writes it.
make_journal() {
    python3 - "$1" "$2" <<'PY'
import struct, sys, zlib
size = int(sys.argv[2]) << 20
head = b"ROOST-JOURNAL-01" + struct.pack("<II", 4096, size // 4096 - 1)
with open(sys.argv[1], "wb") as file:
    file.truncate(size)
    file.write(head + struct.pack("<I", zlib.crc32(head)))
PY
}

place() { dd if="$1" of="$card" bs=1M seek="$2" conv=notrunc,sparse status=none; }

make_card() {
    card=$1.new
    make_root_file_system
    truncate -s "${boot_mib}M" "$work/boot.img"
    mkfs.vfat -F 32 -n ROOST -i "${number%00}01" "$work/boot.img" >/dev/null
    (cd "$work/boot" && MTOOLS_SKIP_CHECK=1 mcopy -s -m -i "$work/boot.img" ./* ::)
    make_journal "$work/journal.img" "$journal_mib"
    mkdir "$work/empty"
    mke2fs -q -t ext4 -b 4096 -i 131072 -L roost-data -m 1 -J size=4 -E 'root_owner=0:0,lazy_itable_init=0,lazy_journal_init=0' \
        -d "$work/empty" "$work/data.img" "${data_mib}M" >/dev/null
    rm -f "$card"
    truncate -s "${total_mib}M" "$card"
    partition_table | sfdisk --quiet "$card"
    place "$work/boot.img" "$boot_start"
    place "$work/root.img" "$root_start"
    place "$work/journal.img" "$journal_start"
    place "$work/data.img" "$data_start"
    cp "$parts/packages.txt" "$output/roost-$version-rpi-arm64.packages.txt"
    mv "$card" "$1"
    say "card: $1, $total_mib MiB"
}

compress_image() {
    say "compressing, some minutes"
    rm -f "$1.xz"
    xz --keep --threads=0 -6 "$1"
    (cd "$(dirname "$1")" && sha256sum "$(basename "$1").xz" >"$(basename "$1").xz.sha256")
    say "image: $1.xz, $(($(stat -c %s "$1.xz") / 1000000)) MB"
}
