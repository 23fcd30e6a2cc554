# The version of the packages. Read by scripts/package and scripts/image; expects `root`.

# SUITE: the version of the sources, and of which commit they are unless it has a tag of that version: `~` sorts
# what comes before a version in front of it, `+` what comes after it behind it.
package_version() {
    local number commit
    number=$(sed -n 's/.*static let text = "\(.*\)".*/\1/p' "$root/Sources/Core/RoostVersion.swift")
    if ! git -C "$root" tag --points-at HEAD | grep -x "v$number" >/dev/null; then
        commit=$(TZ=UTC git -C "$root" log -1 --format=%cd.%h --date=format-local:%Y%m%d.%H%M%S --abbrev=8)
        if git -C "$root" rev-parse --quiet --verify "refs/tags/v$number" >/dev/null; then number+=+; else number+="~"; fi
        number+=git$commit
    fi
    case $1 in
        bookworm) printf '%s-1~deb12' "$number" ;;
        trixie) printf '%s-1~deb13' "$number" ;;
    esac
}
