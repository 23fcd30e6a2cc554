import Core
import Testing

@testable import Station

@Suite struct ReadingRingTests {
    private let channel = Channel(device: "dust", quantity: .pm25)

    private func reading(_ second: Int, _ outcome: Outcome) -> Reading {
        Reading(channel, at: .boot.advanced(by: .seconds(second)), outcome)
    }

    @Test func givesBackExactlyWhatWentIn() {
        var ring = ReadingRing(channel)
        let outcomes: [Outcome] =
            [.value(12.3), .value(999.9, [.ceiling, .inconsistent]), .value(0)]
            + NoData.allCases.map { .noData($0) }
        for (second, outcome) in outcomes.enumerated() { ring.append(reading(second, outcome)) }
        #expect((0..<ring.count).map { ring[$0].outcome } == outcomes)
        #expect(ring.lastValue?.outcome == .value(0))
        #expect(ring.latest?.outcome == outcomes.last)
    }

    @Test func dropsTheOldestAtItsBound() {
        var ring = ReadingRing(channel, capacity: 100)
        for second in 0..<1_234 {
            ring.append(reading(second, .value(FixedPoint(Int64(second), decimals: 1))))
        }
        #expect(ring.count == 100)
        #expect(ring[0].instant == .boot.advanced(by: .seconds(1_134)))
        #expect(ring[99].instant == .boot.advanced(by: .seconds(1_233)))
        #expect(ring.acceptedCount == 1_234)
    }

    @Test func keepsADay() {
        var ring = ReadingRing(channel)
        for hour in 0..<60 { ring.append(reading(hour * 3_600, .value(1))) }
        #expect(ring.count == 25)
    }

    @Test func findsReadingsSinceAnInstant() {
        var ring = ReadingRing(channel, capacity: 50)
        for second in 0..<120 { ring.append(reading(second, .value(1))) }
        #expect(ring.numbers == 70..<120)
        #expect(ring.firstNumber(since: .boot.advanced(by: .seconds(110))) == 110)
        #expect(ring.reading(number: 110).instant == .boot.advanced(by: .seconds(110)))
        #expect(ring.firstNumber(since: .boot) == 70)
        #expect(ring.firstNumber(since: .boot.advanced(by: .days(1))) == 120)
    }
}
