import Glibc
import HardwareIO

/// Files that are replaced in one step: a power cut leaves the old one or the new one.
package enum WholeFile {
    package static func write(
        _ bytes: [UInt8],
        to path: String,
        mode: mode_t
    ) throws(StorageError) {
        let fresh = path + ".new"
        unlink(fresh)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let descriptor = open(fresh, flags, mode)
        guard descriptor >= 0 else { throw error("open", fresh) }
        var failure: StorageError?
        do throws(StorageError) {
            // Whatever the umask says.
            fchmod(descriptor, mode)
            try write(bytes, to: descriptor, fresh)
            guard fsync(descriptor) == 0 else { throw error("fsync", fresh) }
        } catch { failure = error }
        close(descriptor)
        if failure == nil, rename(fresh, path) != 0 { failure = error("rename", path) }
        if let failure {
            unlink(fresh)
            throw failure
        }
        syncFolder(of: path)
    }

    /// Writes all bytes where the descriptor stands.
    package static func write(
        _ bytes: [UInt8],
        to descriptor: Int32,
        _ path: String
    ) throws(StorageError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw error("write", path) }
            rest = rest.dropFirst(count)
        }
    }

    /// The first bytes of a file; nil when there is none, or it cannot be read.
    ///
    /// - Parameter kind: The only type that is read: `S_IFREG`, or `S_IFBLK` for a device.
    package static func read(
        _ path: String,
        limit: Int,
        flags: Int32 = 0,
        kind: mode_t = S_IFREG
    ) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == kind else {
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: limit)
        var count = 0
        while count < limit {
            let got = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress?.advanced(by: count), limit - count)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { return nil }
            if got == 0 { break }
            count += got
        }
        return Array(bytes[..<count])
    }

    /// A file as text; nil when there is none.
    package static func text(_ path: String, limit: Int = 4_096) -> String? {
        read(path, limit: limit).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The new name is on the card, too.
    private static func syncFolder(of path: String) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    static func error(_ call: String, _ path: String) -> StorageError {
        switch errno {
        case ENOSPC, EDQUOT: .full(path: path)
        case EROFS: .readOnly(path: path)
        case ENOENT, ENOTDIR: .absent(path: path)
        case EACCES, EPERM: .noPermission(path: path)
        default: .failed(call: call, errno: errno, path: path)
        }
    }
}
