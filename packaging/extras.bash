# What the programs write themselves: manual pages, completions and the joined files of the
# dashboard. Expects `root`, `binaries` and `extras` (a folder to make), `say` and `has_web`,
# `has_courier` and `has_eyes` of files.bash; `runner` holds the words before a program of another architecture.

# Writes the extras; says what is left out where the programs do not run on this machine.
make_extras() {
    local shell joined
    local -a run=(${runner[@]+"${runner[@]}"})
    mkdir "$extras"
    if ! "${run[@]}" "$binaries/roost" --version >/dev/null 2>&1; then
        say "  left out: manual pages and completions: roost does not run on this machine"
        return
    fi
    for shell in bash zsh fish; do
        # They are read, not run.
        "${run[@]}" "$binaries/roost" --generate-completion-script "$shell" | sed '1{/^#!/d}' >"$extras/roost.$shell"
    done
    if has_web; then
        mkdir -p "$extras/web/js" "$extras/web/css"
        for joined in js/roost.js js/later.js css/roost.css; do
            "${run[@]}" "$binaries/roost-web" --www "$root/Sources/RoostWeb/www" --print "$joined" \
                >"$extras/web/$joined"
        done
    fi
    if ! command -v python3 >/dev/null; then
        say "  left out: manual pages: there is no python3"
        return
    fi
    make_manual roost 1
    make_manual roostd 8
    ! has_web || make_manual roost-web 8
    ! has_courier || make_manual roost-courier 8
    ! has_eyes || make_manual roost-eyes 8
    [[ ! -x $binaries/roost-lab ]] || make_manual roost-lab 1
}

make_manual() {
    "${run[@]}" "$binaries/$1" --experimental-dump-help | "$root/packaging/manual" "$2" >"$extras/$1.$2"
}

# Whether a file is also installed packed: a phone on a slow network gets these.
is_packed() {
    case $1 in
        */share/roost/web/*.js | */share/roost/web/*.css | */share/roost/web/*.json) return 0 ;;
        *) return 1 ;;
    esac
}
