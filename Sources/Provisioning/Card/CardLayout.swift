import HardwareIO

/// The partitions of a card with an MBR, those within an extended one included.
///
/// - Source: Microsoft's and IBM's tables as Linux reads them, `block/partitions/msdos.c`.
package struct CardLayout: Hashable, Sendable {
    package struct Partition: Hashable, Sendable {
        /// 1…4 in the first sector, from 5 on within the extended one.
        package let number: Int
        /// Type of the partition, such as 0x83.
        package let type: UInt8
        /// Sectors of 512 bytes.
        package let first: UInt64
        package let sectorCount: UInt64
    }

    private static let extendedTypes: Set<UInt8> = [0x05, 0x0F, 0x85]
    /// Sectors of the chain within the extended partition; a longer one leads in a circle.
    private static let chainCountMax = 16

    /// Disk number at byte 440, by which the start of a card of Roost finds it.
    package let diskNumber: UInt32
    package let partitions: [Partition]

    /// - Parameter disk: A card, or the image of one.
    /// - Returns: Nil without a table.
    package static func read(_ disk: some DiskSectors) throws(StorageError) -> CardLayout? {
        guard disk.sectorCount > 0 else { return nil }
        let sector = try disk.read(0, count: 1)
        guard let entries = entries(sector) else { return nil }
        var partitions: [Partition] = []
        for (index, entry) in entries.enumerated() where entry.sectorCount > 0 {
            partitions.append(
                Partition(
                    number: index + 1,
                    type: entry.type,
                    first: entry.first,
                    sectorCount: entry.sectorCount
                )
            )
        }
        if let extended = partitions.first(where: { extendedTypes.contains($0.type) }) {
            partitions += try logical(disk, extended.first)
        }
        let number = sector[440..<444].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return CardLayout(diskNumber: number, partitions: partitions)
    }

    private init(diskNumber: UInt32, partitions: [Partition]) {
        (self.diskNumber, self.partitions) = (diskNumber, partitions)
    }

    /// Reads a chain of logical partitions: each sector names one and the next sector.
    private static func logical(
        _ disk: some DiskSectors,
        _ start: UInt64
    ) throws(StorageError) -> [Partition] {
        var partitions: [Partition] = []
        var place = start
        for _ in 0..<chainCountMax where place < disk.sectorCount {
            guard let entries = entries(try disk.read(place, count: 1)) else { break }
            if entries[0].sectorCount > 0 {
                partitions.append(
                    Partition(
                        number: 5 + partitions.count,
                        type: entries[0].type,
                        first: place + entries[0].first,
                        sectorCount: entries[0].sectorCount
                    )
                )
            }
            guard extendedTypes.contains(entries[1].type), entries[1].first > 0 else { break }
            place = start + entries[1].first
        }
        return partitions
    }

    private static func entries(
        _ sector: [UInt8]
    ) -> [(type: UInt8, first: UInt64, sectorCount: UInt64)]? {
        guard sector.count == 512, sector[510] == 0x55, sector[511] == 0xAA else { return nil }
        return (0..<4).map { index in
            let entry = sector[(446 + index * 16)..<(462 + index * 16)]
            func number(_ offset: Int) -> UInt64 {
                entry.dropFirst(offset).prefix(4).reversed().reduce(0) { $0 << 8 | UInt64($1) }
            }
            return (entry[entry.startIndex + 4], number(8), number(12))
        }
    }
}
