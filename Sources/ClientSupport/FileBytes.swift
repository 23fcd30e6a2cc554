import Glibc

/// Files in pieces.
package enum FileBytes {
    package static let pieceByteCount = 65_536

    /// Hands a file to `body` piece by piece; `-` is standard input.
    ///
    /// - Throws: `ClientFailure`, and what `body` throws.
    package static func pieces(of path: String, _ body: ([UInt8]) throws -> Void) throws {
        let descriptor = path == "-" ? dup(0) : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path, "cannot be read") }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: pieceByteCount)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(path, "cannot be read") }
            guard count > 0 else { return }
            try body(Array(buffer.prefix(count)))
        }
    }

    /// Reads all of a file that is not longer than `limit`.
    ///
    /// - Throws: `ClientFailure`.
    package static func read(_ path: String, limit: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try pieces(of: path) { piece in
            bytes += piece
            guard bytes.count <= limit else {
                throw ClientFailure(message: "\(path): longer than \(limit) bytes", exitCode: 1)
            }
        }
        return bytes
    }

    /// Writes everything to a descriptor.
    ///
    /// - Throws: `ClientFailure`.
    package static func write(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                // The reader of standard output has closed it, as `head` does.
                if errno == EPIPE, descriptor == 1 { Output.endUnread() }
                guard errno == EINTR || errno == EAGAIN else { throw failure(path, "write failed") }
                continue
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Bytes of a file, or nil when it is not there.
    package static func size(_ path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }

    package static func failure(_ path: String, _ what: String) -> ClientFailure {
        let text =
            switch errno {
            case ENOENT: "not there; correct the path"
            case EACCES, EPERM: "no permission; use sudo, or name another path"
            case ENOSPC, EDQUOT: "no space left; name another place with --output"
            case EISDIR: "is a folder; name a file"
            case EEXIST: "is there already; name another"
            default: "\(what), errno \(errno)"
            }
        return ClientFailure(message: "\(path): \(text)", exitCode: 1)
    }
}

/// A new file that has its name only once it is complete.
package struct NewFile {
    package let path: String
    private let descriptor: Int32
    private var temporary: String { path + ".part" }

    /// - Throws: `ClientFailure`.
    package init(_ path: String) throws {
        self.path = path
        descriptor = open(path + ".part", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw FileBytes.failure(path, "cannot be written") }
    }

    package func write(_ bytes: [UInt8]) throws { try FileBytes.write(bytes, to: descriptor, path) }

    /// Makes it durable and gives it its name.
    package func commit() throws {
        defer { close(descriptor) }
        guard fsync(descriptor) == 0, rename(temporary, path) == 0 else {
            throw FileBytes.failure(path, "cannot be written")
        }
    }

    package func abandon() {
        close(descriptor)
        unlink(temporary)
    }
}
