# Keys, and the file that brings a new root to a station; docs/reference/image.md has its format.
# Read by scripts/image. Expects `keys`, `work`, `version`, `tree`.

make_keys() {
    local one
    for one in "${keys[@]}"; do
        if [[ ! -e $one ]]; then
            (umask 077 && openssl genpkey -algorithm ed25519 -out "$one") || fail 1 "$one cannot be made"
            say "made a key for updates: $one; who has it can change every station of this image, so keep it safe"
        fi
        openssl pkey -in "$one" -noout -text 2>/dev/null | grep -qi ed25519 || fail 2 "$one is no private ed25519 key"
    done
}

# The first 16 hexadecimal digits of the SHA-256 of a public key's 32 bytes.
key_id() { openssl pkey -in "$1" -pubout -outform DER | tail -c 32 | sha256sum | cut -c 1-16; }

make_update() {
    local about schema payload=$work/payload.zst
    if ! about=$(in_root roost update describe --json 2>/dev/null); then
        say "no update file: these programs have no 'roost update'"
        return
    fi
    schema=$(python3 -c 'import json, sys; print(int(json.loads(sys.argv[1])["storeSchema"]))' "$about") ||
        fail 1 "'roost update describe' says no storeSchema: $about"
    say "update file"
    zstd -q -T0 -15 --force -o "$payload" "$work/root.img"
    write_update "$1" "$payload" "$work/root.img" "${keys[0]}" "$version" "$schema" "$(build_name)"
    say "update: $1, $(($(stat -c %s "$1") / 1000000)) MB, signed by key $(key_id "${keys[0]}")"
}

# FILE PAYLOAD ROOT KEY VERSION SCHEMA BUILD [BOARD]
write_update() {
    local size_of sum_of manifest=$work/manifest
    size_of() { stat -c %s "$1"; }
    sum_of() { sha256sum "$1" | cut -d ' ' -f 1; }
    printf '{"board":"%s","layout":1,"version":"%s","build":"%s","storeSchema":%s,"minimumFrom":"0.0.0",' \
        "${8:-rpi-arm64}" "$5" "$7" "$6" >"$manifest"
    printf '"payload":{"size":%s,"sha256":"%s"},"root":{"size":%s,"sha256":"%s"}}' \
        "$(size_of "$2")" "$(sum_of "$2")" "$(size_of "$3")" "$(sum_of "$3")" >>"$manifest"
    openssl pkeyutl -sign -rawin -inkey "$4" -in "$manifest" -out "$work/signature"
    {
        printf 'ROOST-UPDATE-1\ned25519 %s %s\n' "$(key_id "$4")" "$(base64 -w 0 "$work/signature")"
        cat "$manifest"
        printf '\n'
        cat "$2"
    } >"$1.new"
    mv "$1.new" "$1"
}
