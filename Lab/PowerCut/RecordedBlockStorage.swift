import CPowerCutVFS
import Glibc
import HardwareIO

/// Notes what is done to another storage into the recording of its folder.
///
/// The bytes go to the storage itself; a sync is noted and not done, as in the whole recording.
package final class RecordedBlockStorage: BlockStorage {
    private let path: String
    private let storage: any BlockStorage
    /// The planted bug: a sync that claims to have happened.
    private let forgetsSyncs: Bool

    package var blockSize: Int { storage.blockSize }
    package var blockCount: Int { storage.blockCount }

    /// Wraps the storage that lies at `path`.
    ///
    /// - Parameters:
    ///   - isNew: Whether it made the file just now: zeros under the name `path.new`, synced,
    ///     renamed, the folder synced.
    ///   - forgetsSyncs: A planted bug, for the proof that it is found.
    /// - Throws: `StorageError` when the recording refuses.
    package init(
        _ storage: any BlockStorage,
        path: String,
        isNew: Bool,
        forgetsSyncs: Bool = false
    ) throws(StorageError) {
        (self.storage, self.path, self.forgetsSyncs) = (storage, path, forgetsSyncs)
        guard isNew else { return }
        let zeros = [UInt8](repeating: 0, count: storage.blockSize * storage.blockCount)
        let temporary = path + ".new"
        try check(powercut_note_create(temporary), "open")
        try check(powercut_note_write(temporary, 0, zeros, zeros.count), "write")
        try check(powercut_note_sync(temporary), "fsync")
        let name = path.split(separator: "/").last.map(String.init) ?? path
        try check(powercut_note_rename(temporary, name), "rename")
        try check(powercut_note_sync_folder(path), "fsync")
    }

    package func read(_ index: Int) throws(StorageError) -> [UInt8] { try storage.read(index) }

    package func write(_ index: Int, _ bytes: [UInt8]) throws(StorageError) {
        let offset = Int64(index * blockSize)
        try check(powercut_note_write(path, offset, bytes, bytes.count), "pwrite")
        try storage.write(index, bytes)
    }

    package func sync() throws(StorageError) {
        if !forgetsSyncs { try check(powercut_note_sync(path), "fdatasync") }
    }

    private func check(_ refusal: Int32, _ call: String) throws(StorageError) {
        switch refusal {
        case 0: return
        case ENOSPC: throw .full(path: path)
        case EROFS: throw .readOnly(path: path)
        default: throw .failed(call: call, errno: refusal, path: path)
        }
    }
}
