import Glibc

/// A file or folder that cannot be read or written, and why.
package struct FileError: Error, Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        /// A call of the system failed.
        case system(call: String, code: Int32)
        /// A folder stands where a file should.
        case folder
        /// A pipe, a device or a socket stands where a file should.
        case special
        /// Other users may read it, and it is a secret.
        case shared(mode: mode_t)
        /// The file has more bytes than may be read of it.
        case tooLong(limit: Int)
    }

    package let path: String
    package let reason: Reason

    package init(_ path: String, _ reason: Reason) { (self.path, self.reason) = (path, reason) }

    /// The error of a system call that failed just now.
    init(_ call: String, _ path: String, _ code: Int32 = errno) {
        self.init(path, .system(call: call, code: code))
    }

    /// Whether there is no such file, nor a folder that could have it.
    package var isAbsent: Bool { code == ENOENT || code == ENOTDIR }

    /// The number of the system, or the nearest to what was found.
    package var code: Int32 {
        switch reason {
        case .system(_, let code): code
        case .folder: EISDIR
        case .special: ENOTSUP
        case .shared: EPERM
        case .tooLong: EFBIG
        }
    }

    /// The reason without the path, in the words of the system where it has some.
    package var text: String {
        switch reason {
        case .system(_, ELOOP): "it is a link, or links lead in a circle; name the file itself"
        case .system(_, let code): String(cString: strerror(code))
        case .folder: "it is a folder; name a file"
        case .special: "it is no file but a pipe, device or socket; name a file"
        case .shared(let mode):
            "it has mode 0\(String(mode, radix: 8)), so that others may read it: chmod 600 \(path)"
        case .tooLong(let limit): "it has more than \(limit) bytes"
        }
    }
}

extension FileError: CustomStringConvertible {
    package var description: String { "\(path): \(text)" }
}
