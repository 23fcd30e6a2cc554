import Glibc

/// A file that has its name only once it is whole, and is gone when it is let go before.
///
/// One that has the name before stays until then: a loss of power leaves the old one or the new.
package final class NewFile {
    package let path: String
    private let temporary: String
    private let file: OpenFile
    private var isWhole = false

    /// Begins the file beside the place of its name, hidden.
    ///
    /// A link of that name is replaced, and leads nowhere.
    ///
    /// - Parameters:
    ///   - mode: Permissions; a file system without any ignores them.
    ///   - isExact: Whether they count whatever the umask of the process is.
    ///   - owner: Who gets it; nil for the user of the process.
    /// - Throws: `FileError`, also where a folder, a pipe or a device has the name.
    package init(
        _ path: String,
        mode: mode_t,
        isExact: Bool = true,
        owner: FileOwner? = nil
    ) throws(FileError) {
        var status = stat()
        if lstat(path, &status) == 0 {
            switch status.st_mode & S_IFMT {
            case S_IFREG, S_IFLNK: break
            case S_IFDIR: throw FileError(path, .folder)
            default: throw FileError(path, .special)
            }
        }
        let name = path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
        (self.path, temporary) = (path, "\(path.dropLast(name.count)).\(name).new")
        unlink(temporary)
        file = try Files.open(temporary, from: .new, mode: mode)
        if isExact { fchmod(file.descriptor, mode) }
        if let owner, fchown(file.descriptor, owner.user, owner.group) != 0 {
            throw FileError("fchown", path)
        }
    }

    deinit { if !isWhole { unlink(temporary) } }

    package func write(_ bytes: [UInt8]) throws(FileError) {
        do { try file.write(bytes) } catch { throw FileError(path, error.reason) }
    }

    /// Brings it to the card and gives it its name.
    package func commit() throws(FileError) {
        do { try file.sync() } catch { throw FileError(path, error.reason) }
        guard rename(temporary, path) == 0 else { throw FileError("rename", path) }
        isWhole = true
        try Files.sync(folder: Files.folder(of: path))
    }
}

extension Files {
    /// Replaces a file in one step: a loss of power leaves the old one or the new one.
    ///
    /// - Parameters:
    ///   - mode: Permissions, whatever the umask of the process is.
    ///   - owner: Who gets it; nil for the user of the process.
    package static func replace(
        _ path: String,
        with bytes: [UInt8],
        mode: mode_t,
        owner: FileOwner? = nil
    ) throws(FileError) {
        let file = try NewFile(path, mode: mode, owner: owner)
        try file.write(bytes)
        try file.commit()
    }
}

/// The user and the group that have a file.
package struct FileOwner: Hashable, Sendable {
    package let user: uid_t
    package let group: gid_t

    /// The owner of a file or folder; nil when it is not there.
    package init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (user, group) = (status.st_uid, status.st_gid)
    }

    /// A user of this machine with its own group; nil when there is none.
    package init?(named name: String) {
        guard let entry = getpwnam(name) else { return nil }
        (user, group) = (entry.pointee.pw_uid, entry.pointee.pw_gid)
    }
}
