import StoreFixtures
import TestSupport
import Testing

@testable import Core
@testable import Store
@testable import StoreQueries

@Suite struct DoseSummaryTests {
    private static let start = "2026-11-22T04:30:00Z"

    private static func summary(
        _ rows: [(Int64, Int64?)],
        factor: Double? = 334,
        _ range: TimeRange = TimeRange()
    ) throws -> DoseSummary {
        var boot = DriveFixture.Boot(start)
        let samples = rows.map { second, rate in
            (second, [rate.map { Outcome.value(FixedPoint($0, decimals: 0)) } ?? .noData(.stale)])
        }
        boot.samples = [(DriveFixture.tube, samples)]
        let fixture = try DriveFixture([boot])
        let channels = try #require(DoseSummary.Channels(DriveFixture.tube))
        return try DoseSummary(channels, fixture.reader, fixture.times, range, factor: factor)
    }

    /// Ten minutes at 36 counts a minute: 360 counts, and their error is the root of that.
    @Test func countsWithTheirErrorAndTheDose() throws {
        let summary = try Self.summary(stride(from: 60, through: 600, by: 5).map { ($0, 36) })
        #expect(summary.sampleCount == 109)
        #expect(summary.coveredTenths == 6_000)
        #expect(abs(summary.counts - 360) < 1e-9)
        let rate = try #require(summary.rate)
        #expect(abs(rate.mean - 36) < 1e-9)
        #expect(abs(rate.error - 360.squareRoot() / 10) < 1e-9)
        #expect(summary.deviation == 0)
        let dose = try #require(summary.doseRate)
        #expect(abs(dose.mean - 36 / 334) < 1e-12)
        #expect(abs(dose.error / dose.mean - 1 / 360.squareRoot()) < 1e-9)
        // 10 min of 36/334 µSv/h.
        #expect(abs((summary.measuredDose ?? 0) - 36.0 / 334 / 6) < 1e-12)
    }

    /// A sample each five minutes covers its own minute; the rest is an estimate, and said so.
    @Test func aGapIsNotMeasured() throws {
        let summary = try Self.summary([(300, 30), (600, 40), (900, nil), (1_200, 50)])
        #expect(summary.sampleCount == 3)
        #expect(summary.coveredTenths == 1_800)
        #expect(summary.counts == 120)
        #expect((summary.least, summary.most) == (30, 50))
        #expect(abs((summary.deviation ?? 0) - 10) < 1e-9)
        let measured = try #require(summary.measuredDose)
        #expect(abs(measured - 40.0 / 334 * 3 / 60) < 1e-12)
        let estimated = try #require(summary.estimatedDose)
        #expect(abs(estimated / measured - 9_001.0 / 1_800) < 1e-9)
    }

    @Test func noCountsAreNoRate() throws {
        let none = try Self.summary([(60, nil), (120, nil)])
        #expect(none.rate == nil && none.doseRate == nil && none.deviation == nil)
        // No count in ten minutes: the error is that of one.
        let zero = try Self.summary(stride(from: 60, through: 600, by: 60).map { ($0, 0) })
        #expect(zero.rate?.mean == 0 && zero.rate?.error == 0.1)
        let unknown = try Self.summary([(60, 30)], factor: nil)
        #expect(unknown.rate?.mean == 30 && unknown.doseRate == nil && unknown.measuredDose == nil)
    }

    @Test func addsUpADerivedDoseRateOverAChangeOfItsGraph() throws {
        let dose = { (value: Int64) in [Outcome.value(FixedPoint(value, decimals: 3))] }
        let seconds = Array(stride(from: Int64(60), through: 600, by: 60))
        let rows = seconds.map { ($0, [Outcome.value(FixedPoint(36, decimals: 0))]) }
        let derived = DriveFixture.derived
        var boot = DriveFixture.Boot(Self.start)
        boot.samples = [
            (DriveFixture.tube, rows), (derived[0], seconds.prefix(5).map { ($0, dose(100)) }),
            (derived[1], seconds.dropFirst(5).map { ($0, dose(200)) }),
            (derived[2], seconds.map { ($0, dose(900)) }),
        ]
        let fixture = try DriveFixture([boot])
        let channels = try #require(try DoseStart.counter("tube", in: fixture.reader))
        let summary = try DoseSummary(channels, fixture.reader, fixture.times, TimeRange())
        #expect(abs((summary.doseRate?.mean ?? 0) - 0.15) < 1e-9)
        #expect(abs((summary.measuredDose ?? 0) - 0.15 / 6) < 1e-9)
        // A derived rate is preferred to a factor.
        let both = try DoseSummary(channels, fixture.reader, fixture.times, TimeRange(), factor: 1)
        #expect(both.measuredDose == summary.measuredDose)
    }

    /// After a change of its channels a device has a further stream, and counts on.
    @Test(arguments: [nil, "tube", "tube/cpm"])
    func allStreamsOfADeviceCount(name: String?) throws {
        let count = { (value: Int64) in Outcome.value(FixedPoint(value, decimals: 0)) }
        let seconds = Array(stride(from: Int64(60), through: 600, by: 30))
        let (before, after) = (seconds.filter { $0 <= 300 }, seconds.filter { $0 > 300 })
        var boot = DriveFixture.Boot(Self.start)
        boot.samples = [
            (DriveFixture.counter, (0..<4).map { DriveFixture.row($0, 20, nil) }),
            (DriveFixture.tube, before.map { ($0, [count(30)]) }),
            (DriveFixture.wider, after.map { ($0 + 1_000, [count(5), count(90)]) }),
        ]
        let fixture = try DriveFixture([boot])
        let channels = try #require(try DoseStart.counter(name, in: fixture.reader))
        #expect(channels.name == "tube/cpm")
        let all = try DoseSummary(channels, fixture.reader, fixture.times, TimeRange())
        #expect(all.sampleCount == 19)
        #expect((all.least, all.most) == (30, 90))
        #expect(all.coveredTenths == 3_000 + 3_300)
        let from = WallTime(iso8601: "2026-11-22T04:55:00Z")
        let last = TimeRange(from: from)
        let newest = try DoseSummary(channels, fixture.reader, fixture.times, last)
        #expect(newest.sampleCount == 4 && newest.least == 90)
    }

    /// The first sample of a new stream covers time since the last one of the old.
    @Test func noMinuteIsCountedTwice() throws {
        let count = { (value: Int64) in Outcome.value(FixedPoint(value, decimals: 0)) }
        var boot = DriveFixture.Boot(Self.start)
        boot.samples = [
            (DriveFixture.tube, [(60, [count(30)]), (90, [count(30)]), (150, [count(30)])]),
            (DriveFixture.wider, [(100, [count(5), count(30)]), (110, [count(5), count(30)])]),
        ]
        let fixture = try DriveFixture([boot])
        let channels = try #require(try DoseStart.counter("tube", in: fixture.reader))
        let summary = try DoseSummary(channels, fixture.reader, fixture.times, TimeRange())
        #expect(summary.sampleCount == 5 && summary.coveredTenths == 1_500)
        #expect(summary.elapsedTenths == 901)
    }

    /// A count without a dose rate makes the mean no smaller.
    @Test func aMissingDoseRateIsNoZero() throws {
        let rows = [Int64(60), 120].map { ($0, [Outcome.value(FixedPoint(36, decimals: 0))]) }
        var boot = DriveFixture.Boot(Self.start)
        boot.samples = [
            (DriveFixture.tube, rows),
            (DriveFixture.derived[0], [(60, [.value(FixedPoint(100, decimals: 3))])]),
        ]
        let fixture = try DriveFixture([boot])
        let channels = try #require(try DoseStart.counter("tube", in: fixture.reader))
        let summary = try DoseSummary(channels, fixture.reader, fixture.times, TimeRange())
        #expect(summary.coveredTenths == 1_200)
        #expect(abs((summary.doseRate?.mean ?? 0) - 0.1) < 1e-9)
    }

    @Test func readsTheTimeThatIsAskedFor() throws {
        let rows = stride(from: Int64(60), through: 1_200, by: 60).map { ($0, Optional($0 / 60)) }
        let from = WallTime(iso8601: "2026-11-22T04:40:00Z")
        let to = WallTime(iso8601: "2026-11-22T04:45:00Z")
        let summary = try Self.summary(rows, TimeRange(from: from, to: to))
        #expect(summary.sampleCount == 5)
        #expect((summary.least, summary.most) == (10, 14))
    }

    /// The scatter of many simulated minutes agrees with the error that is named.
    @Test func theErrorIsThatOfRandomDecays() throws {
        var random = Decays(state: 11)
        var inside = 0
        for _ in 0..<Exhaustive.decays {
            let rows = (1...20).map { (Int64($0) * 60, Optional(random.count(of: 30))) }
            let rate = try #require(try Self.summary(rows).rate)
            if abs(rate.mean - 30) <= rate.error { inside += 1 }
        }
        // 68 % of them, ± 3 standard deviations of that.
        let expected = 0.68 * Double(Exhaustive.decays)
        #expect(abs(Double(inside) - expected) <= 3 * (expected * 0.32).squareRoot())
    }

    /// Poisson numbers by Knuth's product of uniform ones.
    private struct Decays {
        var state: UInt64

        mutating func uniform() -> Double {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Double(state >> 11) / Double(1 << 53)
        }

        mutating func count(of mean: Int) -> Int64 {
            // e⁻³⁰.
            let limit = 9.357_622_968_840_175e-14
            var (product, count) = (uniform(), Int64(0))
            while product > limit {
                product *= uniform()
                count += 1
            }
            return count
        }
    }

    @Test func findsTheNewestMarkOfADevice() throws {
        var boot = DriveFixture.Boot(Self.start)
        boot.doseMarks = [(60, "geiger"), (120, "geiger"), (180, "tube")]
        let fixture = try DriveFixture([boot])
        let marks = try ["geiger", "tube", "gps"].map {
            try DoseStart.newest(of: $0, fixture.reader, fixture.times)?.iso8601
        }
        #expect(marks == ["2026-11-22T04:32:00Z", "2026-11-22T04:33:00Z", nil])
        let first = try DoseStart.counter(nil, in: fixture.reader)
        #expect(first?.name == "geiger/cpm")
        #expect(try DoseStart.counter("tube", in: fixture.reader)?.name == "tube/cpm")
        #expect(try DoseStart.counter("gps", in: fixture.reader) == nil)
    }

    /// A counter says what it counted in the last minute: of the first one after a mark that is
    /// mostly from before it.
    @Test func nothingBeforeTheWindowIsCounted() throws {
        let rows = stride(from: Int64(60), through: 600, by: 5).map { ($0, Int64?(36)) }
        let from = WallTime(iso8601: "2026-11-22T04:35:02Z")
        let summary = try Self.summary(rows, TimeRange(from: from, to: nil))
        #expect(summary.coveredTenths == 2_980)
        #expect(summary.coveredTenths <= summary.elapsedTenths)
        #expect(abs(summary.counts - 36 * 298.0 / 60) < 1e-9)
    }
}
