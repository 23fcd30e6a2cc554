import SQLite

/// The first page of a history's file and the file's length, as they are on the card.
///
/// SQLite trusts the header: with one bit of it another database is a hundred times as long, may be
/// read only, or stores its text otherwise. All of it but counters is the same in every history, so
/// an impossible value is damage.
///
/// - Source: SQLite file format, section 1.3: the header; section 1.6: B-tree pages.
struct HistoryHeader {
    private static let byteCount = 100

    private let first: [UInt8]
    private let fileByteCount: Int

    /// The header of an open database, read through its own descriptor.
    init(of connection: Connection, fileByteCount: Int) throws(SQLiteError) {
        first = try connection.filePage(1, size: HistorySchema.pageSize)
        self.fileByteCount = fileByteCount
    }

    private func number(_ offset: Int) -> Int {
        first[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    /// Values that are impossible in a history made by Roost.
    ///
    /// - Parameter hasLog: The log may hold a later first page and an end of the file.
    /// - Returns: The fault as text; nil when none is seen.
    func damage(hasLog: Bool) -> String? {
        guard first.count > Self.byteCount else { return "its first page is not there" }
        let formats: Set<UInt8> = [1, 2]
        guard formats.contains(first[18]), formats.contains(first[19]) else {
            return "its header says that it may not be written: \(first[18]), \(first[19])"
        }
        guard first[16] == HistorySchema.pageSize >> 8, first[17] == 0, first[20] == 0 else {
            return "its header says that its pages have another size"
        }
        guard number(52) == 0, number(64) == 0 else {
            return "its header says that its pages move about"
        }
        let counted = number(28) * HistorySchema.pageSize
        // With other counters SQLite uses the length of the file.
        guard !hasLog, number(24) == number(92), counted != fileByteCount else { return nil }
        return "its header says \(counted) bytes, and it has \(fileByteCount)"
    }
}

extension HistoryReader {
    /// Samples in the slot that fills a page of a history's file; 0 on any other page.
    package static func sampleCount(ofPage page: ArraySlice<UInt8>) -> Int {
        let bytes = Array(page)
        guard bytes.count == HistorySchema.pageSize, bytes[0] == 13, bytes[3] == 0, bytes[4] == 1
        else { return 0 }
        // The cell: its length, its row, and the kinds of its columns, eight bytes or so.
        let cell = Int(bytes[8]) << 8 | Int(bytes[9])
        for start in cell..<cell + 12 where start + SlotHeader.byteCount <= bytes.count {
            let header = SlotHeader(Array(bytes[start..<start + SlotHeader.byteCount]))
            guard !header.isTorn, header.key != .events, header.first <= header.last,
                (1...HistoryRing.samples.capacity).contains(header.used)
            else { continue }
            return Int(header.count)
        }
        return 0
    }
}
