import HardwareIO

/// The partition table of a disk, checked.
package struct PartitionTable: Hashable, Sendable {
    package enum Scheme: String, Hashable, Sendable {
        case gpt
        case mbr
    }

    private enum Content: Hashable, Sendable {
        case gpt(GUIDPartitionTable)
        case mbr(MasterBootRecord)
    }

    private let content: Content
    package let entries: [PartitionEntry]
    /// The journal's; nil when there is none.
    package let journal: PartitionEntry?
    /// Sectors from the first of the disk on, as they are: what restores the table.
    package let head: [UInt8]

    package var scheme: Scheme { if case .gpt = content { .gpt } else { .mbr } }

    /// Reads it.
    package init(_ disk: some DiskSectors) throws(PartitionRefusal) {
        guard disk.sectorCount > 2 else { throw .noTable }
        let sector = try Self.read(disk, 0, 1)
        if let name = FileSystemSignature.wholeDisk(sector) { throw .fileSystem(name) }
        let record = try MasterBootRecord(sector, sectorCount: disk.sectorCount)
        let headCount: Int
        if record.isProtective {
            let table = try GUIDPartitionTable(disk)
            (content, entries, headCount) = (.gpt(table), table.entries, table.headSectorCount)
        } else {
            (content, entries, headCount) = (.mbr(record), record.entries, 1)
        }
        head = try Self.read(disk, 0, headCount)
        var found: PartitionEntry?
        for entry in entries where entry.isOfOurType && found == nil {
            // Other programs use type 0xDA in an MBR too.
            let begins = try Self.read(disk, entry.first, 1)
            if record.isProtective || JournalPartition(begins) != nil { found = entry }
        }
        journal = found
    }

    /// The first sector behind the table.
    var headSectorCount: UInt64 { UInt64(head.count / SectorWrite.sectorSize) }

    /// The first sector that a partition may have.
    var firstUsable: UInt64 {
        switch content {
        case .gpt(let table): table.firstUsable
        case .mbr: 1
        }
    }

    /// The number that the next partition gets.
    ///
    /// - Throws: `.noFreeEntry`.
    func freeNumber() throws(PartitionRefusal) -> Int {
        switch content {
        case .gpt(let table):
            guard let number = table.freeNumber else {
                throw .noFreeEntry(count: table.entryCount)
            }
            return number
        case .mbr(let record):
            guard let number = record.freeNumber else {
                throw .noFreeEntry(count: MasterBootRecord.entryCount)
            }
            return number
        }
    }

    func adding(_ number: Int, first: UInt64, sectorCount: UInt64, id: GUID) -> [SectorWrite] {
        switch content {
        case .gpt(let table):
            table.adding(number, first: first, sectorCount: sectorCount, id: id)
        case .mbr(let record):
            [
                SectorWrite(
                    0,
                    record.adding(number, first: first, sectorCount: sectorCount),
                    "the table"
                )
            ]
        }
    }

    func removing(_ number: Int) -> [SectorWrite] {
        switch content {
        case .gpt(let table): table.removing(number)
        case .mbr(let record): [SectorWrite(0, record.removing(number), "the table")]
        }
    }

    /// Sectors, with the disk's error as a refusal.
    static func read(
        _ disk: some DiskSectors,
        _ first: UInt64,
        _ count: Int
    ) throws(PartitionRefusal) -> [UInt8] {
        do { return try disk.read(first, count: count) } catch { throw .storage(error) }
    }
}
