import Glibc
import SQLite

/// The pages of a history that never change from the first day on.
///
/// Rows are made once and overwritten in place, so the index pages above them, and the first page
/// except for its counters, are the same in every history of one size: a new one has whole ones.
///
/// - Source: SQLite file format, section 1.6: B-tree pages.
struct HistoryTrees {
    /// An interior page of a table.
    private static let interior: UInt8 = 5
    private static let headerByteCount = 12
    /// Bytes of the first page behind the header of the file.
    private static let schema = 100..<HistorySchema.pageSize

    private let first: [UInt8]
    private let pageCount: Int
    /// Pages of each table's tree in a new history, by their number.
    private var trees: [String: [Int: [UInt8]]] = [:]

    /// Reads the trees of a new history.
    init(of connection: Connection) throws(SQLiteError) {
        first = try connection.filePage(1, size: HistorySchema.pageSize)
        pageCount = try connection.pageCount()
        for table in HistoryRing.allCases.map(\.table) + HistorySchema.catalogueTables {
            let root: Int? = try connection.scalar(
                "SELECT rootpage FROM sqlite_schema WHERE name = ?",
                table
            )
            var pages: [Int: [UInt8]] = [:]
            try Self.walk(root ?? 0, connection, &pages)
            trees[table] = pages
        }
    }

    private static func walk(
        _ number: Int,
        _ connection: Connection,
        _ pages: inout [Int: [UInt8]]
    ) throws(SQLiteError) {
        guard number > 1, pages[number] == nil else { return }
        let page = try connection.filePage(number, size: HistorySchema.pageSize)
        guard page[0] == interior else { return }
        pages[number] = page
        let count = Int(page[3]) << 8 | Int(page[4])
        for index in 0..<count {
            let offset = headerByteCount + index * 2
            let cell = Int(page[offset]) << 8 | Int(page[offset + 1])
            try walk(child(page, at: cell), connection, &pages)
        }
        try walk(child(page, at: 8), connection, &pages)
    }

    private static func child(_ page: [UInt8], at offset: Int) -> Int {
        guard offset + 4 <= page.count else { return 0 }
        return page[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    /// Puts whole pages in the place of those of a damaged history that are not like them.
    ///
    /// No process may have it open. A history of another size, or with another layout, is left
    /// alone.
    func mend(_ path: String) {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // Pages that were cut off or zeroed tell nothing about the layout.
        var (likeThese, others) = (0, 0)
        for (number, page) in [(key: 1, value: first)] + trees.values.flatMap(\.self) {
            guard let found = Self.page(number, of: descriptor), found.contains(where: { $0 != 0 })
            else { continue }
            let body = number == 1 ? Self.schema : 0..<page.count
            if found[body] == page[body] { likeThese += 1 } else { others += 1 }
        }
        guard likeThese > 0, likeThese >= others else { return }
        // One that was cut short gets its length again, or SQLite would read nothing of it.
        var status = stat()
        let byteCount = off_t(pageCount * HistorySchema.pageSize)
        if fstat(descriptor, &status) == 0, status.st_size < byteCount {
            ftruncate(descriptor, byteCount)
        }
        // All but what counts changes, and which SQLite made the last.
        let found = Self.page(1, of: descriptor)
        let fixed = [0..<24, 28..<40, 44..<60, 64..<92, 100..<first.count]
        if fixed.contains(where: { found?[$0] != first[$0] }) {
            Self.write(first, 1, to: descriptor)
        }
        for table in Self.brokenTables(of: path, among: trees.keys.sorted()) {
            for (number, page) in trees[table] ?? [:] { Self.write(page, number, to: descriptor) }
        }
    }

    private static func brokenTables(of path: String, among tables: [String]) -> [String] {
        guard let connection = try? Connection(path, mode: .readOnly) else { return tables }
        defer { try? connection.close() }
        return tables.filter { table in
            let text: String? = try? connection.scalar("PRAGMA quick_check('\(table)')")
            return text != "ok"
        }
    }

    private static func page(_ number: Int, of descriptor: Int32) -> [UInt8]? {
        let size = HistorySchema.pageSize
        var bytes = [UInt8](repeating: 0, count: size)
        let count = pread(descriptor, &bytes, size, off_t((number - 1) * size))
        return count == size ? bytes : nil
    }

    private static func write(_ page: [UInt8], _ number: Int, to descriptor: Int32) {
        let size = HistorySchema.pageSize
        // A file that cannot be written is read unchanged.
        _ = pwrite(descriptor, page, size, off_t((number - 1) * size))
    }
}
