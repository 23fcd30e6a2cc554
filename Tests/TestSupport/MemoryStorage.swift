import Glibc
import HardwareIO

/// Blocks in memory, which can be put into a file.
package final class MemoryStorage: BlockStorage {
    package let blockSize = 4_096
    package let blockCount: Int
    private var bytes: [UInt8]

    package init(blockCount: Int) {
        self.blockCount = blockCount
        bytes = [UInt8](repeating: 0, count: blockCount * 4_096)
    }

    package func read(_ index: Int) throws(StorageError) -> [UInt8] {
        Array(bytes[(index * blockSize)..<((index + 1) * blockSize)])
    }

    package func write(_ index: Int, _ new: [UInt8]) throws(StorageError) {
        let start = index * blockSize
        bytes.replaceSubrange(start..<(start + new.count), with: new)
    }

    package func sync() throws(StorageError) {}

    /// Writes all blocks into a file, which is replaced.
    ///
    /// - Throws: `StorageError.failed`.
    package func put(into path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        guard descriptor >= 0, Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
            throw StorageError.failed(call: "write", errno: errno, path: path)
        }
    }
}
