# The version of the packages. Read by scripts/package and scripts/image; expects `root`.

# Git's answer about the sources. Root may ask about the clone of another person: with sudo git allows it by itself,
# in a root's own shell not.
of_git() { git -c safe.directory="$root" -C "$root" "$@"; }

# SUITE: the version of the sources, and of which commit they are unless it has a tag of that version: `~` sorts
# what comes before a version in front of it, `+` what comes after it behind it.
package_version() {
    local text commit
    of_git rev-parse --verify --quiet HEAD >/dev/null ||
        fail 4 "git knows no commit of $root, by which packages are called: take a clone, not an archive"
    text=$(sed -n 's/.*static let text = "\(.*\)".*/\1/p' "$root/Sources/Core/RoostVersion.swift")
    if ! of_git tag --points-at HEAD | grep -x "v$text" >/dev/null; then
        commit=$(TZ=UTC of_git log -1 --format=%cd.%h --date=format-local:%Y%m%d.%H%M%S --abbrev=8)
        if of_git rev-parse --quiet --verify "refs/tags/v$text" >/dev/null; then text+=+; else text+="~"; fi
        text+=git$commit
    fi
    case $1 in
        bookworm) printf '%s-1~deb12' "$text" ;;
        trixie) printf '%s-1~deb13' "$text" ;;
    esac
}
