# What is installed where; read by scripts/install and scripts/uninstall.
# Expects `root` (the project), `prefix` and `destination` (DESTDIR, empty for the running system).
# `extras` holds what the programs write: manual pages, completions and the joined files of the
# dashboard (it joins them itself at each start where they are missing); what is not in there is
# not installed.

# systemd and udev look into /usr/lib and /usr/local/lib; for any other prefix that leaves /etc.
system_folder() {
    case $prefix in
        /usr | /usr/local) printf '%s/lib' "$prefix" ;;
        *) printf '/etc' ;;
    esac
}

# NetworkManager looks nowhere else.
manager_folder() { printf '%s/NetworkManager/dispatcher.d' "$([[ $prefix == /usr ]] && printf /usr/lib || printf /etc)"; }

# Debian's zsh looks for packages' completions in the first, for all others in the second.
zsh_folder() { [[ $prefix == /usr ]] && printf 'vendor-completions' || printf 'site-functions'; }

# Whether the dashboard is among the programs and wanted.
has_web() { [[ ${with_web:-yes} == yes && -x $binaries/roost-web ]]; }

# Whether the courier is among the programs and wanted.
has_courier() { [[ ${with_courier:-yes} == yes && -x $binaries/roost-courier ]]; }

# Whether the camera's process is among the programs and wanted.
has_eyes() { [[ ${with_eyes:-yes} == yes && -x $binaries/roost-eyes ]]; }

# Whether a file of the dashboard is in one of the joined files: a browser asks for those alone, but for the page Map,
# which is apart and needs five of them.
is_joined() {
    [[ -e $extras/web/js/roost.js && -e $extras/web/js/later.js && -e $extras/web/css/roost.css ]] || return 1
    case $1 in
        */www/js/map.js | */www/js/api.js | */www/js/dom.js | */www/js/format.js | */www/js/i18n.js | */www/js/kept.js) return 1 ;;
        */www/js/*.js | */www/css/*.css) return 0 ;;
        *) return 1 ;;
    esac
}

# Prints MODE, SOURCE and TARGET of each file, with tabs between; `binaries` holds the programs.
installed_files() {
    local system rules example
    system=$(system_folder)
    printf '%s\t%s\t%s\n' \
        755 "$binaries/roostd" "$prefix/bin/roostd" \
        755 "$binaries/roost" "$prefix/bin/roost" \
        644 "$root/packaging/systemd/roostd.service" "$system/systemd/system/roostd.service" \
        644 "$root/packaging/systemd/roost-power-off.path" "$system/systemd/system/roost-power-off.path" \
        644 "$root/packaging/systemd/roost-power-off.service" "$system/systemd/system/roost-power-off.service" \
        644 "$root/packaging/systemd/roost-bus.path" "$system/systemd/system/roost-bus.path" \
        644 "$root/packaging/systemd/roost-bus.service" "$system/systemd/system/roost-bus.service" \
        644 "$root/packaging/systemd/sysusers.conf" "$system/sysusers.d/roost.conf" \
        644 "$root/packaging/systemd/tmpfiles.conf" "$system/tmpfiles.d/roost.conf" \
        644 "$root/packaging/systemd/modules-load.conf" "$system/modules-load.d/roost.conf" \
        755 "$root/packaging/networkmanager/40-roost-time" "$(manager_folder)/40-roost-time" \
        644 "$root/README.md" "$prefix/share/doc/roost/README.md" \
        644 "$root/LICENSE" "$prefix/share/doc/roost/LICENSE" \
        644 "$root/docs/examples/README.md" "$prefix/share/doc/roost/examples/README.md" \
        644 "$root/hardware-profiles/profile.schema.json" "$prefix/share/roost/profile.schema.json" \
        644 "$root/packaging/image/root/etc/avahi/services/roost.service" "$prefix/share/roost/roost.avahi-service" \
        644 "$extras/roost.1" "$prefix/share/man/man1/roost.1" \
        644 "$extras/roostd.8" "$prefix/share/man/man8/roostd.8" \
        644 "$extras/roost.bash" "$prefix/share/bash-completion/completions/roost" \
        644 "$extras/roost.zsh" "$prefix/share/zsh/$(zsh_folder)/_roost" \
        644 "$extras/roost.fish" "$prefix/share/fish/vendor_completions.d/roost.fish"
    for example in "$root"/docs/examples/*.json; do
        printf '644\t%s\t%s\n' "$example" "$prefix/share/doc/roost/examples/${example##*/}"
    done
    # A station without the dashboard is a station, too.
    if has_web; then
        printf '%s\t%s\t%s\n' \
            755 "$binaries/roost-web" "$prefix/bin/roost-web" \
            644 "$extras/roost-web.8" "$prefix/share/man/man8/roost-web.8" \
            644 "$root/packaging/systemd/roost-web.service" \
            "$system/systemd/system/roost-web.service" \
            644 "$root/packaging/systemd/roost-web.socket" \
            "$system/systemd/system/roost-web.socket"
        while IFS= read -r rules; do
            is_joined "$rules" || printf '644\t%s\t%s\n' "$rules" \
                "$prefix/share/roost/web/${rules#"$root/Sources/RoostWeb/www/"}"
        done < <(find "$root/Sources/RoostWeb/www" -type f | sort)
        for rules in js/roost.js js/later.js css/roost.css; do
            printf '644\t%s\t%s\n' "$extras/web/$rules" "$prefix/share/roost/web/$rules"
        done
    fi
    if has_courier; then
        printf '%s\t%s\t%s\n' \
            755 "$binaries/roost-courier" "$prefix/bin/roost-courier" \
            644 "$root/packaging/systemd/roost-courier.service" \
            "$system/systemd/system/roost-courier.service" \
            644 "$root/packaging/systemd/roost-courier.path" \
            "$system/systemd/system/roost-courier.path" \
            644 "$extras/roost-courier.8" "$prefix/share/man/man8/roost-courier.8"
    fi
    if has_eyes; then
        printf '%s\t%s\t%s\n' \
            755 "$binaries/roost-eyes" "$prefix/bin/roost-eyes" \
            644 "$root/packaging/systemd/roost-eyes.service" \
            "$system/systemd/system/roost-eyes.service" \
            644 "$root/packaging/systemd/roost-eyes.path" \
            "$system/systemd/system/roost-eyes.path" \
            644 "$extras/roost-eyes.8" "$prefix/share/man/man8/roost-eyes.8"
    fi
    for rules in "$root"/udev-rules/*.rules "$root"/packaging/systemd/*.rules; do
        printf '644\t%s\t%s\n' "$rules" "$system/udev/rules.d/${rules##*/}"
    done
}

# Whether systemd runs here and the files go to where it looks.
is_live() { [[ -z $destination && -d /run/systemd/system ]]; }

say() { printf '%s\n' "$*"; }
fail() {
    printf '%s: %s\n' "${0##*/}" "$2" >&2
    exit "$1"
}

# Says a command, and runs it unless nothing is to be changed.
act() {
    say "  run     $*"
    [[ $dry_run == yes ]] || "$@"
}

# Fills `prefix`, `destination`, `dry_run` and the script's own from the arguments left.
read_common() {
    case $1 in
        --prefix=*) prefix=${1#*=} ;;
        --destination=*) destination=${1#*=} ;;
        --dry-run) dry_run=yes ;;
        -h | --help) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
}

check_common() {
    [[ $prefix == /* ]] || fail 2 "--prefix must begin with /, not '$prefix'"
    prefix=${prefix%/}
    destination=${destination%/}
    [[ -n $destination || $dry_run == yes || $(id -u) -eq 0 ]] ||
        fail 3 "the system's folders are root's: run it with sudo, or give --destination"
}
