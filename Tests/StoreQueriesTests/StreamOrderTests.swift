import StoreFixtures
import Testing

@testable import Core
@testable import Store
@testable import StoreQueries

/// A device that was forgotten, whose history stays, and the one that measures now.
@Suite struct StreamOrderTests {
    private static func fixture() throws -> QueryFixture {
        try QueryFixture([QueryFixture.boot(followedFrom: "2026-04-14T00:00:00Z")])
    }

    @Test func whatIsInUseComesFirst() throws {
        let fixture = try Self.fixture()
        let names = try StoreChannel.all(fixture.reader).map(\.name)
        #expect(names == ["attic/pm25", "attic/pm10", "dust/pm25", "dust/pm10"])
        #expect(try StoreChannel.inUse(fixture.reader).map(\.name) == Array(names.prefix(2)))
    }

    @Test func measurementsAreOfTheSensorInUse() throws {
        let fixture = try Self.fixture()
        let pairs = try #require(try MinutePairs(fixture.reader, fixture.times))
        #expect(pairs.stream.device == "attic")
    }

    @Test func theAccountIsOfTheSensorInUse() throws {
        let fixture = try Self.fixture()
        let lines = try StoreLedger.reports(fixture.reader, fixture.times).flatMap(\.lines)
        let inUse = try StoreChannel.inUse(fixture.reader)
        let chief = try #require(StoreLedger.chief(lines, of: inUse))
        #expect(chief.channel.hasPrefix("attic/") && chief.coveredTenths > 70_000)
        let ordered = StoreLedger.ordered(lines, by: try StoreChannel.all(fixture.reader))
        #expect(ordered.map(\.channel).first == "attic/pm25")
    }

    /// No stream is expected to have samples: an export of long ago.
    @Test func withoutAScheduleAllAreInUse() throws {
        var boot = QueryFixture.boot(followedFrom: "2026-04-14T00:00:00Z")
        boot.others.append([
            .schedule(StreamID(2), from: Tick(tenths: 108_000), interval: nil)
        ])
        let fixture = try QueryFixture([boot])
        #expect(try StoreChannel.inUse(fixture.reader).count == 4)
    }
}
