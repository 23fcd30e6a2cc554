import StoreFixtures
import TestSupport
import Testing

@testable import Core
@testable import Store
@testable import StoreQueries

@Suite struct ProofDaysTests {
    private typealias Boot = QueryFixture.Boot

    private static func days(
        _ fixture: QueryFixture,
        _ zone: Zone = .utc,
        to end: String
    ) throws -> ProofDays {
        try ProofDays(
            fixture.reader,
            fixture.times,
            in: ("here", zone),
            now: QueryFixture.wall(end)
        )
    }

    /// Two hours silent on the first day, off for half of the third.
    @Test func aDayHasItsShareAndItsCause() throws {
        let fixture = try QueryFixture([
            Boot(started: "2026-04-14T00:00:00Z", minutes: 54 * 60, silent: [300..<420]),
            Boot(started: "2026-04-16T18:00:00Z", minutes: 20 * 60),
        ])
        let days = try Self.days(fixture, to: "2026-04-17T14:00:00Z")
        #expect(days.from == "2026-04-14" && days.dayCount == 4)
        let row = try #require(days.rows.first)
        #expect(days.rows.count == 1 && row.channels == ["dust/pm25", "dust/pm10"])
        #expect(row.first == 0 && row.shares == [91, 100, 50, 100])
        let causes = days.causes.map(\.cause)
        #expect(causes == [.powerLost, nil])
        #expect(row.causes == [[0, 1, 1], [2, 1, 0]])
        #expect(days.causes.map(\.seconds).allSatisfy { $0 > 7_000 })
        #expect(days.dueSeconds - days.coveredSeconds == days.causes.reduce(0) { $0 + $1.seconds })
    }

    /// Against the ledger, which reads every sample; a day with many gaps around each midnight.
    @Test(arguments: [1, 7, 23] as [UInt64]) func agreesWithTheLedger(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var silent: [Range<Int>] = []
        var minute = 0
        while minute < 12 * 1_440 {
            let length = Int.random(in: 1...300, using: &random)
            silent.append(minute..<minute + length)
            minute += length + Int.random(in: 5...900, using: &random)
        }
        let offset = Int.random(in: -40...50, using: &random) * 900
        let zone = Zone { _ in offset }
        let fixture = try QueryFixture([
            Boot(started: "2026-04-14T07:31:00Z", minutes: 6 * 1_440, silent: silent),
            Boot(started: "2026-04-21T03:11:00Z", minutes: 5 * 1_440 + 77, silent: silent),
        ])
        let end = try #require(StoreExtent(fixture.reader, fixture.times).newest?.wall)
        let days = try Self.days(fixture, zone, to: end.iso8601)
        let row = try #require(days.rows.first)
        let first = LocalBins(
            by: .day,
            in: zone,
            from: Int(QueryFixture.wall("2026-04-14T07:31:00Z").tenths / 10),
            to: Int(end.tenths / 10)
        )
        let skipped = first.bins.count - days.dayCount
        for (share, bin) in zip(row.shares, first.bins.dropFirst(skipped + row.first)) {
            let range = TimeRange(from: WallTime(seconds: bin.from), to: WallTime(seconds: bin.to))
            let reports = try StoreLedger.reports(fixture.reader, fixture.times, range)
            let line = try #require(reports.first?.lines.first)
            let exact = 100 * line.coveredTenths / max(1, line.elapsedTenths)
            // A bucket of a quarter hour at either end, and two minutes without a word.
            #expect(abs(Int64(share) - exact) <= 3, "\(bin.label): \(share), \(exact)")
        }
    }

    /// A value before midnight counts for the time that it covers, however long its interval is.
    @Test(arguments: [2_400, 7_200, 43_200, 86_400] as [Int64])
    func aLongIntervalCountsWhereItIs(interval: Int64) throws {
        let silent = [3_000..<4_500, 9_000..<9_700]
        let fixture = try QueryFixture([
            Boot(
                started: "2026-04-14T22:10:00Z",
                minutes: 12 * 1_440,
                intervalSeconds: interval,
                silent: silent
            )
        ])
        let end = try #require(StoreExtent(fixture.reader, fixture.times).newest?.wall)
        let row = try #require(try Self.days(fixture, to: end.iso8601).rows.first)
        for (number, share) in row.shares.enumerated() where share >= 0 {
            let start = Int(QueryFixture.wall("2026-04-14T00:00:00Z").tenths / 10)
            let from = start + number * 86_400
            let range = TimeRange(
                from: WallTime(seconds: from),
                to: WallTime(seconds: from + 86_400)
            )
            let reports = try StoreLedger.reports(fixture.reader, fixture.times, range)
            let line = try #require(reports.first?.lines.first)
            let exact = 100 * line.coveredTenths / max(1, line.elapsedTenths)
            // On a day with two hours on record a quarter of an hour is an eighth.
            let allowed: Int64 = line.elapsedTenths < 400_000 ? 14 : 3
            #expect(abs(Int64(share) - exact) <= allowed, "day \(number): \(share), \(exact)")
        }
    }

    /// Files do not say how often a value was due: that of the page is the ledger's.
    @Test(arguments: [20, 60, 360, 1_440] as [Int64])
    func anImportOfFewValuesHasItsDays(minutes: Int64) throws {
        let folder = try TestFolder(isInMemory: true)
        let plan = StorePlan(.megabytes(4))
        let (history, _) = try HistoryFile.open(path: folder.path("history.db"), plan: plan)
        let start = QueryFixture.wall("2026-11-21T00:00:00Z").nanoseconds
        let lost: Range<Int64> = 4 * 1_440..<6 * 1_440
        let all = (0...12 * 1_440 / minutes).map { $0 * minutes }
        let kept = all.filter { !lost.contains($0) }
        let samples = kept.map { minute in
            ImportedSample(
                source: "old-pi",
                wall: WallTime(nanoseconds: start + minute * 60_000_000_000),
                values: [.init(.pm25, FixedPoint(minute, decimals: 1))]
            )
        }
        try HistoryImport.run(into: history) { session in
            try session.add(samples)
            return ((), .keep)
        }
        try history.close()
        let reader = try HistoryReader(path: folder.path("history.db"))
        let days = try ProofDays(reader, StoreTimes(reader), in: ("UTC", .utc), now: nil)
        let row = try #require(days.rows.first)
        #expect(row.channels == ["old-pi/pm25"] && row.first == 0)
        #expect(row.shares.count == 13 && days.causes.map(\.cause) == [.notImported])
        // A value speaks for the interval before it: the first that is lost is of the day before.
        let part = Int(minutes * 100 / 1_440)
        let exceptions = [3: 100 - part, 4: 0, 5: part]
        for (number, share) in row.shares.prefix(12).enumerated() {
            let exact = exceptions[number] ?? 100
            #expect(abs(share - exact) <= 3, "day \(number): \(share), \(exact)")
        }
    }

    /// Another stream takes the place of the first after an hour.
    @Test func aChannelThatIsNoMoreEnds() throws {
        let fixture = try QueryFixture([QueryFixture.boot(followedFrom: "2026-04-14T00:00:00Z")])
        let days = try Self.days(fixture, to: "2026-04-14T03:00:00Z")
        let shares = Dictionary(uniqueKeysWithValues: days.rows.map { ($0.channels[0], $0.shares) })
        #expect(shares == ["dust/pm25": [100], "attic/pm25": [100]])
    }

    @Test func withoutASampleOrADateThereIsNoDay() throws {
        var boot = Boot(started: "2026-04-14T00:00:00Z", minutes: 60)
        boot.isDated = false
        for boots in [[], [boot]] {
            let fixture = try QueryFixture(boots)
            let days = try ProofDays(fixture.reader, fixture.times, in: ("UTC", .utc), now: nil)
            #expect(days.from == nil && days.rows.isEmpty && days.dayCount == 0)
        }
    }
}
