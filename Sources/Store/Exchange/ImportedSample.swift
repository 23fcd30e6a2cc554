import Core

/// A sample from a file: it has wall time and a source, but no boot and no tick.
package struct ImportedSample: Hashable, Sendable {
    package struct Value: Hashable, Sendable {
        package let quantity: Quantity
        package let value: FixedPoint
        /// What is doubtful about it.
        package let quality: Quality

        package init(_ quantity: Quantity, _ value: FixedPoint, _ quality: Quality = []) {
            (self.quantity, self.value, self.quality) = (quantity, value, quality)
        }
    }

    /// The source, the same for each import of the same data: `sensor-community:5331`.
    package let source: String
    package let wall: WallTime
    /// At least one.
    package let values: [Value]

    package init(source: String, wall: WallTime, values: [Value]) {
        self.source = source
        self.wall = wall
        self.values = values
    }
}

/// A row that was not imported, with its place.
package struct ImportProblem: Hashable, Sendable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable {
        case damaged(CSVReader.Damage)
        case fieldCount(found: Int, wanted: Int)
        /// The first row does not name the columns that are needed.
        case missingColumn(String)
        case unknownQuantity(String)
        case badTime(String)
        /// The station was not sure of the time.
        case unsure(String)
        case badValue(String)
        /// Every column that could have a value is empty.
        case noValue
        /// A line of a counter's log: `checksum`.
        case flaw(String)
        /// The time is ahead of the clock.
        case future(String)
        /// The last object has no end.
        case cut
    }

    package let file: String
    /// 1 for the first line.
    package let line: Int
    package let reason: Reason

    package var description: String { "\(file):\(line): \(text)" }

    private var text: String {
        switch reason {
        case .damaged(.tooLong): "the line is longer than \(CSVReader.rowBytesMax) bytes"
        case .damaged(.tooManyFields): "the line has more than \(CSVReader.fieldsMax) columns"
        case .damaged(.openQuote): "a quote is never closed"
        case .damaged(.notUTF8): "the line is not UTF-8"
        case .fieldCount(let found, let wanted): "\(found) columns instead of \(wanted)"
        case .missingColumn(let name): "there is no column named \(name)"
        case .unknownQuantity(let name): "nothing known is named \(Self.quoted(name))"
        case .badTime(let text): "no time: \(Self.quoted(text))"
        case .unsure(let text): "the station was not sure of the time \(Self.quoted(text))"
        case .badValue(let text): "no number in range: \(Self.quoted(text))"
        case .noValue: "no column has a value"
        case .flaw(let words): "no line of a log: \(words)"
        case .future(let text): "in the future: \(Self.quoted(text))"
        case .cut: "the file ends in the middle"
        }
    }

    /// Quotes at most 40 characters of a file's text, without control characters.
    private static func quoted(_ text: String) -> String {
        let clean = text.unicodeScalars.prefix(40).map { $0.value < 0x20 ? "?" : Character($0) }
        return "\"" + String(clean) + (text.unicodeScalars.count > 40 ? "…\"" : "\"")
    }
}

/// The result of importing one file.
package struct ImportReport: Hashable, Sendable {
    /// Problems kept by name; the others are counted.
    static let problemsMax = 100

    /// Rows read, the header not.
    package internal(set) var rows = 0
    package internal(set) var imported = 0
    /// Samples whose source and time were known already.
    package internal(set) var known = 0
    package internal(set) var badRows = 0
    /// The first of the bad rows.
    package internal(set) var problems: [ImportProblem] = []

    package init() {}

    /// Whether there are rows and none of them is one of this format.
    package var isForeign: Bool { rows > 0 && badRows == rows }

    mutating func add(_ problem: ImportProblem) {
        badRows += 1
        if problems.count < Self.problemsMax { problems.append(problem) }
    }
}
