import Camera
import FileIO
import Glibc
import HardwareIO
import LinuxIO

/// The lock of the ring's file: one process at a time may change it.
package enum PictureWriterLock {
    /// Opens the ring to change it and hands it to `body`.
    ///
    /// - Parameters:
    ///   - path: The file; made with its whole size where there is none.
    ///   - shape: Its shape; nil for that which it has.
    /// - Returns: What `body` returns.
    /// - Throws: `StorageError`, and what `body` throws.
    package static func change<Value>(
        _ path: String,
        shape: PictureShape?,
        _ body: (PictureRing) throws(StorageError) -> Value
    ) throws(StorageError) -> Value {
        let storage = try FileBlockStorage(
            path: path,
            blockSize: PictureShape.blockSize,
            blockCount: shape?.blockCount
        )
        // A descriptor of its own; it waits for the other process, one change at most.
        let lock: OpenFile
        do { lock = try Files.open(path, allowing: .links) } catch { throw StorageError(error) }
        defer { withExtendedLifetime(lock) {} }
        guard flock(lock.descriptor, LOCK_EX) == 0 else {
            throw .failed(call: "flock", errno: errno, path: path)
        }
        if let shape { return try body(try PictureRing(storage, shape: shape)) }
        return try body(try PictureRing(asFound: storage))
    }
}
