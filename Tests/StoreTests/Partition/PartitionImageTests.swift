import Fuzzing
import Glibc
import HardwareIO
import LinuxIO
import Testing

@testable import Store

/// Plans carried out on images in files, through the same reads and writes as on a disk.
@Suite struct PartitionImageTests {
    private let folder: HistoryFolder

    init() { folder = HistoryFolder() }

    private func image(_ disk: MadeUpDisk) throws -> String {
        let path = "\(folder.path)/card.img"
        let raw = open(path, O_CREAT | O_RDWR | O_TRUNC, 0o600)
        defer { close(raw) }
        #expect(ftruncate(raw, off_t(disk.sectorCount) * 512) == 0)
        for (sector, bytes) in disk.sectors {
            #expect(pwrite(raw, bytes, bytes.count, off_t(sector) * 512) == bytes.count)
        }
        return path
    }

    @Test(arguments: [MadeUpDisk.mbr(), .gpt()])
    func whatIsPlannedIsWhatIsOnTheDiskAfterwards(made: MadeUpDisk) throws {
        let path = try image(made)
        let disk = try WholeDisk(path: path, isReadOnly: false)
        #expect(disk.isImage && disk.sectorCount == made.sectorCount)
        let plan = try PartitionPlan.make(on: disk, id: MadeUpDisk.id)
        for write in plan.writes { try disk.write(write.sector, write.bytes) }
        for write in plan.writes {
            let count = write.bytes.count / 512
            let there = try disk.read(write.sector, count: count)
            #expect(there == write.bytes)
        }
        let table = try PartitionTable(disk)
        #expect(table.journal == plan.partition)
    }

    @Test func onlyOneChangesATable() throws {
        let path = try image(.mbr())
        let first = try WholeDisk(path: path, isReadOnly: false)
        #expect(throws: StorageError.busy(path: path)) {
            try WholeDisk(path: path, isReadOnly: false)
        }
        _ = try WholeDisk(path: path, isReadOnly: true)
        _ = first.sectorCount
    }
}
