import Glibc
import HardwareIO

/// The journal's ring, a file or a partition, for readers.
package final class RingFile: BlockStorage {
    package let path: String
    package let blockSize: Int
    package let blockCount: Int
    /// Where the first block lies: behind what marks a partition as the journal's.
    private let offset: Int
    private let descriptor: Int32

    /// Opens a ring; the station may be writing to it.
    ///
    /// - Parameters:
    ///   - path: A file, or a block device.
    ///   - blockSize: Bytes of a block.
    package init(path: String, blockSize: Int) throws(StorageError) {
        // A pipe would wait for its writer without O_NONBLOCK.
        let opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard opened >= 0 else { throw Self.error("open", path) }
        descriptor = opened
        let found = Int(lseek(opened, 0, SEEK_END))
        var head = [UInt8](repeating: 0, count: 512)
        let isWhole = pread(opened, &head, head.count, 0) == head.count
        let partition = isWhole ? JournalPartition(head) : nil
        (self.path, self.blockSize) = (path, blockSize)
        offset = partition == nil ? 0 : blockSize
        blockCount = partition?.blockCount ?? max(0, found) / blockSize
        let wanted = blockCount * blockSize + offset
        let isOtherSize = partition.map { $0.blockSize != blockSize } ?? (found != wanted)
        guard blockCount > 0, !isOtherSize, found >= wanted else {
            close(opened)
            throw .wrongSize(path: path, found: found, wanted: max(wanted, blockSize))
        }
    }

    deinit { close(descriptor) }

    package func read(_ index: Int) throws(StorageError) -> [UInt8] {
        precondition((0..<blockCount).contains(index), "no such block")
        var bytes = [UInt8](repeating: 0, count: blockSize)
        var done = 0
        while done < blockSize {
            let place = off_t(offset + index * blockSize + done)
            let count = bytes.withUnsafeMutableBytes { buffer in
                pread(descriptor, buffer.baseAddress?.advanced(by: done), blockSize - done, place)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.error("pread", path) }
            done += count
        }
        return bytes
    }

    package func write(_ index: Int, _ bytes: [UInt8]) throws(StorageError) {
        throw .readOnly(path: path)
    }

    package func sync() throws(StorageError) {}

    private static func error(_ call: String, _ path: String) -> StorageError {
        switch errno {
        case ENOENT, ENOTDIR, ENXIO, ENODEV: .absent(path: path)
        case EACCES, EPERM: .noPermission(path: path)
        default: .failed(call: call, errno: errno, path: path)
        }
    }
}
