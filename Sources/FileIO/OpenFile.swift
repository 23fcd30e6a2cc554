import Glibc

/// An open file of this machine, closed when its last owner lets it go.
package final class OpenFile: Sendable {
    /// Bytes that one call reads at most, where the caller wants more.
    private static let pieceByteCount = 16_384

    package let path: String
    package let descriptor: Int32

    /// Owns a descriptor from now on.
    ///
    /// - Parameter path: For errors.
    package init(_ descriptor: Int32, _ path: String) {
        (self.descriptor, self.path) = (descriptor, path)
    }

    deinit { close(descriptor) }

    /// Size, kind, permissions and owner as they are now.
    package var status: stat {
        get throws(FileError) {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw FileError("fstat", path) }
            return status
        }
    }

    /// The bytes that one call reads from where the file stands; empty at its end.
    package func next(_ limit: Int) throws(FileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        while true {
            let count = Glibc.read(descriptor, &bytes, limit)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileError("read", path) }
            bytes.removeLast(limit - count)
            return bytes
        }
    }

    /// The bytes from where the file stands; fewer than `limit` only at its end.
    package func read(_ limit: Int) throws(FileError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < limit {
            let piece = try next(min(limit - bytes.count, Self.pieceByteCount))
            if piece.isEmpty { break }
            bytes += piece
        }
        return bytes
    }

    /// The bytes from a place on; fewer than `count` only at the end of the file.
    package func bytes(at place: Int, count: Int) throws(FileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let got = bytes.withUnsafeMutableBytes { buffer in
                pread(
                    descriptor,
                    buffer.baseAddress?.advanced(by: done),
                    count - done,
                    off_t(place + done)
                )
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw FileError("pread", path) }
            if got == 0 { break }
            done += got
        }
        bytes.removeLast(count - done)
        return bytes
    }

    /// Writes all bytes where the file stands.
    package func write(_ bytes: [UInt8]) throws(FileError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileError("write", path, count == 0 ? EIO : errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// Brings what was written to the card.
    package func sync() throws(FileError) {
        while fsync(descriptor) != 0 {
            guard errno == EINTR else { throw FileError("fsync", path) }
        }
    }
}
