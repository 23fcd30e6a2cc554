import StoreFixtures
import Testing

@testable import Core
@testable import Store
@testable import StoreQueries

@Suite struct ChannelQueryTests {
    private typealias Boot = QueryFixture.Boot

    /// Three hours, half an hour off, two hours; twenty silent minutes in the first.
    private static func fixture() throws -> QueryFixture {
        try QueryFixture([
            Boot(
                started: "2026-04-14T00:00:00Z",
                minutes: 180,
                silent: [60..<80],
                events: [(62, .sensorSilent, .warning), (80, .sensorBack, .info)]
            ),
            Boot(started: "2026-04-14T03:30:00Z", minutes: 120),
        ]) { $0 / 60 % 50 }
    }

    @Test func aSeriesHasTheValuesOfItsSteps() throws {
        let fixture = try Self.fixture()
        let range = QueryFixture.range("2026-04-14T00:00:00Z", "2026-04-14T06:00:00Z")
        let series = try ChannelSeries(
            fixture.channel(),
            fixture.reader,
            fixture.times,
            range,
            // A quarter of an hour each; 22 of the time in which the station ran.
            points: 24,
            wantsFlags: true
        )
        #expect(series.tier == .minute && series.widthTenths == 9_000)
        #expect(series.hasFlags)
        let counts = series.steps.map(\.point.bucket.count)
        #expect(counts.reduce(0, +) == 280)
        #expect(counts[4] == 0 && series.steps[4].covered < 0.1)
        #expect(series.steps[0].covered == 1)
        let starts = series.steps.compactMap { $0.time?.wall.iso8601 }
        #expect(starts[0] == "2026-04-14T00:00:00Z")
        // The time in which the station was off has no step.
        #expect(starts.contains("2026-04-14T03:30:00Z"))
        #expect(!starts.contains("2026-04-14T03:15:00Z"))
    }

    /// A month's chart is no finer where little of the month has values.
    @Test(arguments: [(10, 1), (3 * 1_440, 60)])
    func stepsFollowTheAxis(minutes: Int, most: Int) throws {
        let fixture = try QueryFixture([
            Boot(started: "2026-04-14T00:00:00Z", minutes: minutes)
        ]) { $0 / 60 % 50 }
        let series = try ChannelSeries(
            fixture.channel(),
            fixture.reader,
            fixture.times,
            QueryFixture.range("2026-04-01T00:00:00Z", "2026-05-01T00:00:00Z"),
            points: 600
        )
        let filled = series.steps.count { $0.point.bucket.count > 0 }
        #expect((1...most).contains(filled), "\(filled) steps of \(series.widthTenths) tenths")
        #expect(series.steps.reduce(0) { $0 + Int($1.point.bucket.count) } == minutes)
    }

    /// Four weeks of minutes: each step has the flags of its own values and of no others.
    @Test func aLongSeriesHasItsFlags() throws {
        var boot = Boot(started: "2026-04-13T00:00:00Z", minutes: 28 * 1_440)
        boot.humid = [3_000..<3_001, 20_160..<21_600, 40_000..<40_319]
        let fixture = try QueryFixture([boot]) { $0 / 60 % 50 }
        let series = try ChannelSeries(
            fixture.channel(),
            fixture.reader,
            fixture.times,
            QueryFixture.range("2026-04-13T00:00:00Z", "2026-05-11T00:00:00Z"),
            points: 600,
            wantsFlags: true
        )
        #expect(series.hasFlags)
        let minutes = Int(series.widthTenths / 600)
        for (index, step) in series.steps.enumerated() {
            let own = (index * minutes)..<((index + 1) * minutes)
            let isHumid = boot.humid.contains { $0.overlaps(own) }
            #expect(step.flags == (isHumid ? [.humid] : []), "step \(index)")
        }
    }

    @Test func meansCountEachValueOnce() throws {
        let fixture = try QueryFixture([
            Boot(started: "2026-04-13T20:00:00Z", minutes: 3 * 1_440, intervalSeconds: 300)
        ]) { $0 < 14_400 ? 50 : 100 }
        let from = QueryFixture.wall("2026-04-13T00:00:00Z").nanoseconds / 1_000_000_000
        let bins = LocalBins(by: .day, in: .utc, from: Int(from), to: Int(from) + 4 * 86_400)
        let means = try ChannelMeans(
            fixture.channel(),
            fixture.reader,
            fixture.times,
            bins,
            from: .quarterHour
        ).means
        #expect(means.map(\.bin.label) == (13...16).map { "2026-04-\($0)" })
        #expect(means.map(\.bucket.count) == [48, 288, 288, 240])
        #expect(means[0].bucket.mean == 50 && means[1].bucket.mean == 100)
        #expect(means.map(\.isEnough) == [false, true, true, true])
        #expect(abs(means[0].coverage - 4.0 / 24) < 0.01)
        let rolling = try ChannelMeans.rolling(
            fixture.channel(),
            fixture.reader,
            fixture.times,
            seconds: 86_400,
            before: Int(from) + 3 * 86_400
        )
        #expect(rolling.bucket.count == 288 && rolling.coverage > 0.99)
    }

    @Test func aLedgerHasTheSumsOfTheReportAndEachGap() throws {
        let fixture = try Self.fixture()
        let ledger = try #require(
            try ChannelLedger(fixture.channel(), fixture.reader, fixture.times, TimeRange())
        )
        let report = try StoreLedger.reports(fixture.reader, fixture.times)
        #expect(ledger.line == report[0].lines[0])
        #expect(ledger.line.remainderTenths == 0 && !ledger.isMerged)
        let sums = Dictionary(grouping: ledger.stretches, by: \.cause).mapValues { stretches in
            stretches.reduce(0) { $0 + $1.range.upperBound - $1.range.lowerBound }
        }
        for gap in ledger.line.gaps { #expect(sums[gap.cause] == gap.tenths, "\(gap.cause)") }
        #expect(ledger.line.gaps.map(\.cause).contains(.powerLost))
    }

    @Test func manyGapsAreMergedAndKeepTheirSums() throws {
        let silent = stride(from: 5, to: 2_000, by: 10).map { $0..<$0 + 3 }
        let fixture = try QueryFixture([
            Boot(started: "2026-04-14T00:00:00Z", minutes: 2_000, silent: silent)
        ])
        let whole = try #require(
            try ChannelLedger(fixture.channel(), fixture.reader, fixture.times, TimeRange())
        )
        #expect(whole.stretches.count == 200 && !whole.isMerged)
        let merged = try #require(
            try ChannelLedger(
                fixture.channel(),
                fixture.reader,
                fixture.times,
                TimeRange(),
                stretchMax: 50
            )
        )
        #expect(merged.isMerged && (1...50).contains(merged.stretches.count))
        #expect(merged.line == whole.line)
    }

    /// Longer than the time in which gaps like it are counted.
    @Test func aGapOfFortyDaysIsFound() throws {
        let fixture = try QueryFixture([
            Boot(started: "2026-02-01T00:00:00Z", minutes: 60),
            Boot(started: "2026-03-13T00:00:00Z", minutes: 60),
        ]) { _ in 50 }
        let gap = try #require(
            try ChannelGap(
                fixture.channel(),
                fixture.reader,
                fixture.times,
                at: QueryFixture.wall("2026-02-20T00:00:00Z"),
                in: .utc
            )
        )
        #expect(gap.cause == .powerLost)
        #expect(gap.alikeCount == 1)
        #expect(gap.tenths > 39 * 864_000)
    }

    @Test func aGapIsFoundByAnyMomentInIt() throws {
        let fixture = try Self.fixture()
        func gap(_ moment: String) throws -> ChannelGap? {
            try ChannelGap(
                fixture.channel(),
                fixture.reader,
                fixture.times,
                at: QueryFixture.wall(moment),
                in: .utc
            )
        }
        let silent = try #require(try gap("2026-04-14T01:10:00Z"))
        #expect(silent.cause == .unexplained && silent.alikeCount == 1)
        #expect(silent.from?.wall.iso8601 == "2026-04-14T00:59:00Z")
        #expect(silent.to?.wall.iso8601 == "2026-04-14T01:19:00Z")
        let off = try #require(try gap("2026-04-14T03:15:00Z"))
        #expect(off.cause == .powerLost)
        #expect(off.to?.wall.iso8601 == "2026-04-14T03:30:00Z")
        #expect(!silent.isOpen && !off.isOpen)
        #expect(try gap("2026-04-14T00:30:00Z") == nil)
    }

    @Test func aGapThatLastsHasNoEndYet() throws {
        let fixture = try QueryFixture([Boot(started: "2026-04-14T00:00:00Z", minutes: 60)])
        let boot = try #require(fixture.times.runs.first?.boot)
        let now = StoreTime(boot: boot, tick: Tick(tenths: 300 * 600))
        let gap = try ChannelGap(
            fixture.channel(),
            fixture.reader,
            StoreTimes(fixture.reader, now: now),
            at: QueryFixture.wall("2026-04-14T05:00:00Z"),
            in: .utc
        )
        #expect(gap?.isOpen == true && gap?.cause == .unexplained)
        #expect(gap?.from?.wall.iso8601 == "2026-04-14T00:59:00Z")
    }

    @Test func readingsComeInPages() throws {
        let fixture = try Self.fixture()
        var cursor: StoreReadings.Cursor?
        var walls: [String] = []
        repeat {
            let page = try StoreReadings(
                fixture.channel(),
                fixture.reader,
                fixture.times,
                QueryFixture.range("2026-04-14T00:30:00Z", "2026-04-14T04:00:00Z"),
                after: cursor,
                limit: 17
            )
            #expect(page.items.count <= 17)
            walls += page.items.compactMap(\.time)
            cursor = page.next.flatMap { StoreReadings.Cursor($0) }
        } while cursor != nil
        #expect(walls.count == 30 + 100 + 30 && walls == walls.sorted())
        #expect(Set(walls).count == walls.count)
    }

    @Test func theExtentIsFromTheFirstSampleToTheLast() throws {
        let fixture = try Self.fixture()
        let extent = try StoreExtent(fixture.reader, fixture.times)
        #expect(extent.oldest?.wall.iso8601 == "2026-04-14T00:00:00Z")
        #expect(extent.newest?.wall.iso8601 == "2026-04-14T05:29:00Z")
        #expect(extent.keepsDays == nil)
    }

    @Test func aHistoryKeepsAsManyDaysAsItsRingHasRoomFor() throws {
        let fixture = try QueryFixture([
            Boot(started: "2026-04-14T00:00:00Z", minutes: 10 * 1_440, intervalSeconds: 300)
        ])
        let days = try #require(try StoreExtent(fixture.reader, fixture.times).keepsDays)
        #expect(days > 10 && days < 100_000)
    }
}
