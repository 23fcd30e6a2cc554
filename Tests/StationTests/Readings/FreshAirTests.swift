import Core
import TestSupport
import Testing

@testable import SimulationKit
@testable import Station

@Suite struct FreshAirTests {
    private static let day = 86_400
    private static let now = WallTime(seconds: 20_700 * day + 43_200)

    /// The lowest values of the days before now, the last one first.
    private static func air(_ lowest: [Double]) -> FreshAir {
        var air = FreshAir()
        for (index, ppm) in lowest.enumerated() {
            air.add(ppm, at: now.advanced(by: .zero - .days(index)))
        }
        return air
    }

    @Test func theLastFreshAirIsSaid() {
        let air = Self.air([900, 700, 500, 420, 650])
        #expect(air.facts(at: Self.now) == [Fact("freshAirAgeSeconds", Double(2 * Self.day))])
        #expect(Self.air([]).facts(at: Self.now).isEmpty)
        // A wrong value is no fresh air.
        #expect(Self.air([900, 0]).facts(at: Self.now).isEmpty)
    }

    @Test func withoutFreshAirFourteenDaysAreNeeded() {
        let lowest = [640.0, 612.4] + [Double](repeating: 700, count: 12)
        #expect(Self.air(lowest).facts(at: Self.now) == [Fact("lowestIn14Days", 612)])
        #expect(Self.air(lowest.dropLast()).facts(at: Self.now).isEmpty)
        #expect(Self.air([Double](repeating: 500.5, count: 14)).facts(at: Self.now).count == 1)
    }

    private static func configuration(_ folder: TestFolder) -> String {
        """
        {"name": "test",
         "store": {"folder": "\(folder.path)", "megabytes": 4, "journalBlocks": 64}}
        """
    }

    @Test func theHistorySaysWhenASensorHadFreshAir() throws {
        let folder = try TestFolder(isInMemory: true)
        let said = try simulate { clock in
            clock.setWallTime(Self.now)
            let test = try TestStation(clock, Self.configuration(folder))
            return try await test.run { test in
                let (state, recorder) = (test.station.state, test.station.context.recorder)
                var said: [[Fact]?] = []
                for index in 0..<16 {
                    let ppm = index == 0 ? 450 : 800
                    let channel = Channel(device: "room", quantity: .co2)
                    let value = Outcome.value(FixedPoint(Int64(ppm), decimals: 0))
                    recorder.accept([Reading(channel, at: clock.now, value)])
                    try await test.sleep(.minutes(15))
                    guard index % 4 == 3 else { continue }
                    said.append(state.store.freshAir.facts(at: clock.now)["room"])
                }
                return said
            }
        }
        let ages = said.compactMap { facts -> Double? in
            guard facts?.count == 1, case .number(let age)? = facts?.first?.value else {
                return nil
            }
            return age
        }
        try #require(ages.count == 4, "\(said)")
        // To a quarter of an hour; asked once an hour, and reckoned on between.
        for (index, age) in ages.enumerated() {
            let hours = Double(index + 1) * 3_600
            #expect((hours - 900...hours + 900).contains(age), "\(said)")
        }
    }
}
