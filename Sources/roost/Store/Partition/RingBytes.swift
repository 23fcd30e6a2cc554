import ClientSupport
import Glibc
import HardwareIO
import LinuxIO
import Store
import StoreQueries

extension PartitionJob {
    /// Makes `journal.ring` of the partition's ring when blocks in it wait for the history.
    mutating func saveWaiting(_ plan: PartitionPlan, in folder: StoreFolder) throws {
        let part = plan.partition
        let header: JournalPartition?
        let ring: RingBytes
        do {
            let bytes = try disk.sectors.read(part.first, count: Int(part.sectorCount))
            header = JournalPartition(bytes)
            ring = RingBytes(bytes, header)
        } catch { throw TargetDisk.failure(error, disk.path) }
        guard header != nil else { return }
        let cursor = try folder.cursor()
        let waiting = (try? Journal(ring, reusableUpTo: cursor))?.blocks.count ?? 0
        guard waiting > 0 else { return }
        let path = folder.journalPath
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else {
            let failure = FileBytes.failure(path, "cannot be made")
            throw TargetDisk.failure(
                "\(waiting) blocks in the partition wait for the history, and go to a file: "
                    + "\(failure); or start the station once and stop it, so that nothing waits"
            )
        }
        defer { close(descriptor) }
        try FileBytes.write(ring.bytes, to: descriptor, path)
        guard fsync(descriptor) == 0 else { throw FileBytes.failure(path, "cannot be written") }
        folder.giveToOwner(path)
        reportSaved(waiting, path)
    }
}

extension StoreFolder {
    /// The last block that the history has; 0 without a history.
    fileprivate func cursor() throws -> UInt64 {
        guard access(historyPath, F_OK) == 0 else { return 0 }
        return try withStore(self) { try reader().cursor() }
    }

    /// Removes the note that the station used a partition here.
    func forgetJournalPartition() { unlink("\(path)/\(JournalPartition.noteName)") }
}

/// A ring in memory, for reading.
private final class RingBytes: BlockStorage {
    let blockSize: Int
    let bytes: [UInt8]
    var blockCount: Int { bytes.count / blockSize }

    init(_ partition: [UInt8], _ header: JournalPartition?) {
        blockSize = header?.blockSize ?? 4_096
        let count = (header?.blockCount ?? 0) * blockSize
        bytes = Array(partition.dropFirst(blockSize).prefix(count))
    }

    func read(_ index: Int) throws(StorageError) -> [UInt8] {
        Array(bytes[index * blockSize..<(index + 1) * blockSize])
    }

    func write(_ index: Int, _ bytes: [UInt8]) throws(StorageError) {
        throw .readOnly(path: "the partition's ring")
    }

    func sync() throws(StorageError) {}
}
