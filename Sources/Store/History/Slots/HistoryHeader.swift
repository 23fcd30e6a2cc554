import Glibc
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
    /// A page of cells that are rows of a table, and one that leads to others.
    private static let (leaf, interior): (UInt8, UInt8) = (13, 5)
    /// The migrations' table is made before it.
    private static let firstRingRoot = 3

    private let first: [UInt8]
    private let fileByteCount: Int
    /// Slots of the first ring, by the number of its last one; nil when none can be found.
    let slotCount: Int?

    /// The header of an open database, read through its own descriptor.
    init(of connection: Connection, fileByteCount: Int) throws(SQLiteError) {
        first = try connection.filePage(1, size: HistorySchema.pageSize)
        (slotCount, self.fileByteCount) = (nil, fileByteCount)
    }

    /// The header of a file that is not open; nil when it has none.
    init?(of path: String) {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        func page(_ number: Int) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: HistorySchema.pageSize)
            let count = pread(descriptor, &bytes, bytes.count, off_t((number - 1) * bytes.count))
            return count == bytes.count ? bytes : []
        }
        first = page(1)
        fileByteCount = Int(status.st_size)
        slotCount = Self.lastRow(of: Self.firstRingRoot, page)
        guard first.count > Self.byteCount else { return nil }
    }

    /// The last row of a table: down the tree on its right side, five pages at most.
    private static func lastRow(of root: Int, _ page: (Int) -> [UInt8]) -> Int? {
        var number = root
        for _ in 0..<5 {
            let bytes = page(number)
            guard bytes.count == HistorySchema.pageSize else { return nil }
            if bytes[0] == interior {
                number = bytes[8..<12].reduce(0) { $0 << 8 | Int($1) }
                guard number > root else { return nil }
                continue
            }
            let count = Int(bytes[3]) << 8 | Int(bytes[4])
            guard bytes[0] == leaf, (1...4).contains(count) else { return nil }
            let pointer = 8 + (count - 1) * 2
            let cell = Int(bytes[pointer]) << 8 | Int(bytes[pointer + 1])
            guard cell < bytes.count else { return nil }
            var varints = Varints(bytes[cell...])
            guard varints.next() != nil else { return nil }
            return varints.next()
        }
        return nil
    }

    private func number(_ offset: Int) -> Int {
        first[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    /// Whether it identifies the file as made by Roost.
    var isHistory: Bool { number(68) == HistorySchema.applicationID }

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

    /// Pages that the file had when it was whole.
    ///
    /// The length of the file, or more where the header has more and the last table begins just
    /// before.
    var pageCount: Int {
        let (there, told) = (fileByteCount / HistorySchema.pageSize, number(28))
        guard told > there, let end = lastRoot else { return there }
        return (0...HistorySchema.fixedPageCount).contains(told - end) ? told : there
    }

    /// Where the last table begins, from the schema on the first page; nil when that is damaged.
    ///
    /// The rows of the schema are type, name, table, root page and statement.
    private var lastRoot: Int? {
        guard first[Self.byteCount] == Self.leaf else { return nil }
        let count = Int(first[103]) << 8 | Int(first[104])
        guard (1...64).contains(count) else { return nil }
        var last = 0
        for index in 0..<count {
            let pointer = 108 + index * 2
            let cell = Int(first[pointer]) << 8 | Int(first[pointer + 1])
            guard cell < first.count, let root = Self.root(first[cell...]) else { return nil }
            last = max(last, root)
        }
        return last
    }

    /// The root page in a row of the schema: its fourth column.
    private static func root(_ cell: ArraySlice<UInt8>) -> Int? {
        var varints = Varints(cell)
        // Length of the row, its number, length of its header, then the kinds of its columns.
        guard varints.next() != nil, varints.next() != nil else { return nil }
        let header = varints.place
        guard let headerByteCount = varints.next() else { return nil }
        var offset = header + headerByteCount
        for _ in 0..<3 {
            guard let kind = varints.next(), kind >= 13 else { return nil }
            offset += (kind - 13) / 2
        }
        guard let kind = varints.next(), (1...4).contains(kind), offset + kind <= cell.endIndex
        else { return nil }
        return cell[offset..<offset + kind].reduce(0) { $0 << 8 | Int($1) }
    }

    /// SQLite's integers of seven bits a byte, highest first; those of up to four bytes.
    private struct Varints {
        private let bytes: ArraySlice<UInt8>
        private(set) var place: Int

        init(_ bytes: ArraySlice<UInt8>) { (self.bytes, place) = (bytes, bytes.startIndex) }

        mutating func next() -> Int? {
            var value = 0
            for _ in 0..<4 where place < bytes.endIndex {
                let byte = bytes[place]
                place += 1
                value = value << 7 | Int(byte & 0x7F)
                if byte < 0x80 { return value }
            }
            return nil
        }
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

extension StorePlan {
    /// Returns the plan with the size of a history that was set aside, so that all of it fits;
    /// unchanged when that size is not known.
    ///
    /// Never by a field of the file alone: its length has to bear it out, or its tables.
    func sized(like path: String) -> StorePlan {
        guard let header = HistoryHeader(of: path) else { return self }
        let high = (header.pageCount * HistorySchema.pageSize + (1 << 20) - 1) >> 20
        // A history has up to half a MiB less than its plan says, and above its slots index pages:
        // one for more than 300.
        let range = high - high / 256 - 1...high
        func plan(_ megabytes: Int) -> StorePlan {
            StorePlan(.megabytes(megabytes), load: load, journal: journal, flash: flash)
        }
        // One that was made before places of streams were used again has fewer, and longer rings.
        let plans = range.map(plan) + range.map { plan($0).withLeastPlaces }
        let fitting = plans.first { $0.slotCount(of: .samples) == header.slotCount }
        if let fitting { return fitting }
        let isOurs = !header.isHistory || range.contains(megabytes)
        return (isOurs ? self : plan(high)).shaped(like: path)
    }

    private var withLeastPlaces: StorePlan {
        var plan = self
        plan.streamPlaces = HistorySchema.streamCountMin
        return plan
    }

    /// Returns the plan with as many places for streams as the file has: one that was made before
    /// places were used again has fewer, and its rings are larger.
    ///
    /// The ring of samples comes first, one slot to a page, then one with four slots to a page: the
    /// pages where the smaller ring would have ended show which, also when other pages are damaged.
    private func shaped(like path: String) -> StorePlan {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return self }
        defer { close(descriptor) }
        let old = withLeastPlaces
        // Pages above the leaves: one for each 227 to 512 of them; a few come before.
        let (few, many) = (slotCount(of: .samples), old.slotCount(of: .samples))
        let (from, to) = (few + few / 220 + 10, many + many / 520)
        guard from < to else { return self }
        var votes = 0
        for page in stride(from: from, to: to, by: max(1, (to - from) / 32)) {
            var head = [UInt8](repeating: 0, count: 5)
            let offset = off_t((page - 1) * HistorySchema.pageSize)
            guard pread(descriptor, &head, 5, offset) == 5, head[0] == 13 else { continue }
            switch Int(head[3]) << 8 | Int(head[4]) {
            case HistoryRing.samples.slotsPerPage: votes += 1
            case HistoryRing.minutes.slotsPerPage: votes -= 1
            default: continue
            }
        }
        return votes > 0 ? old : self
    }
}
