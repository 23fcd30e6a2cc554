import Core
import SQLite
import TestSupport
import Testing

@testable import Store

@Suite struct ImportOwnRowsTests {
    private static let doubtful = DatedSample(
        at: WallTime(seconds: 1_700_000_000),
        [.value(12.3), .value(999.9, [.ceiling, .unchanging])]
    )
    private static let unsure = DatedSample(
        at: WallTime(seconds: 1_700_000_060),
        [.noData(.warmingUp), .value(1.5)],
        isSure: false
    )
    private static let samples = [doubtful] + Array(PeriodSeries(count: 130)) + [unsure]

    /// What an import makes of `samples`.
    private static let expected = samples.dropLast().map { sample in
        ImportedSample(
            source: "roost:\(sample.stream.device)",
            wall: sample.wall ?? WallTime(seconds: 0),
            values: zip(sample.stream.quantities, sample.outcomes).compactMap { pair in
                guard case .value(let value, let quality) = pair.1 else { return nil }
                return ImportedSample.Value(pair.0, value, quality)
            }
        )
    }

    private let folder = HistoryFolder()
    private var path: String { folder.path + "/export.db" }

    private static func text(_ format: TextFormat, _ samples: [DatedSample]) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var export = ExportText(format) { bytes += $0 }
        var source = SequenceSource(samples)
        _ = try export.export(&source)
        return bytes
    }

    private func database(_ samples: [DatedSample]) throws {
        let export = try ExportSQLite(path)
        var source = SequenceSource(samples)
        try export.write(&source)
        _ = try export.finish()
    }

    private func load(station: String? = nil) throws -> ([ImportedSample], ImportReport) {
        var samples: [ImportedSample] = []
        let report = try ImportDatabase(path, station: station)
            .read(progress: { _ in }, accept: { samples.append($0) })
        return (samples, report)
    }

    /// What the station exports comes back with values, units and doubts, in pieces of any size.
    @Test(arguments: TextFormat.allCases, [1, 7, 4_096])
    func anExportComesBackWithItsDoubts(format: TextFormat, pieces: Int) throws {
        let files = ImportedFiles()
        let bytes = try Self.text(format, Self.samples)
        let report = try files.load(bytes, as: .own(station: nil), pieces: pieces)
        #expect(files.samples == Self.expected)
        #expect(report.problems.map(\.reason) == [.unsure("2023-11-14T22:14:20.0Z")])
    }

    @Test func aDatabaseComesBackWithItsDoubts() throws {
        try database(Self.samples)
        let (samples, report) = try load()
        #expect(samples == Self.expected)
        #expect(report.imported == samples.count)
        #expect(report.problems.map(\.reason) == [.unsure("2023-11-14T22:14:20.0Z")])
    }

    /// Each decimal of each number of digits is what it was before it was a floating number.
    @Test func aDatabaseKeepsEachDecimal() throws {
        var dice = SplitMix64(seed: 58)
        let values = (0..<2_000).map { _ in
            FixedPoint(Int64.random(in: -9_999_999...9_999_999, using: &dice), decimals: 1)
        }
        try database(
            values.enumerated().map { number, value in
                let wall = WallTime(seconds: 1_700_000_000 + number)
                return DatedSample(at: wall, [.value(value, [])])
            }
        )
        #expect(try load().0.compactMap { $0.values.first?.value } == values)
    }

    @Test func aDatabaseOfAnotherKindIsRefused() throws {
        let connection = try Connection(path)
        try connection.executeScript(ExportSQLite.schema)
        #expect(throws: ImportDatabase.Refusal.foreign) { try load() }
        try connection.setApplicationID(HistorySchema.applicationID)
        #expect(throws: ImportDatabase.Refusal.history) { try load() }
    }

    /// A view in a table's place could run anything for as long as it likes.
    @Test func aDatabaseWithAViewForItsReadingsIsRefused() throws {
        let connection = try Connection(path)
        try connection.setApplicationID(ExportSQLite.applicationID)
        try connection.executeScript(
            ExportSQLite.schema
                + "DROP VIEW dated; DROP TABLE readings; CREATE VIEW readings AS SELECT 1;"
        )
        #expect(throws: ImportDatabase.Refusal.foreign) { try load() }
    }

    /// What no export writes is named with its row, and the rest goes on.
    @Test(arguments: [
        "value = 1e300", "value = 'x'", "value = 1.2345", "unsure = 7", "time = NULL",
        "time = 1e300", "quality = 'odd'", "quality = zeroblob(5000)", "value = x'00'",
    ])
    func aBadReadingIsNamed(change: String) throws {
        try database([Self.doubtful])
        try Connection(path).execute("UPDATE readings SET \(change) WHERE channel = 2")
        let (samples, report) = try load()
        if change.contains("zeroblob") {
            #expect(samples.first?.values.last?.quality == [])
        } else {
            #expect(samples.first?.values.count == 1)
            #expect(report.problems.first?.description.hasPrefix("\(path):2: ") == true)
        }
    }

    /// Copies of two stations whose sensors have one name stay apart; what was imported keeps its.
    @Test func aStationOfACopyHasAName() throws {
        let header = ExportText.columns.joined(separator: ",")
        let rows = ["sds011", "roost:sds011"].map { device in
            "2023-11-14T22:13:20.3Z,yes,b,0.3,\(device),pm25,12.3,µg/m³,,"
        }
        let files = ImportedFiles()
        let text = Array(([header] + rows).joined(separator: "\n").utf8)
        let report = try files.load(text, as: .own(station: "attic"))
        #expect(report.badRows == 0)
        #expect(files.samples.map(\.source) == ["roost:attic/sds011", "roost:sds011"])
    }

    /// An export with bytes changed is read or named, and never more than it had.
    @Test(arguments: TextFormat.allCases)
    func aDamagedExportIsReadOrNamed(format: TextFormat) throws {
        let bytes = try Self.text(format, Array(PeriodSeries(count: 20)))
        var dice = SplitMix64(seed: 5_805)
        for _ in 0..<500 {
            var text = bytes
            for _ in 0...Int.random(in: 0..<4, using: &dice) {
                text[Int.random(in: text.indices, using: &dice)] = UInt8.random(
                    in: 0...255,
                    using: &dice
                )
            }
            let files = ImportedFiles()
            let report = try files.load(text, as: .own(station: nil))
            #expect(report.imported == files.samples.count && report.badRows <= report.rows)
            #expect(files.samples.flatMap(\.values).count <= 40)
        }
    }

    @Test(arguments: [TextFormat.ndjson, .json])
    func aCutCopyIsNamed(format: TextFormat) throws {
        let bytes = try Self.text(format, Array(PeriodSeries(count: 20)))
        let files = ImportedFiles()
        let report = try files.load(Array(bytes.dropLast(30)), as: .own(station: nil))
        #expect(files.samples.count == 19)
        #expect(report.problems.map(\.reason) == [.cut])
    }
}
