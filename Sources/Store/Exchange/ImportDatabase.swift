import Core
import SQLite

/// Reads the readings of a database that `ExportSQLite` wrote: each is a row of `ImportOwnRows`.
///
/// The file is not ours: only its tables are read, never its views, and no text is longer than what
/// the rows' checks allow. It keeps no more than a row and a sample in memory.
package struct ImportDatabase {
    /// Why a file that SQLite opens is not read.
    package enum Refusal: Error, Hashable, CustomStringConvertible {
        /// A whole history, as the station and `roost store compact-copy` write it.
        case history
        case foreign
        case damaged(String)

        package var description: String {
            switch self {
            case .history:
                "it is a whole history; write its samples with `roost export --store FOLDER "
                    + "--format csv`, or look at it where it is with `--store FOLDER`"
            case .foreign: "it is a database of another program"
            case .damaged(let why): "it cannot be read: \(why)"
            }
        }
    }

    /// Rows of each small table: more streams and boots than any station has.
    private static let rowLimit = 65_536

    /// The first bytes of each database file.
    package static let beginning = "SQLite format 3\u{0}"

    private static let tables = ["streams", "channels", "boots", "readings"]
    /// Longer texts are none of ours; see `ImportOwnRows`.
    private static let sql = """
        SELECT r.time, r.unsure, substr(b.kernel_id, 1, 64), substr(s.device, 1, 80),
            substr(c.name, 1, 80), c.decimals, r.value, substr(c.unit, 1, 40),
            substr(r.quality, 1, 400), r.tick
        FROM readings r JOIN channels c ON c.id = r.channel JOIN streams s ON s.id = c.stream
            JOIN boots b ON b.id = r.boot
        ORDER BY r.rowid
        """

    private let path: String
    private let station: String?

    package init(_ path: String, station: String?) { (self.path, self.station) = (path, station) }

    /// Hands out each sample.
    ///
    /// - Parameter progress: Called with the rows read so far.
    /// - Throws: `Refusal`, and what `accept` throws.
    package func read(
        progress: (Int) -> Void,
        accept: (ImportedSample) throws -> Void
    ) throws -> ImportReport {
        let rows = try ReadingRows(path, station: station)
        while try rows.next(ExportProgress.step, accept: accept) { progress(rows.report.rows) }
        return rows.report
    }

    /// Reads some rows at a time, for a reader that others wait for.
    package final class ReadingRows {
        private let path: String
        private let connection: Connection
        private let statement: Statement
        private var rows: ImportOwnRows
        /// Rows that the database says it has.
        package let count: Int
        package private(set) var report = ImportReport()

        package init(_ path: String, station: String?) throws(Refusal) {
            self.path = path
            do {
                connection = try Connection(path, mode: .readOnly)
                try ImportDatabase.demandExport(connection)
                count = try connection.scalar("SELECT count(*) FROM readings") ?? 0
                statement = try connection.statement(ImportDatabase.sql)
            } catch let refusal as Refusal {
                throw refusal
            } catch {
                throw .damaged("\(error)")
            }
            rows = ImportOwnRows(station: station).withoutHeader
        }

        deinit { statement.reset() }

        /// Hands out the samples of the next rows.
        ///
        /// - Returns: False at the end.
        /// - Throws: `Refusal.damaged`, and what `accept` throws.
        package func next(_ count: Int, accept: (ImportedSample) throws -> Void) throws -> Bool {
            for _ in 0..<count {
                guard try step() else {
                    if let sample = rows.finish() { try keep(sample, accept) }
                    return false
                }
                report.rows += 1
                switch rows.read(ImportDatabase.fields(statement.row)) {
                case .header, .row(nil): break
                case .row(.some(let sample)): try keep(sample, accept)
                case .bad(let reason):
                    report.add(ImportProblem(file: path, line: report.rows, reason: reason))
                }
            }
            return true
        }

        private func step() throws(Refusal) -> Bool {
            do { return try statement.step() } catch { throw .damaged("\(error)") }
        }

        private func keep(
            _ sample: ImportedSample,
            _ accept: (ImportedSample) throws -> Void
        ) throws {
            try accept(sample)
            report.imported += 1
        }
    }

    private static func demandExport(_ connection: Connection) throws {
        switch try connection.applicationID() {
        case ExportSQLite.applicationID: break
        case HistorySchema.applicationID: throw Refusal.history
        default: throw Refusal.foreign
        }
        for table in Self.tables {
            let kind: String? = try connection.scalar(
                "SELECT type FROM sqlite_schema WHERE name = ?",
                table
            )
            guard kind == "table" else { throw Refusal.foreign }
        }
        // Numbers that come twice, or too many of them, would make the reading endless.
        for table in Self.tables where table != "readings" {
            let count: Int? = try connection.scalar("SELECT count(id) FROM \(table)")
            let different: Int? = try connection.scalar("SELECT count(DISTINCT id) FROM \(table)")
            guard let count, count == different, count <= Self.rowLimit else {
                throw Refusal.damaged("the numbers in its table \(table) are not usable")
            }
        }
    }

    /// The columns of `ExportText.columns`.
    private static func fields(_ row: Row) -> [String] {
        let isSure = row.value(1) == .integer(0)
        let value = decimal(row.value(6), decimals: row.value(5))
        return [
            time(row.value(0)), isSure ? "yes" : "no", text(row.value(2)), tick(row.value(9)),
            text(row.value(3)), text(row.value(4)), value, text(row.value(7)),
            value.isEmpty ? "" : text(row.value(8)), "",
        ]
    }

    private static func text(_ value: SQLiteValue) -> String {
        guard case .text(let text) = value else { return "" }
        return text
    }

    private static func real(_ value: SQLiteValue) -> Double? {
        switch value {
        case .real(let number): number.isFinite ? number : nil
        case .integer(let number): Double(number)
        default: nil
        }
    }

    private static func time(_ value: SQLiteValue) -> String {
        guard let seconds = real(value), abs(seconds) < 1e11 else { return "" }
        return WallTime(tenths: Int64((seconds * 10).rounded())).iso8601Tenths
    }

    private static func tick(_ value: SQLiteValue) -> String {
        real(value).map { "\($0)" } ?? ""
    }

    /// The exact decimal that the export made a floating number of.
    ///
    /// A number with more digits than its channel has is none, and the row is bad.
    private static func decimal(_ value: SQLiteValue, decimals: SQLiteValue) -> String {
        if case .null = value { return "" }
        guard case .integer(let places) = decimals, (0...9).contains(places),
            let number = real(value), abs(number) < 1e9
        else { return "?" }
        let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
        let mantissa = (number * scale).rounded()
        let isExact = abs(mantissa / scale - number) <= max(1, abs(number)) * 1e-12
        guard isExact else { return "?" }
        return FixedPoint(Int64(mantissa), decimals: Int(places)).description
    }
}
