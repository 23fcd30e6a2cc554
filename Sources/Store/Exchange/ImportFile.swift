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
}

/// Imports one file, in pieces of any size, keeping no more than a row and a sample of it.
///
/// A sample whose source and time are known already is counted and left, so the same file may be
/// given again. Bad rows are named and the rest goes on.
package struct ImportFile {
    private let file: String
    private let isKnown: (String, WallTime) throws -> Bool
    private let take: (ImportedSample) throws -> Void
    private var reader: CSVReader
    private var rows: any ImportRows
    private var report = ImportReport()

    /// An import to come.
    ///
    /// - Parameters:
    ///   - file: Its name, for problems.
    ///   - format: The format of the file.
    ///   - isKnown: Whether there is a sample of that source and time; it has to count those that
    ///     `take` was given.
    ///   - take: Stores a sample.
    package init(
        _ file: String,
        as format: ImportFormat,
        isKnown: @escaping (String, WallTime) throws -> Bool,
        take: @escaping (ImportedSample) throws -> Void
    ) {
        self.file = file
        self.isKnown = isKnown
        self.take = take
        switch format {
        case .periods(let source, let utcOffset):
            reader = CSVReader()
            rows = ImportPeriodRows(source: source, utcOffset: utcOffset)
        case .sensorCommunity:
            reader = CSVReader(separator: UInt8(ascii: ";"))
            rows = ImportSensorCommunityRows()
        }
    }

    /// Feeds the next bytes of the file; rows read so far, for progress.
    ///
    /// - Throws: What `isKnown` and `take` throw.
    @discardableResult
    package mutating func take(_ bytes: some Sequence<UInt8>) throws -> Int {
        for row in reader.take(bytes) { try take(row) }
        return report.rows
    }

    /// The end of the file.
    ///
    /// - Throws: What `isKnown` and `take` throw.
    package mutating func finish() throws -> ImportReport {
        if let row = reader.finish() { try take(row) }
        if let sample = rows.finish() { try store(sample) }
        return report
    }

    private mutating func take(_ row: CSVReader.Row) throws {
        let step: ImportStep
        switch row.content {
        case .success(let fields): step = rows.take(fields)
        case .failure(let damage): step = .bad(.damaged(damage))
        }
        if case .header = step { return }
        report.rows += 1
        switch step {
        case .header, .row(nil): break
        case .row(.some(let sample)): try store(sample)
        case .bad(let reason):
            report.add(ImportProblem(file: file, line: row.line, reason: reason))
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
