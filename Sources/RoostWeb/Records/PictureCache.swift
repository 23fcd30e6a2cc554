import Camera
import Glibc
import HardwareIO
import Synchronization

/// The open ring of pictures, read again when its file has changed.
///
/// Synchronous: it may wait for the card, and belongs on the history's thread.
package final class PictureCache: Sendable {
    private struct Signature: Hashable {
        let inode: UInt
        let seconds: Int
        let nanoseconds: Int
    }

    private struct Opened {
        let signature: Signature
        let ring: PictureRing
    }

    package let path: String
    private let opened = Mutex<Opened?>(nil)

    package init(path: String) { self.path = path }

    /// Whether a camera was ever switched on here; only looks for the file.
    var isThere: Bool { access(path, F_OK) == 0 }

    /// The pictures in the ring, newest first; nil while there is no ring.
    ///
    /// - Throws: `StorageError`.
    func records() throws -> [PictureRecord]? {
        try withRing { $0.records }
    }

    /// One picture and what is known of it; nil when it is not there, or damaged.
    ///
    /// - Throws: `StorageError`.
    func picture(_ number: UInt64) throws -> (record: PictureRecord, bytes: [UInt8])? {
        try withRing { ring in
            guard let record = ring.records.first(where: { $0.number == number }),
                let bytes = try ring.picture(record)
            else { return nil }
            return (record, bytes)
        } ?? nil
    }

    private func withRing<Value: Sendable>(
        _ body: @Sendable (PictureRing) throws -> Value
    ) throws -> Value? {
        try opened.withLock { opened in
            var status = stat()
            guard stat(path, &status) == 0 else {
                opened = nil
                guard errno == EACCES else { return nil }
                throw StorageError.noPermission(path: path)
            }
            let signature = Signature(
                inode: UInt(status.st_ino),
                seconds: status.st_mtim.tv_sec,
                nanoseconds: status.st_mtim.tv_nsec
            )
            if let known = opened, known.signature == signature { return try body(known.ring) }
            opened = nil
            let ring: PictureRing
            do { ring = try PictureFile.read(path) } catch StorageError.absent { return nil }
            opened = Opened(signature: signature, ring: ring)
            return try body(ring)
        }
    }
}
