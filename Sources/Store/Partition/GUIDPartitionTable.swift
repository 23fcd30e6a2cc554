import HardwareIO

/// A GPT with both of its copies.
///
/// - Source: UEFI Specification 2.10, section 5.3.
struct GUIDPartitionTable: Hashable, Sendable {
    /// Roost's own type: 1045a06a-224e-461b-893a-072608b434ff.
    static let journalType: [UInt8] = [
        0x6A, 0xA0, 0x45, 0x10, 0x4E, 0x22, 0x1B, 0x46,
        0x89, 0x3A, 0x07, 0x26, 0x08, 0xB4, 0x34, 0xFF,
    ]
    private static let signature = Array("EFI PART".utf8)
    private static let entryCountMax: UInt64 = 1_024
    private static let entrySizes: Set<UInt64> = [128, 256, 512]

    /// One header and the entries that it names.
    private struct Copy: Hashable, Sendable {
        let place: UInt64
        let header: [UInt8]
        let entriesPlace: UInt64
        /// Whole sectors.
        let entries: [UInt8]
        let entryCount: Int
        let entrySize: Int

        var used: Int { entryCount * entrySize }
        var sectors: Range<UInt64> {
            entriesPlace..<entriesPlace + UInt64(entries.count / SectorWrite.sectorSize)
        }
        func number(_ offset: Int, _ count: Int = 8) -> UInt64 {
            TableBytes.number(header, offset, count)
        }
    }

    private let primary: Copy
    private let backup: Copy
    let entries: [PartitionEntry]
    let freeNumber: Int?
    var entryCount: Int { primary.entryCount }

    /// The first sector that a partition may have.
    var firstUsable: UInt64 { max(primary.number(40), primary.sectors.upperBound) }
    /// Sectors from the first of the disk on that hold the table.
    var headSectorCount: Int { Int(primary.sectors.upperBound) }

    /// Reads and checks both copies.
    init(_ disk: some DiskSectors) throws(PartitionRefusal) {
        primary = try Self.copy(disk, at: 1, "the first copy")
        let place = primary.number(32)
        guard place > 1, place < disk.sectorCount else {
            throw .damaged("the second copy of the GPT lies outside the disk")
        }
        backup = try Self.copy(disk, at: place, "the second copy")
        let usable = primary.number(40)...max(primary.number(40), primary.number(48))
        guard primary.number(40) <= primary.number(48), usable.upperBound < place,
            primary.sectors.upperBound <= usable.lowerBound,
            backup.sectors.lowerBound > usable.upperBound, backup.sectors.upperBound <= place
        else { throw .damaged("the GPT's places contradict each other") }
        guard backup.number(32) == 1, primary.header[40..<72] == backup.header[40..<72],
            primary.header[80..<92] == backup.header[80..<92], primary.entries == backup.entries
        else { throw .damaged("the two copies of the GPT differ") }
        let (entries, size) = (primary.entries, primary.entrySize)
        let parts = (0..<primary.entryCount).map { entries[$0 * size..<($0 + 1) * size] }
        freeNumber = parts.firstIndex { $0.allSatisfy { $0 == 0 } }.map { $0 + 1 }
        self.entries = try Self.entries(parts)
        let sectors = usable.lowerBound..<usable.upperBound + 1
        if let fault = PartitionEntry.fault(self.entries, within: sectors) {
            throw .damaged(fault)
        }
    }

    private static func entries(
        _ parts: [ArraySlice<UInt8>]
    ) throws(PartitionRefusal) -> [PartitionEntry] {
        var entries: [PartitionEntry] = []
        for (index, part) in parts.enumerated() where part.prefix(16).contains(where: { $0 != 0 }) {
            let bytes = Array(part)
            let (first, last) = (TableBytes.number(bytes, 32, 8), TableBytes.number(bytes, 40, 8))
            guard first <= last, last < 1 << 62 else {
                throw .damaged("partition \(index + 1) ends before it begins")
            }
            entries.append(
                PartitionEntry(
                    number: index + 1,
                    first: first,
                    sectorCount: last - first + 1,
                    isOfOurType: Array(bytes[..<16]) == journalType
                )
            )
        }
        return entries
    }

    private static func copy(
        _ disk: some DiskSectors,
        at place: UInt64,
        _ name: String
    ) throws(PartitionRefusal) -> Copy {
        let header = try PartitionTable.read(disk, place, 1)
        func number(_ offset: Int, _ count: Int = 8) -> UInt64 {
            TableBytes.number(header, offset, count)
        }
        guard header.starts(with: signature) else {
            throw .damaged("\(name) of the GPT has no header")
        }
        let size = number(12, 4)
        guard (92...UInt64(SectorWrite.sectorSize)).contains(size),
            number(16, 4) == UInt64(check(header))
        else { throw .damaged("the header of \(name) of the GPT fails its check") }
        let (entriesPlace, count, each) = (number(72), number(80, 4), number(84, 4))
        guard number(24) == place, (1...entryCountMax).contains(count), entrySizes.contains(each),
            (2..<disk.sectorCount).contains(entriesPlace)
        else { throw .damaged("the header of \(name) of the GPT says what cannot be") }
        let sectors = (count * each + 511) / 512
        guard sectors <= disk.sectorCount - entriesPlace else {
            throw .damaged("the entries of \(name) of the GPT lie outside the disk")
        }
        let entries = try PartitionTable.read(disk, entriesPlace, Int(sectors))
        guard number(88, 4) == UInt64(CRC32.checksum(entries.prefix(Int(count * each)))) else {
            throw .damaged("the entries of \(name) of the GPT fail their check")
        }
        return Copy(
            place: place,
            header: header,
            entriesPlace: entriesPlace,
            entries: entries,
            entryCount: Int(count),
            entrySize: Int(each)
        )
    }

    /// Returns the checksum of a header, computed with its own field as zeros.
    private static func check(_ header: [UInt8]) -> UInt32 {
        var bytes = Array(header.prefix(Int(TableBytes.number(header, 12, 4))))
        TableBytes.set(&bytes, 16, 4, to: 0)
        return CRC32.checksum(bytes)
    }

    /// Returns both copies with one more entry, the second first: a cut leaves one whole.
    func adding(_ number: Int, first: UInt64, sectorCount: UInt64, id: GUID) -> [SectorWrite] {
        var entry = Self.journalType + id.bytes
        entry += [UInt8](repeating: 0, count: primary.entrySize - entry.count)
        TableBytes.set(&entry, 32, 8, to: first)
        TableBytes.set(&entry, 40, 8, to: first + sectorCount - 1)
        for (index, unit) in JournalPartition.name.utf16.enumerated() {
            TableBytes.set(&entry, 56 + 2 * index, 2, to: UInt64(unit))
        }
        return replacing(number, with: entry)
    }

    func removing(_ number: Int) -> [SectorWrite] {
        replacing(number, with: [UInt8](repeating: 0, count: primary.entrySize))
    }

    private func replacing(_ number: Int, with entry: [UInt8]) -> [SectorWrite] {
        func writes(_ copy: Copy, _ purpose: String) -> [SectorWrite] {
            var (header, entries) = (copy.header, copy.entries)
            let start = (number - 1) * copy.entrySize
            entries.replaceSubrange(start..<start + copy.entrySize, with: entry)
            TableBytes.set(&header, 88, 4, to: UInt64(CRC32.checksum(entries.prefix(copy.used))))
            TableBytes.set(&header, 16, 4, to: UInt64(Self.check(header)))
            // In one request where they are neighbours, as they nearly always are.
            if copy.entriesPlace == copy.place + 1 {
                return [SectorWrite(copy.place, header + entries, purpose)]
            }
            if copy.sectors.upperBound == copy.place {
                return [SectorWrite(copy.entriesPlace, entries + header, purpose)]
            }
            return [
                SectorWrite(copy.entriesPlace, entries, "\(purpose), its entries"),
                SectorWrite(copy.place, header, "\(purpose), its header"),
            ]
        }
        return writes(backup, "the table's copy at the end of the disk")
            + writes(primary, "the table at the beginning of the disk")
    }
}
