import StoreFixtures
import Testing

@testable import Core
@testable import Store
@testable import StoreQueries

/// The rows *dose, clusters, drives, fortnight* of `docs/reference/flags.md`.
@Suite struct ImpossibleValueTests {
    private static let start = "2026-11-22T04:30:00Z"
    private static let here = (latitude: Int64(460_671_000), longitude: Int64(111_211_000))
    private static let impossible = FixedPoint(351_000, decimals: 0)

    /// Ten minutes at 30 counts a minute, one of them with a count that has a flag, and one with a
    /// latitude that has it.
    private static func rows(_ flag: Quality) -> [(Int64, [Outcome])] {
        (1...10).map { (minute: Int64) in
            var row = DriveFixture.row(minute * 60, 30, here)
            if minute == 5 { row.1[0] = .value(impossible, flag) }
            if minute == 7 {
                row.1[1] = .value(FixedPoint(here.latitude + 70_000_000, decimals: 7), flag)
            }
            return row
        }
    }

    private static func fixture(
        _ stream: StreamDescription,
        _ rows: [(Int64, [Outcome])]
    ) throws -> DriveFixture {
        var boot = DriveFixture.Boot(start)
        boot.marks = [.begun(30, "ride"), .ended(630, "ride")]
        boot.samples = [(stream, rows)]
        boot.stopped = 700
        return try DriveFixture([boot])
    }

    @Test(arguments: Quality.everyName)
    func aDoseLeavesOutWhatCannotBe(_ name: String) throws {
        let flag = try #require(Quality(named: name))
        let isOmitted = flag == .outOfRange
        let rows = Self.rows(flag).map { ($0.0, [$0.1[0]]) }
        let fixture = try Self.fixture(DriveFixture.tube, rows)
        let channels = try #require(DoseSummary.Channels(DriveFixture.tube))
        let summary = try DoseSummary(channels, fixture.reader, fixture.times, TimeRange())
        #expect(summary.sampleCount == (isOmitted ? 9 : 10))
        #expect(summary.most == (isOmitted ? 30 : 351_000))
        #expect((try #require(summary.rate).mean == 30) == isOmitted)
    }

    @Test(arguments: Quality.everyName)
    func aClusterLeavesOutWhatCannotBe(_ name: String) throws {
        let flag = try #require(Quality(named: name))
        let isOmitted = flag == .outOfRange
        let fixture = try Self.fixture(DriveFixture.counter, Self.rows(flag))
        let table = try ClusterTable(fixture.reader, fixture.times, "cpm", TimeRange(), nil)
        #expect(table.count == (isOmitted ? 8 : 10))
        #expect(table.clusters.map(\.count).max() == (isOmitted ? 8 : 9))
        #expect(table.clusters.count == (isOmitted ? 1 : 2))
        #expect((table.clusters.map(\.mean).max() == 30) == isOmitted)
    }

    @Test(arguments: Quality.everyName)
    func aDriveLeavesOutWhatCannotBe(_ name: String) throws {
        let flag = try #require(Quality(named: name))
        let isOmitted = flag == .outOfRange
        let fixture = try Self.fixture(DriveFixture.counter, Self.rows(flag))
        let survey = try #require(
            try StoredSurvey.newest(named: "ride", fixture.reader, fixture.times)
        )
        var log = try #require(
            try DriveLog(of: survey, DriveLog.Choice(), fixture.reader, fixture.times)
        )
        let bytes = try #require(try log.bytes(limit: 1 << 20))
        let lines = try String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
            .dropFirst(2).map { try BGeigieRecord(ArraySlice(Array($0.utf8))) }
        #expect(lines.count == (isOmitted ? 9 : 10))
        #expect(lines.map(\.rate).contains(351_000) != isOmitted)
        // Without a latitude to believe it is where it was, and says so.
        #expect(lines.count { !$0.hasFix } == (isOmitted ? 1 : 0))
        #expect(Set(lines.map(\.latitude)).count == (isOmitted ? 1 : 2))
    }

    /// Tests the minute pairs of the period files and of the fortnight.
    @Test(arguments: Quality.everyName)
    func thePairOfAMinuteLeavesOutWhatCannotBe(_ name: String) throws {
        let flag = try #require(Quality(named: name))
        let isOmitted = flag == .outOfRange
        let dust = StreamDescription(
            id: StreamID(9),
            device: "dust",
            quantities: [.pm25, .pm10]
        )
        let rows = (0..<10).map { minute -> (Int64, [Outcome]) in
            let pm25: Outcome = minute == 4 ? .value(4369.1, flag) : .value(3.0)
            return (Int64(minute) * 60, [pm25, .value(5.0)])
        }
        let fixture = try Self.fixture(dust, rows)
        let pairs = try #require(try MinutePairs(fixture.reader, fixture.times))
        let from = pairs.extent.lowerBound
        var found: [FixedPoint] = []
        try pairs.each(fixture.reader, origin: 0, from: from, to: from + 1_200) {
            found.append($0.pm25)
        }
        #expect(found.count == (isOmitted ? 9 : 10))
        #expect(found.contains(4369.1) != isOmitted)
    }
}
