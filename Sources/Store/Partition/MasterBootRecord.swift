/// The first sector of a disk with an MBR: boot code, four entries, the signature.
struct MasterBootRecord: Hashable, Sendable {
    /// Type 0xDA, data that is no file system; the partition's first bytes say whose it is.
    static let journalType: UInt8 = 0xDA
    private static let protectiveType: UInt8 = 0xEE
    private static let tableOffset = 446
    private static let entrySize = 16
    static let entryCount = 4

    let sector: [UInt8]
    let entries: [PartitionEntry]
    /// Whether the table is there to protect a GPT.
    let isProtective: Bool
    /// Number of the first free entry, from 1; nil when all four are in use.
    let freeNumber: Int?

    /// Reads sector 0.
    init(_ sector: [UInt8], sectorCount: UInt64) throws(PartitionRefusal) {
        guard sector.count == SectorWrite.sectorSize, sector[510] == 0x55, sector[511] == 0xAA
        else { throw .noTable }
        self.sector = sector
        let parts = (0..<Self.entryCount).map { index in
            Array(sector[Self.tableOffset + index * Self.entrySize..<510].prefix(Self.entrySize))
        }
        guard parts.allSatisfy({ $0[0] & 0x7F == 0 }) else {
            throw .damaged("an entry of the MBR begins with neither 00 nor 80")
        }
        let types = parts.map { $0[4] }
        isProtective = types.contains(Self.protectiveType)
        if isProtective, types.contains(where: { $0 != 0 && $0 != Self.protectiveType }) {
            throw .hybrid
        }
        freeNumber = parts.firstIndex { $0.allSatisfy { $0 == 0 } }.map { $0 + 1 }
        entries = parts.enumerated().compactMap { index, part in
            let count = TableBytes.number(part, 12, 4)
            guard count > 0 else { return nil }
            return PartitionEntry(
                number: index + 1,
                first: TableBytes.number(part, 8, 4),
                sectorCount: count,
                isOfOurType: part[4] == Self.journalType
            )
        }
        guard !isProtective else { return }
        if let fault = PartitionEntry.fault(entries, within: 1..<max(sectorCount, 2)) {
            throw .damaged(fault)
        }
    }

    /// The sector with one entry more; number and sectors are within what an MBR can say.
    func adding(_ number: Int, first: UInt64, sectorCount: UInt64) -> [UInt8] {
        var entry = [UInt8](repeating: 0, count: Self.entrySize)
        entry.replaceSubrange(1..<4, with: Self.cylinderHeadSector(first))
        entry[4] = Self.journalType
        entry.replaceSubrange(5..<8, with: Self.cylinderHeadSector(first + sectorCount - 1))
        TableBytes.set(&entry, 8, 4, to: first)
        TableBytes.set(&entry, 12, 4, to: sectorCount)
        return replacing(number, with: entry)
    }

    func removing(_ number: Int) -> [UInt8] {
        replacing(number, with: [UInt8](repeating: 0, count: Self.entrySize))
    }

    private func replacing(_ number: Int, with entry: [UInt8]) -> [UInt8] {
        var sector = sector
        let start = Self.tableOffset + (number - 1) * Self.entrySize
        sector.replaceSubrange(start..<start + Self.entrySize, with: entry)
        return sector
    }

    /// 255 heads and 63 sectors, as every tool writes; beyond 8 GB the greatest there is.
    private static func cylinderHeadSector(_ sector: UInt64) -> [UInt8] {
        let cylinder = sector / (255 * 63)
        guard cylinder < 1_024 else { return [0xFE, 0xFF, 0xFF] }
        let (head, place) = (sector / 63 % 255, sector % 63 + 1)
        return [
            UInt8(head), UInt8(place | (cylinder >> 8) << 6), UInt8(truncatingIfNeeded: cylinder),
        ]
    }
}
