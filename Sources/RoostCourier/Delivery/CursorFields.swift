import Core
import Store

/// Writes the fields of a cursor, or reads them: one list of fields does both.
///
/// After a field that cannot be read, `isMalformed` is true, and all further ones are 0 or empty.
struct CursorFields {
    private(set) var bytes: [UInt8]
    let isReading: Bool
    private(set) var isMalformed = false
    private var position = 0

    init() { (bytes, isReading) = ([], false) }

    init(reading bytes: [UInt8]) { (self.bytes, isReading) = (bytes, true) }

    var isAtEnd: Bool { position == bytes.count }

    /// Demands something of a value that was read.
    mutating func require(_ condition: Bool) {
        if isReading, !condition { isMalformed = true }
    }

    /// Whether fields follow that only some cursors have at their end.
    func goesOn(_ isThere: Bool) -> Bool { isReading ? !isAtEnd && !isMalformed : isThere }

    /// - Parameters:
    ///   - base: Number from which it counts.
    ///   - limit: Highest count that may be read, never above the range of counters.
    mutating func number<Number: BinaryInteger>(
        _ value: inout Number,
        from base: Number = 0,
        upTo limit: Int = .max
    ) {
        guard isReading else { return Varint.append(UInt64(clamping: value - base), to: &bytes) }
        value = base
        guard !isMalformed, let read = Varint.read(bytes[...], at: &position), limit >= 0,
            read <= UInt64(min(limit, 1 << 53)), let count = Number(exactly: read)
        else {
            isMalformed = true
            return
        }
        value += count
    }

    mutating func flag(_ value: inout Bool) {
        var number = value ? 1 : 0
        self.number(&number, upTo: 1)
        value = number == 1
    }

    /// One of the values of a list that only grows at its end.
    mutating func choice<Value: CaseIterable & Equatable>(_ value: inout Value) {
        let all = Array(Value.allCases)
        var number = all.firstIndex(of: value) ?? 0
        self.number(&number, upTo: all.count - 1)
        value = all[number]
    }

    /// - Parameter limit: Seconds.
    mutating func seconds(_ value: inout Duration, upTo limit: Int64 = 86_400) {
        var seconds = min(value.components.seconds, limit)
        number(&seconds, upTo: Int(limit))
        value = .seconds(seconds)
    }

    /// A time in whole seconds since 1970; 0 while it is unknown.
    mutating func time(_ value: inout WallTime?) {
        var seconds = (value?.nanoseconds ?? 0) / 1_000_000_000
        number(&seconds, upTo: Int(Int32.max) * 4)
        value = seconds > 0 ? WallTime(nanoseconds: seconds * 1_000_000_000) : nil
    }

    mutating func boot(_ value: inout BootID) {
        guard isReading else {
            bytes += value.bytes
            return
        }
        guard !isMalformed, position + 16 <= bytes.count else {
            isMalformed = true
            return
        }
        value = BootID(bytes: Array(bytes[position..<position + 16]))
        position += 16
    }

    /// A list: how many, then each.
    ///
    /// - Parameters:
    ///   - limit: Items at most.
    ///   - empty: An item before it is read.
    ///   - code: Writes one item, or reads it.
    mutating func list<Item>(
        _ items: inout [Item],
        upTo limit: Int,
        _ empty: Item,
        _ code: (inout CursorFields, inout Item) -> Void
    ) {
        var count = items.count
        number(&count, upTo: limit)
        guard isReading else {
            for var item in items { code(&self, &item) }
            return
        }
        items = []
        while items.count < count, !isMalformed {
            var item = empty
            code(&self, &item)
            items.append(item)
        }
    }

    /// A list at the end, which is not there while it is empty.
    mutating func lastList<Item>(
        _ items: inout [Item],
        upTo limit: Int,
        _ empty: Item,
        _ code: (inout CursorFields, inout Item) -> Void
    ) {
        guard goesOn(!items.isEmpty) else { return }
        list(&items, upTo: limit, empty, code)
        require(!items.isEmpty)
    }

    /// Counts by the reason why something was left out.
    mutating func reasons<Count>(
        _ counts: inout [LeftOut: Count],
        _ zero: Count,
        _ code: (inout CursorFields, inout Count) -> Void
    ) {
        var list = LeftOut.allCases.compactMap { reason in counts[reason].map { (reason, $0) } }
        self.list(&list, upTo: LeftOut.allCases.count, (.tooOld, zero)) { fields, entry in
            fields.choice(&entry.0)
            code(&fields, &entry.1)
        }
        counts = Dictionary(list) { $1 }
    }

    mutating func count(_ value: inout FilePeriodCursor.Count) {
        number(&value.files)
        number(&value.samples)
    }
}
