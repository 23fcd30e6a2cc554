import Glibc

/// Advice for a person without the right to open a file.
package enum Permission {
    /// Whether a path cannot be reached for want of permission.
    package static func isMissing(_ path: String, _ mode: Int32 = R_OK) -> Bool {
        faccessat(AT_FDCWD, path, mode, AT_EACCESS) != 0 && errno == EACCES
    }

    /// `may not open PATH: join the group roost: sudo adduser $USER roost, then log in again`.
    package static func text(_ path: String) -> String {
        "may not open \(path): \(nextStep(group: group(of: path)))"
    }

    package static func nextStep(group: String?) -> String {
        guard let group, group != "root" else { return "use sudo" }
        return "join the group \(group): sudo adduser $USER \(group), then log in again"
    }

    /// Returns the group that owns the nearest existing part of a path.
    private static func group(of path: String) -> String? {
        var path = path
        var status = stat()
        while stat(path, &status) != 0 {
            guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return nil }
            path = String(path[..<slash])
        }
        return getgrgid(status.st_gid).map { String(cString: $0.pointee.gr_name) }
    }
}
