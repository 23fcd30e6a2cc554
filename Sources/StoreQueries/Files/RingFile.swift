import FileIO
import Glibc
import HardwareIO

/// The journal's ring, a file or a partition, for readers.
final class RingFile: BlockStorage {
    let blockSize: Int
    let blockCount: Int
    /// Where the first block lies: behind what marks a partition as the journal's.
    private let offset: Int
    private let file: OpenFile

    /// Opens a ring; the station may be writing to it.
    ///
    /// - Parameters:
    ///   - path: A file, or a block device.
    ///   - blockSize: Bytes of a block.
    init(path: String, blockSize: Int) throws(StorageError) {
        let head: [UInt8]
        do throws(FileError) {
            file = try Files.open(path, allowing: [.links, .devices])
            head = try file.bytes(at: 0, count: 512)
        } catch { throw Self.error(error) }
        let found = Int(lseek(file.descriptor, 0, SEEK_END))
        let partition = head.count == 512 ? JournalPartition(head) : nil
        self.blockSize = blockSize
        offset = partition == nil ? 0 : blockSize
        blockCount = partition?.blockCount ?? max(0, found) / blockSize
        let wanted = blockCount * blockSize + offset
        let isOtherSize = partition.map { $0.blockSize != blockSize } ?? (found != wanted)
        guard blockCount > 0, !isOtherSize, found >= wanted else {
            throw .wrongSize(path: path, found: found, wanted: max(wanted, blockSize))
        }
    }

    var path: String { file.path }

    func read(_ index: Int) throws(StorageError) -> [UInt8] {
        precondition((0..<blockCount).contains(index), "no such block")
        let bytes: [UInt8]
        do { bytes = try file.bytes(at: offset + index * blockSize, count: blockSize) } catch {
            throw Self.error(error)
        }
        guard bytes.count == blockSize else {
            throw .failed(call: "pread", errno: EIO, path: path)
        }
        return bytes
    }

    func write(_ index: Int, _ bytes: [UInt8]) throws(StorageError) {
        throw .readOnly(path: path)
    }

    func sync() throws(StorageError) {}

    private static func error(_ error: FileError) -> StorageError {
        switch error.code {
        case ENOENT, ENOTDIR, ENXIO, ENODEV: .absent(path: error.path)
        case EACCES, EPERM: .noPermission(path: error.path)
        default: .failed(call: "pread", errno: error.code, path: error.path)
        }
    }
}
