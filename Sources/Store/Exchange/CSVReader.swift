/// Splits a byte stream into rows of comma separated values, in pieces of any size.
///
/// Quotes as in RFC 4180: `"a,b"`, a quote within doubled; but a line end always ends the row, so
/// that a stray quote costs one row and not the file. Rows end in LF or CRLF. A byte order mark at
/// the start is dropped. Empty lines are no rows. A row that is too long or has too many fields is
/// reported and skipped to its end; memory stays at one row.
package struct CSVReader: Sendable {
    /// A row longer than this is damaged; the longest real one known has 200 bytes.
    static let rowBytesMax = 4_096
    /// More fields than any known file has; the widest has 20.
    static let fieldsMax = 64

    /// One line of the file.
    package struct Row: Hashable, Sendable {
        /// Where it begins, 1 for the first line.
        package let line: Int
        package let content: Result<[String], Damage>
    }

    /// Why a line is no row.
    package enum Damage: Error, Hashable, Sendable {
        case tooLong
        case tooManyFields
        /// The line ended within quotes.
        case openQuote
        case notUTF8
    }

    private enum State { case start, bare, quoted, quoteInQuoted }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private let separator: UInt8
    private var state = State.start
    private var field: [UInt8] = []
    private var fields: [[UInt8]] = []
    private var rowBytes = 0
    private var damage: Damage?
    private var line = 1
    private var rowLine = 1
    private var markBytes = 0  // Those of the byte order mark that came so far.
    private var isAtStart = true

    package init(separator: UInt8 = UInt8(ascii: ",")) { self.separator = separator }

    /// Feeds the next bytes; the rows that ended within them.
    package mutating func receive(_ bytes: some Sequence<UInt8>) -> [Row] {
        var rows: [Row] = []
        for byte in bytes {
            if isAtStart, byte == Self.byteOrderMark[markBytes] {
                markBytes += 1
                isAtStart = markBytes < 3
                continue
            }
            if isAtStart {
                isAtStart = false
                for early in Self.byteOrderMark.prefix(markBytes) { receive(early, &rows) }
            }
            receive(byte, &rows)
        }
        return rows
    }

    /// The row that the file ended in, if it has no line end.
    package mutating func finish() -> Row? { endRow() }

    private mutating func receive(_ byte: UInt8, _ rows: inout [Row]) {
        if byte == UInt8(ascii: "\n") { line += 1 }
        rowBytes += 1
        if rowBytes > Self.rowBytesMax, damage == nil { abandon(.tooLong) }
        switch (state, byte) {
        case (_, UInt8(ascii: "\n")):
            if let row = endRow() { rows.append(row) }
        case (.quoted, UInt8(ascii: "\"")): state = .quoteInQuoted
        case (.quoted, _): append(byte)
        case (.quoteInQuoted, UInt8(ascii: "\"")):
            append(byte)
            state = .quoted
        case (_, separator): endField()
        case (.start, UInt8(ascii: "\"")): state = .quoted
        default:
            append(byte)
            state = .bare
        }
    }

    /// Forgets what the row holds and reads on to the end of the line, quotes or not.
    private mutating func abandon(_ why: Damage) {
        damage = why
        fields = []
        field = []
        state = .bare
    }

    private mutating func append(_ byte: UInt8) {
        if damage == nil { field.append(byte) }
    }

    private mutating func endField() {
        guard damage == nil else { return }
        guard fields.count < Self.fieldsMax - 1 else { return abandon(.tooManyFields) }
        fields.append(field)
        field.removeAll(keepingCapacity: true)
        state = .start
    }

    private mutating func endRow() -> Row? {
        defer {
            field.removeAll(keepingCapacity: true)
            fields.removeAll(keepingCapacity: true)
            (state, damage, rowBytes, rowLine) = (.start, nil, 0, line)
        }
        if state == .quoted { damage = damage ?? .openQuote }
        if let damage { return Row(line: rowLine, content: .failure(damage)) }
        if field.last == UInt8(ascii: "\r") { field.removeLast() }
        guard !field.isEmpty || !fields.isEmpty else { return nil }
        var words: [String] = []
        for bytes in fields + [field] {
            guard let word = String(validating: bytes, as: UTF8.self) else {
                return Row(line: rowLine, content: .failure(.notUTF8))
            }
            words.append(word)
        }
        return Row(line: rowLine, content: .success(words))
    }
}
