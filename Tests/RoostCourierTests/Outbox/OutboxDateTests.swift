import Core
import SimulationKit
import Testing

@testable import CourierSimulation
@testable import RoostCourier

/// No single date leaves samples out: a time server can be wrong for a day.
@Suite struct OutboxDateTests {
    private static let day: Int64 = 86_400_000_000_000

    /// Records ten samples in a boot that ends while the server is away.
    private static func record(_ life: OutboxLife) async throws {
        for _ in 0..<10 {
            let reading = Outcome.value(FixedPoint(123, decimals: 1))
            life.ring.record(StreamID(1), Tick(life.clock.now), [reading])
            try await life.clock.sleep(for: .seconds(10))
        }
    }

    private static func target(_ limit: Duration) -> OutboxLife.OnceTarget {
        var target = OutboxLife.OnceTarget(.harmless)
        target.traits.ageLimit = limit
        return target
    }

    /// The clock is right or a year ahead, in the present boot.
    @Test(arguments: [Int64(0), 365])
    func whatIsOfABootBeforeIsNotLeftOutForOneDate(_ daysAhead: Int64) throws {
        try simulate { clock in
            let life = OutboxLife(clock)
            try await Self.record(life)
            life.internet.set(.refused, at: OutboxLife.host)
            life.internet.add(OutboxLife.Counter(), at: OutboxLife.host)
            let task = life.task(Self.target(.seconds(86_400)))
            _ = try await clock.run(task.run) {
                try await clock.sleep(for: .seconds(60))
                life.ring.start(BootID(bytes: [UInt8](repeating: 2, count: 16)))
                let now = life.now.nanoseconds + daysAhead * Self.day
                clock.setWallTime(WallTime(nanoseconds: now))
                try await clock.sleep(for: .seconds(3_600))
                life.internet.set(nil, at: OutboxLife.host)
                try await clock.sleep(for: .seconds(1_200))
            }
            let totals = await task.standing.totals
            #expect(totals.leftOut.isEmpty && totals.delivered == 10)
        }
    }

    /// The dates of two days agree that it is forty days old.
    @Test func whatIsTooOldByTheDatesOfTwoDaysIsLeftOut() throws {
        try simulate { clock in
            let life = OutboxLife(clock)
            try await Self.record(life)
            life.internet.set(.refused, at: OutboxLife.host)
            life.internet.add(OutboxLife.Counter(), at: OutboxLife.host)
            let task = life.task(Self.target(.seconds(30 * 86_400)))
            _ = try await clock.run(task.run) {
                try await clock.sleep(for: .seconds(60))
                life.ring.start(BootID(bytes: [UInt8](repeating: 2, count: 16)))
                clock.setWallTime(WallTime(nanoseconds: life.now.nanoseconds + 40 * Self.day))
                try await clock.sleep(for: .seconds(47 * 3_600))
                #expect(await task.standing.totals.leftOut.isEmpty)
                try await clock.sleep(for: .seconds(3 * 3_600))
            }
            let totals = await task.standing.totals
            #expect(totals.leftOut == [.tooOld: 10] && totals.delivered == 0)
        }
    }

    /// A receiver that stamps by arrival gets nothing whose age is unsure.
    @Test func whatIsStampedByArrivalWaitsUntilItsAgeIsSure() throws {
        try simulate { clock in
            let life = OutboxLife(clock)
            try await Self.record(life)
            life.ring.start(BootID(bytes: [UInt8](repeating: 2, count: 16)))
            let server = OutboxLife.Counter()
            life.internet.add(server, at: OutboxLife.host)
            var target = Self.target(.seconds(600))
            target.traits.dating = .unneeded
            let task = life.task(target)
            _ = try await clock.run(task.run) {
                try await clock.sleep(for: .seconds(300))
                #expect(server.count == 0)
                #expect(await task.standing.waitsForClock)
                try await clock.sleep(for: .seconds(900))
            }
            let totals = await task.standing.totals
            #expect(totals.leftOut == [.tooOld: 10] && server.count == 0)
        }
    }

    /// Samples that are too old when a target is added do not belong to it.
    @Test func aNewTargetBeginsWithWhatIsYoungEnough() throws {
        try simulate { clock in
            let life = OutboxLife(clock)
            try await Self.record(life)
            life.internet.add(OutboxLife.Counter(), at: OutboxLife.host)
            clock.setWallTime(life.now)
            // Samples are 0 to 90 s old at 100 s: those after 49 s are young enough.
            let task = life.task(Self.target(.seconds(51)))
            _ = try await clock.run(task.run) { try await clock.sleep(for: .seconds(1)) }
            let totals = await task.standing.totals
            #expect(totals.leftOut.isEmpty && totals.delivered == 5)
        }
    }
}
