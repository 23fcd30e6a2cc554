import StoreFixtures
import Testing

@testable import Core
@testable import Store
@testable import StoreQueries

@Suite struct StoreSamplesTests {
    @Test func leavesOutValuesWithAFlag() throws {
        var boot = QueryFixture.Boot(started: "2026-04-14T00:00:00Z", minutes: 60)
        boot.humid = [10..<30]
        let fixture = try QueryFixture([boot])
        let times = try StoreTimes(fixture.reader)
        func count(without flags: Quality) throws -> Int {
            var samples = try StoreSamples(fixture.reader, times)
            samples.without = flags
            var count = 0
            while let sample = try samples.next() {
                #expect(sample.outcomes.count == sample.stream.quantities.count)
                count += 1
            }
            return count
        }
        let all = try count(without: [])
        #expect(all > 0)
        #expect(try count(without: .jump) == all)
        #expect(try count(without: [.humid, .jump]) == all - all / 3)
    }

    @Test func givesTheWantedQuantitiesAlone() throws {
        let boot = QueryFixture.Boot(started: "2026-04-14T00:00:00Z", minutes: 60)
        let fixture = try QueryFixture([boot])
        let times = try StoreTimes(fixture.reader)
        var all = try StoreSamples(fixture.reader, times)
        var one = try StoreSamples(fixture.reader, times)
        let stream = try #require(try fixture.reader.streams().first)
        #expect(stream.quantities.count > 1)
        one.places = [stream.id: [1]]
        var count = 0
        while let sample = try all.next(), let kept = try one.next() {
            #expect(kept.stream.quantities == [sample.stream.quantities[1]])
            #expect(kept.outcomes == [sample.outcomes[1]] && kept.tick == sample.tick)
            count += 1
        }
        #expect(count == 60)
    }

    /// A sample keeps its other quantities.
    @Test func keepsWhatHasNoFlag() throws {
        let value = FixedPoint(12, decimals: 1)
        let sample = DatedSample(
            stream: StreamDescription(
                id: StreamID(1),
                device: "dust",
                quantities: [.pm25, .pm10, .pm1]
            ),
            boot: BootID(bytes: Array(repeating: 1, count: 16)),
            tick: Tick(tenths: 7),
            time: nil,
            outcomes: [.value(value, .humid), .value(value, []), .noData(.replyTimeout)]
        )
        #expect(sample.keeping(nil, without: []) == sample)
        let kept = sample.keeping(nil, without: .humid)
        #expect(kept?.stream.quantities == [.pm10, .pm1])
        #expect(kept?.outcomes == [.value(value, []), .noData(.replyTimeout)])
        #expect(kept?.tick == sample.tick && kept?.boot == sample.boot)
        #expect(sample.keeping([0], without: .humid) == nil)
        #expect(sample.keeping([0, 2], without: .jump)?.stream.quantities == [.pm25, .pm1])
    }
}
