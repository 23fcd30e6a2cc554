import CPowerCutVFS
import Glibc
import HardwareIO

/// A file of blocks whose writes and syncs go into the recording of its folder.
///
/// For a journal beside a recorded database: one log holds what both did, in order.
package final class PowerCutBlockStorage: BlockStorage {
    package let path: String
    package let blockSize: Int
    package let blockCount: Int
    private let descriptor: Int32

    /// Opens the file, or creates it full of zeros, synced and its folder too.
    ///
    /// A file shorter than asked for, as a cut during its creation leaves it, is filled up.
    package init(path: String, blockSize: Int, blockCount: Int) throws(StorageError) {
        precondition(blockSize > 0 && blockSize % CardModel.sectorSize == 0, "\(blockSize)")
        self.path = path
        self.blockSize = blockSize
        self.blockCount = blockCount
        let isNew = access(path, F_OK) != 0
        if isNew { try Self.check(powercut_note_create(path), "open", path) }
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.error(errno, "open", path) }
        let size = Int(lseek(descriptor, 0, SEEK_END))
        let missing = blockSize * blockCount - size
        guard isNew || missing > 0 else { return }
        try write([UInt8](repeating: 0, count: max(0, missing)), at: size)
        try sync()
        try Self.check(powercut_note_sync_folder(path), "fsync", path)
    }

    deinit { close(descriptor) }

    package func read(_ index: Int) throws(StorageError) -> [UInt8] {
        precondition((0..<blockCount).contains(index), "block \(index) of \(blockCount)")
        var bytes = [UInt8](repeating: 0, count: blockSize)
        let count = pread(descriptor, &bytes, blockSize, off_t(index * blockSize))
        guard count >= 0 else { throw Self.error(errno, "pread", path) }
        guard count == blockSize else {
            throw .wrongSize(path: path, found: count, wanted: blockSize)
        }
        return bytes
    }

    package func write(_ index: Int, _ bytes: [UInt8]) throws(StorageError) {
        precondition((0..<blockCount).contains(index), "block \(index) of \(blockCount)")
        guard bytes.count <= blockSize, bytes.count % CardModel.sectorSize == 0 else {
            throw .wrongSize(path: path, found: bytes.count, wanted: blockSize)
        }
        try write(bytes, at: index * blockSize)
    }

    package func sync() throws(StorageError) {
        try Self.check(powercut_note_sync(path), "fdatasync", path)
    }

    private func write(_ bytes: [UInt8], at offset: Int) throws(StorageError) {
        let refusal = powercut_note_write(path, Int64(offset), bytes, bytes.count)
        try Self.check(refusal, "pwrite", path)
        let count = pwrite(descriptor, bytes, bytes.count, off_t(offset))
        guard count == bytes.count else { throw Self.error(errno, "pwrite", path) }
    }

    private static func check(_ refusal: Int32, _ call: String, _ path: String) throws(StorageError)
    {
        guard refusal == 0 else { throw error(refusal, call, path) }
    }

    private static func error(_ errno: Int32, _ call: String, _ path: String) -> StorageError {
        switch errno {
        case ENOSPC: .full(path: path)
        case EROFS: .readOnly(path: path)
        default: .failed(call: call, errno: errno, path: path)
        }
    }
}
