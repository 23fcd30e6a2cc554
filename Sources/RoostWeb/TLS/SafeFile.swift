import Glibc

/// Small files that only their owner reads, written whole or not at all.
enum SafeFile {
    /// A file that cannot be read or written.
    struct Failure: Error, Hashable, CustomStringConvertible {
        let path: String
        let code: Int32

        var description: String { "\(path): \(String(cString: strerror(code)))" }
    }

    static let sizeMax = 64 << 10

    /// - Returns: nil when there is no such file.
    /// - Throws: `Failure`; `EFBIG` for more than `sizeMax` bytes.
    static func read(_ path: String) throws(Failure) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw Failure(path: path, code: errno)
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: sizeMax + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(descriptor, buffer.baseAddress?.advanced(by: count), sizeMax + 1 - count)
            }
            guard got >= 0 else { throw Failure(path: path, code: errno) }
            if got == 0 { break }
            count += got
        }
        guard count <= sizeMax else { throw Failure(path: path, code: EFBIG) }
        return Array(bytes[..<count])
    }

    /// Writes a file of mode 0600 in one step: a power cut leaves the old one or the new one.
    static func write(_ text: String, to path: String) throws(Failure) {
        let fresh = path + ".new"
        unlink(fresh)
        let descriptor = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure(path: fresh, code: errno) }
        let bytes = Array(text.utf8)
        let count = Glibc.write(descriptor, bytes, bytes.count)
        let isKept = count == bytes.count && fsync(descriptor) == 0
        let code = count >= 0 && count < bytes.count ? ENOSPC : errno
        close(descriptor)
        guard isKept, rename(fresh, path) == 0 else {
            let reason = isKept ? errno : code
            unlink(fresh)
            throw Failure(path: fresh, code: reason)
        }
        // The new name is on the card, too.
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw Failure(path: folder, code: errno) }
        defer { close(directory) }
        guard fsync(directory) == 0 else { throw Failure(path: folder, code: errno) }
    }
}
