import Core

/// A kind of file that samples are imported from.
package enum ImportFormat: Hashable, Sendable {
    /// Rows `PM2.5,<value>,<time>` and `PM10,…` as `ExportPeriods` writes them.
    ///
    /// The file names neither the source nor the zone, so both are parameters. Rows that follow one
    /// another with one time and different names are one sample.
    case periods(source: String, utcOffset: Int)
    /// A day of one sensor from the archive of Sensor.Community: `;`, a header, UTC without zone.
    case sensorCommunity
    /// What `ExportText` writes, `csv` or JSON; see `ImportOwnRows`, and `ImportDatabase` for what
    /// `ExportSQLite` writes.
    ///
    /// With a name of the station its devices are `roost:NAME/DEVICE`.
    case own(station: String?)
    /// Logs of bGeigies, and measurements of Safecast as JSON; see `ImportSafecastRows`.
    case safecast
}

/// Imports one file, in pieces of any size, keeping no more than a row and a sample of it.
///
/// A sample whose source and time are known already is counted and left, so the same file may be
/// given again. Bad rows are named and the rest goes on.
package struct ImportFile {
    private let file: String
    private let isKnown: (String, WallTime) throws -> Bool
    private let take: (ImportedSample) throws -> Void
    private var content: Content
    private var report = ImportReport()

    /// How the file's bytes become rows.
    private enum Content {
        case csv(CSVReader, any ImportRows)
        /// A Safecast file, before the byte that shows whether it is a log or JSON.
        case unknown(ImportSafecastRows)
        /// Its lines have one field.
        case log(CSVReader, ImportSafecastRows)
        case json(FlatJSON, ImportSafecastRows)
        /// A copy of Roost, before the byte that shows whether it is CSV or JSON.
        case unknownCopy(ImportOwnRows)
        case objects(FlatJSON, ImportOwnObjects)
    }

    /// A byte that is in no log.
    private static let noSeparator: UInt8 = 1

    /// An import to come.
    ///
    /// - Parameters:
    ///   - format: The format of the file.
    ///   - now: What the clock says; samples of Safecast an hour beyond it are bad.
    ///   - isKnown: Whether there is a sample of that source and time; it has to count those that
    ///     `take` was given.
    package init(
        _ file: String,
        as format: ImportFormat,
        now: WallTime? = nil,
        isKnown: @escaping (String, WallTime) throws -> Bool,
        take: @escaping (ImportedSample) throws -> Void
    ) {
        self.file = file
        self.isKnown = isKnown
        self.take = take
        switch format {
        case .periods(let source, let utcOffset):
            let rows = ImportPeriodRows(source: source, utcOffset: utcOffset)
            content = .csv(CSVReader(), rows)
        case .sensorCommunity:
            let reader = CSVReader(separator: UInt8(ascii: ";"))
            content = .csv(reader, ImportSensorCommunityRows())
        case .own(let station): content = .unknownCopy(ImportOwnRows(station: station))
        case .safecast: content = .unknown(ImportSafecastRows(now: now))
        }
    }

    /// Feeds the next bytes of the file; rows read so far, for progress.
    ///
    /// - Throws: What `isKnown` and `take` throw.
    @discardableResult
    package mutating func receive(_ bytes: some Sequence<UInt8>) throws -> Int {
        switch content {
        case .csv(var reader, let rows):
            let found = reader.receive(bytes)
            content = .csv(reader, rows)
            for row in found { try apply(row) }
        case .unknown(let rows):
            let bytes = Array(bytes)
            guard let isJSON = Self.isJSON(bytes) else { return report.rows }
            content =
                isJSON
                ? .json(FlatJSON(), rows) : .log(CSVReader(separator: Self.noSeparator), rows)
            return try receive(bytes)
        case .unknownCopy(let rows):
            let bytes = Array(bytes)
            guard let isJSON = Self.isJSON(bytes) else { return report.rows }
            content =
                isJSON
                ? .objects(FlatJSON(), ImportOwnObjects(rows.withoutHeader))
                : .csv(CSVReader(), rows)
            return try receive(bytes)
        case .objects(var json, var rows):
            let found = json.receive(bytes)
            for object in found {
                for step in rows.read(object) { try apply(step, line: object.line) }
            }
            content = .objects(json, rows)
        case .log(var reader, let rows):
            let found = reader.receive(bytes)
            content = .log(reader, rows)
            for row in found { try apply(line: row, rows) }
        case .json(var json, let rows):
            let found = json.receive(bytes)
            content = .json(json, rows)
            for object in found {
                if let step = rows.read(object.members) { try apply(step, line: object.line) }
            }
        }
        return report.rows
    }

    /// Whether it begins like JSON; nil without a byte to tell.
    private static func isJSON(_ bytes: [UInt8]) -> Bool? {
        bytes.first { $0 > 0x20 }.map { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") }
    }

    /// The end of the file.
    ///
    /// - Throws: What `isKnown` and `take` throw.
    package mutating func finish() throws -> ImportReport {
        switch content {
        case .csv(var reader, let rows):
            let last = reader.finish()
            content = .csv(reader, rows)
            if let last { try apply(last) }
        case .log(var reader, let rows):
            let last = reader.finish()
            content = .log(reader, rows)
            if let last { try apply(line: last, rows) }
        case .json(let json, _):
            // JSON that is nested too deeply was not read to its end.
            if json.isOpen, !json.isTooDeep { try apply(.bad(.cut), line: json.line) }
        case .objects(let json, var rows):
            if let sample = rows.finish() { try store(sample) }
            if json.isOpen { try apply(.bad(.cut), line: json.line) }
        case .unknown, .unknownCopy: break
        }
        if case .csv(_, var rows) = content, let sample = rows.finish() { try store(sample) }
        return report
    }

    private mutating func apply(_ row: CSVReader.Row) throws {
        guard case .csv(let reader, var rows) = content else { return }
        let step: ImportStep
        switch row.content {
        case .success(let fields): step = rows.read(fields)
        case .failure(let damage): step = .bad(.damaged(damage))
        }
        content = .csv(reader, rows)
        try apply(step, line: row.line)
    }

    /// Logs that were edited by people have lines that end with CR alone.
    private mutating func apply(line row: CSVReader.Row, _ rows: ImportSafecastRows) throws {
        switch row.content {
        case .success(let fields):
            for part in (fields.first ?? "").split(separator: "\r") {
                try apply(rows.read(line: String(part)), line: row.line)
            }
        case .failure(let damage): try apply(.bad(.damaged(damage)), line: row.line)
        }
    }

    private mutating func apply(_ step: ImportStep, line: Int) throws {
        if case .header = step { return }
        report.rows += 1
        switch step {
        case .header, .row(nil): break
        case .row(.some(let sample)): try store(sample)
        case .bad(let reason):
            report.add(ImportProblem(file: file, line: line, reason: reason))
        }
    }

    private mutating func store(_ sample: ImportedSample) throws {
        if try isKnown(sample.source, sample.wall) {
            report.known += 1
        } else {
            try take(sample)
            report.imported += 1
        }
    }
}
