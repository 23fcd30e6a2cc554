import Alerts
import StoreFixtures
import Testing

@testable import Core
@testable import Store
@testable import StoreQueries

@Suite struct LastValueTests {
    private typealias Boot = QueryFixture.Boot

    /// Attempts without a value, one each ten minutes.
    private static func silence(hours: Range<Int64>) -> [JournalRecord] {
        var encoder = SegmentEncoder(
            decimals: [1, 1],
            startingAt: Tick(tenths: hours.lowerBound * 36_000)
        )
        for step in hours.lowerBound * 6..<hours.upperBound * 6 {
            encoder.append(
                Tick(tenths: step * 6_000),
                [.noData(.unplugged), .noData(.notMeasured)]
            )
        }
        return [.samples(QueryFixture.stream.id, segment: encoder.finished())]
    }

    private static func channels(_ fixture: QueryFixture) throws -> [ChannelsReport.Channel] {
        try ChannelsReport(fixture.reader, fixture.times, levels: .sampleLevels).items
    }

    @Test func theNewestSampleHasIt() throws {
        let fixture = try QueryFixture([Boot(started: "2026-04-14T00:00:00Z", minutes: 60)]) {
            $0 / 60
        }
        for channel in try Self.channels(fixture) {
            #expect(channel.lastValue == 5.9 && channel.lastValueTime == "2026-04-14T00:59:00Z")
            #expect(channel.newest == channel.lastValueTime)
        }
    }

    /// A sensor that was unplugged for weeks before the end, in this boot or the one before.
    @Test(arguments: [false, true])
    func isFoundFarBack(isOfTheBootBefore: Bool) throws {
        var first = Boot(started: "2025-04-14T00:00:00Z", minutes: 90)
        let silence = Self.silence(hours: 2..<24 * 30)
        var boots = [first]
        if isOfTheBootBefore {
            var second = Boot(started: "2026-04-14T00:00:00Z", minutes: 0)
            second.others = [silence]
            boots = [first, second]
        } else {
            first.others = [silence]
            boots = [first]
        }
        let fixture = try QueryFixture(boots) { $0 / 60 }
        for channel in try Self.channels(fixture) {
            #expect(channel.lastValue == 8.9 && channel.lastValueTime == "2025-04-14T01:29:00Z")
            #expect(channel.newest != channel.lastValueTime)
        }
    }

    @Test func aChannelWithoutAnyHasNone() throws {
        var boot = Boot(started: "2026-04-14T00:00:00Z", minutes: 0)
        boot.others = [Self.silence(hours: 0..<48)]
        let channels = try Self.channels(try QueryFixture([boot]))
        #expect(channels.count == 2)
        #expect(channels.allSatisfy { $0.lastValue == nil && $0.lastValueTime == nil })
        #expect(channels.allSatisfy { $0.newest != nil })
    }

    /// Nothing dates its boot: the value is there, its time is not.
    @Test func anUndatedOneHasNoTime() throws {
        var boot = Boot(started: "2026-04-14T00:00:00Z", minutes: 10)
        boot.isDated = false
        let channel = try #require(try Self.channels(try QueryFixture([boot])).first)
        #expect(channel.lastValue == 10 && channel.lastValueTime == nil)
    }
}
