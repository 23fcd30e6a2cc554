import Core
import SQLite
import Testing

@testable import Store

@Suite struct ExportSQLiteTests {
    private let folder = HistoryFolder()
    private var path: String { folder.path + "/export.db" }

    private func export(_ samples: [DatedSample], _ events: [DatedEvent] = []) throws {
        let export = try ExportSQLite(path)
        var source = SequenceSource(samples)
        try export.write(&source)
        for event in events { try export.write(event) }
        let done = try export.finish()
        #expect(done.samples == samples.count)
        #expect(done.bytes > 0)
    }

    @Test func valuesAndTimesAreWhatTheyWere() throws {
        let samples = Array(PeriodSeries(count: 300))
        try export(samples)
        let connection = try Connection(path, mode: .readOnly)
        let sql = "SELECT time, unsure, channel, value, quality, tick FROM readings ORDER BY rowid"
        var rows: [(Double, Bool, Int, Double)] = []
        try connection.query(sql) { (row) throws(SQLiteError) in
            #expect(row.value(4) == .null)
            #expect(row.value(5) == .null)
            rows.append((try row[0], try row[1], try row[2], try row[3]))
        }
        let expected = samples.flatMap { sample in
            sample.outcomes.enumerated().map { number, outcome in
                (
                    Double(sample.wall?.tenths ?? 0) / 10, false, number + 1,
                    outcome.value?.doubleValue ?? 0
                )
            }
        }
        #expect(rows.elementsEqual(expected) { $0 == $1 })
        #expect(try connection.integrityCheck().isEmpty)
        #expect(try connection.userVersion() == 1)
    }

    @Test func absenceDoubtAndFlagsAreSaid() throws {
        let wall = WallTime(seconds: 1_700_000_000)
        let flagged = Outcome.value(FixedPoint(5, decimals: 1), Quality(rawValue: 3))
        try export([
            DatedSample(at: wall, [.noData(.unplugged), flagged], isSure: false),
            DatedSample(at: nil, [.noData(.stuck), .noData(.stuck)]),
        ])
        let connection = try Connection(path, mode: .readOnly)
        let sql = "SELECT time, unsure, value, quality, tick FROM readings ORDER BY rowid"
        let rows = try connection.rows(sql) { (row) throws(SQLiteError) in
            (0..<5).map { row.value($0) }
        }
        let names = Quality(rawValue: 3).names.joined(separator: "|")
        #expect(
            rows == [
                [.real(1_700_000_000), .integer(1), .null, .text("unplugged"), .null],
                [.real(1_700_000_000), .integer(1), .real(0.5), .text(names), .null],
                [.null, .integer(1), .null, .text("stuck"), .real(0.5)],
                [.null, .integer(1), .null, .text("stuck"), .real(0.5)],
            ]
        )
    }

    @Test func eventsAreWrittenWithTheirDetails() throws {
        let event = Event(
            at: MonotonicInstant(nanoseconds: 7_250_000_000),
            source: "lights",
            kind: .plain(.lampChanged),
            severity: .warning,
            ["lamp": "green \"x\"", "was": "unknown"]
        )
        let time = ClockAnchors.Time(wall: WallTime(seconds: 1_700_000_000), isSure: true)
        try export(
            [],
            [
                DatedEvent(boot: .numbered(1), event: event, time: time),
                DatedEvent(boot: .numbered(2), event: event, time: nil),
            ]
        )
        let connection = try Connection(path, mode: .readOnly)
        let sql = "SELECT time, unsure, severity, kind, details->>'lamp', boot, tick FROM events"
        let rows = try connection.rows(sql) { (row) throws(SQLiteError) in
            (0..<7).map { row.value($0) }
        }
        let words: [SQLiteValue] = [
            .text("warning"), .text("lamp changed"), .text("green \"x\""),
        ]
        #expect(
            rows == [
                [.real(1_700_000_000), .integer(0)] + words + [.integer(1), .null],
                [.null, .integer(1)] + words + [.integer(2), .real(7.2)],
            ]
        )
    }

    @Test func peopleReadItWithoutJoining() throws {
        try export([
            DatedSample(
                at: WallTime(tenths: 17_000_000_003),
                [.value(FixedPoint(123, decimals: 1)), .noData(.stuck)]
            )
        ])
        let connection = try Connection(path, mode: .readOnly)
        let sql = "SELECT time, device, channel, value, unit FROM dated WHERE value IS NOT NULL"
        let rows = try connection.rows(sql) { (row) throws(SQLiteError) in
            (0..<5).map { row.value($0) }
        }
        #expect(
            rows == [
                [
                    .text("2023-11-14T22:13:20.300Z"), .text("balcony"), .text("pm25"),
                    .real(12.3), .text("µg/m³"),
                ]
            ]
        )
        let schema: String? = try connection.scalar(
            "SELECT sql FROM sqlite_schema WHERE name = 'readings'"
        )
        #expect(schema?.contains("Seconds since 1970") == true)
    }
}
