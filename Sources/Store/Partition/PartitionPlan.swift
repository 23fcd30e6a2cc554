import HardwareIO

/// The writes that make or remove the journal's partition, decided and not done yet.
package struct PartitionPlan: Hashable, Sendable {
    /// Where it may begin, in sectors, best first: where cards erase (4 MiB), so that the journal
    /// shares no erase block with the table; else where every tool begins.
    private static let alignments: [UInt64] = [8_192, 2_048]
    private static let sectorsMin: UInt64 = 2_048
    /// 16 MiB: a start reads all of the ring.
    private static let sectorsMax: UInt64 = 32_768
    /// Sectors of the gap that are read at most: 64 MiB.
    private static let gapSectorsMax: UInt64 = 131_072
    private static let blockSize = 4_096
    private static let sectorsPerBlock = UInt64(blockSize / SectorWrite.sectorSize)

    package let table: PartitionTable
    package let partition: PartitionEntry
    /// Writes in this order, each durable before the next.
    package let writes: [SectorWrite]

    /// Blocks of the ring.
    package var blockCount: Int { Int(partition.sectorCount / Self.sectorsPerBlock) - 1 }

    /// Plans the partition; on a disk that has it already `partition` is that, and `writes` empty.
    package static func make(
        on disk: some DiskSectors,
        id: GUID
    ) throws(PartitionRefusal) -> PartitionPlan {
        let table = try PartitionTable(disk)
        if let journal = table.journal {
            return PartitionPlan(table: table, partition: journal, writes: [])
        }
        guard let end = table.entries.map(\.first).min() else { throw .empty }
        let start = try place(in: table, before: end)
        let wanted = min(end - start, sectorsMax)
        let count = wanted - wanted % sectorsPerBlock
        let number = try table.freeNumber()
        try demandEmpty(disk, table.headSectorCount, end, except: start)
        let partition = PartitionEntry(
            number: number,
            first: start,
            sectorCount: count,
            isOfOurType: true
        )
        let header = JournalPartition(
            blockSize: blockSize,
            blockCount: Int(count / sectorsPerBlock) - 1
        )
        let writes =
            [SectorWrite(start, header.block, "what marks the partition as the journal's")]
            + table.adding(number, first: start, sectorCount: count, id: id)
        return PartitionPlan(table: table, partition: partition, writes: writes)
    }

    /// Plans its removal: the ring becomes zeros, then the entry goes, last what marked it.
    ///
    /// A cut in between leaves a disk on which both plans still work.
    ///
    /// - Throws: `PartitionRefusal`; `.notThere` when there is none.
    package static func undo(
        on disk: some DiskSectors
    ) throws(PartitionRefusal) -> PartitionPlan {
        let table = try PartitionTable(disk)
        guard let journal = table.journal else { throw .notThere }
        guard journal.sectorCount <= sectorsMax, journal.sectorCount > sectorsPerBlock else {
            throw .damaged("partition \(journal.number) has our type, and a size we never make")
        }
        func zeros(_ sectorCount: UInt64) -> [UInt8] {
            [UInt8](repeating: 0, count: Int(sectorCount) * SectorWrite.sectorSize)
        }
        let ring = journal.first + sectorsPerBlock
        let writes =
            [SectorWrite(ring, zeros(journal.sectorCount - sectorsPerBlock), "zeros over the ring")]
            + table.removing(journal.number)
            + [SectorWrite(journal.first, zeros(sectorsPerBlock), "zeros over its mark")]
        return PartitionPlan(table: table, partition: journal, writes: writes)
    }

    private static func place(
        in table: PartitionTable,
        before end: UInt64
    ) throws(PartitionRefusal) -> UInt64 {
        let first = max(table.firstUsable, table.headSectorCount)
        for alignment in alignments {
            let start = max(1, (first + alignment - 1) / alignment) * alignment
            let isRead = start + sectorsMax <= table.headSectorCount + gapSectorsMax
            if isRead, start + sectorsMin <= end { return start }
        }
        let start = max(first, sectorsMin)
        let free = end > start ? end - start : 0
        throw .smallGap(byteCount: free * UInt64(SectorWrite.sectorSize))
    }

    /// Reads the gap, and refuses when a byte of it is not zero.
    ///
    /// What marks a partition of ours may lie at its place: a plan was cut short there.
    private static func demandEmpty(
        _ disk: some DiskSectors,
        _ first: UInt64,
        _ end: UInt64,
        except start: UInt64
    ) throws(PartitionRefusal) {
        let end = min(end, first + gapSectorsMax)
        var bytes = try PartitionTable.read(disk, first, Int(end - first))
        let size = SectorWrite.sectorSize
        let mark = Int(start - first) * size
        if let header = JournalPartition(Array(bytes[mark..<mark + size])) {
            let block = header.block.prefix(size)
            if bytes[mark..<mark + size] == block[...] {
                bytes.replaceSubrange(mark..<mark + size, with: repeatElement(0, count: size))
            }
        }
        guard let found = bytes.firstIndex(where: { $0 != 0 }) else { return }
        let offset = Int(first) * size
        throw .gapInUse(
            byteOffset: UInt64(offset + found),
            kind: FileSystemSignature.inGap(bytes, from: offset)
        )
    }
}
