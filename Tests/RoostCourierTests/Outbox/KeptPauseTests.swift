import ControlProtocol
import Core
import SimulationKit
import Synchronization
import Testing

@testable import CourierSimulation
@testable import RoostCourier

/// Tests that a pause ordered by the owner outlives the courier.
@Suite struct KeptPauseTests {
    private static func sent(_ life: CourierLife, after time: Duration) async throws -> Int {
        life.station.record()
        try await life.clock.sleep(for: time)
        return life.server.stored.count
    }

    /// Counts requests of a courier killed 1 min after the order, and of its successor.
    private func counts(
        for length: Duration?,
        _ order: @escaping @Sendable (CourierLife, CourierNode) async throws -> Void = { _, _ in },
        looks: [Duration],
        isSameBoot: Bool = true
    ) throws -> [Int] {
        try simulate { clock in
            let life = try CourierLife(clock)
            defer { withExtendedLifetime(life.station.folder) {} }
            let one = life.node()
            try await life.run(one) {
                try await clock.sleep(for: .seconds(5))
                try await one.outlet("influx")?.pause(for: length)
                try await order(life, one)
                try await clock.sleep(for: .minutes(1))
            }
            if !isSameBoot {
                life.boot.withLock { $0 = BootID(bytes: Array(repeating: 8, count: 16)) }
            }
            let two = life.node()
            let counts = Mutex<[Int]>([])
            try await life.run(two) {
                for look in looks {
                    let count = try await Self.sent(life, after: look)
                    counts.withLock { $0.append(count) }
                }
            }
            return counts.withLock { $0 }
        }
    }

    @Test func aPauseWithoutAnEndOutlivesTheCourier() throws {
        #expect(try counts(for: nil, looks: [.hours(1), .hours(30)]) == [0, 0])
    }

    @Test func whatWasResumedStaysResumed() throws {
        let resume: @Sendable (CourierLife, CourierNode) async throws -> Void = { _, node in
            try await node.outlet("influx")?.resume()
        }
        #expect(try counts(for: nil, resume, looks: [.minutes(1)]) == [1])
    }

    @Test func inTheSameBootItEndsWhenItWasToEnd() throws {
        // Ordered 1 min before: 9 min are left.
        #expect(try counts(for: .minutes(10), looks: [.minutes(8), .minutes(2)]) == [0, 2])
    }

    /// The simulated wall clock is not set: nothing says how long there was no power.
    @Test func inAnotherBootWithoutAClockItHasItsLength() throws {
        let looks: [Duration] = [.seconds(570), .minutes(2)]
        #expect(try counts(for: .minutes(10), looks: looks, isSameBoot: false) == [0, 2])
    }

    /// Most boards have no clock for some seconds after their start.
    @Test func aClockThatIsSetLateEndsItInTime() throws {
        let counts = try simulate { clock in
            let life = try CourierLife(clock)
            defer { withExtendedLifetime(life.station.folder) {} }
            let start: Int64 = 1_800_000_000_000_000_000
            clock.setWallTime(WallTime(nanoseconds: start))
            let one = life.node()
            try await life.run(one) {
                try await clock.sleep(for: .seconds(5))
                try await one.outlet("influx")?.pause(for: .hours(2))
            }
            life.boot.withLock { $0 = BootID(bytes: Array(repeating: 8, count: 16)) }
            clock.setWallTime(nil)
            let two = life.node()
            let counts = Mutex<[Int]>([])
            try await life.run(two) {
                let early = try await Self.sent(life, after: .minutes(10))
                clock.setWallTime(WallTime(nanoseconds: start + 3 * 3_600_000_000_000))
                let late = try await Self.sent(life, after: .minutes(2))
                counts.withLock { $0 = [early, late] }
            }
            // It is over, and forgotten: the next start without a clock does not begin it anew.
            clock.setWallTime(nil)
            life.boot.withLock { $0 = BootID(bytes: Array(repeating: 9, count: 16)) }
            let three = life.node()
            try await life.run(three) {
                let last = try await Self.sent(life, after: .minutes(2))
                counts.withLock { $0.append(last) }
            }
            return counts.withLock { $0 }
        }
        #expect(counts == [0, 2, 3])
    }

    @Test func aReloadThatMakesTheTargetAnewKeepsItsPause() throws {
        let stored = try simulate { clock in
            let life = try CourierLife(clock)
            defer { withExtendedLifetime(life.station.folder) {} }
            let node = life.node()
            try await life.run(node) {
                try await clock.sleep(for: .seconds(5))
                try await node.outlet("influx")?.pause(for: nil)
                let other = CourierLife.influx.replacing("air", with: "wind")
                try await node.reload(try CourierLife.read(other))
                life.station.record()
                try await clock.sleep(for: .minutes(5))
            }
            return life.server.stored.count
        }
        #expect(stored == 0)
    }

    @Test func theWallClockSaysWhatIsLeftInAnotherBoot() throws {
        let clock = SimulatedClock()
        clock.setWallTime(WallTime(nanoseconds: 1_000_000_000_000))
        let old = BootID(bytes: Array(repeating: 1, count: 16))
        let new = BootID(bytes: Array(repeating: 2, count: 16))
        let pause = KeptPause(for: .hours(2), in: old, by: clock)
        let read = try #require(KeptPause.read(pause.line(of: "map")[...]))
        #expect(read.target == "map" && read.pause == pause)
        clock.setWallTime(WallTime(nanoseconds: 1_000_000_000_000 + 3_600_000_000_000))
        #expect(pause.rest(in: new, by: clock).end == clock.now.advanced(by: .hours(1)))
        #expect(pause.rest(in: old, by: clock).end == clock.now.advanced(by: .hours(2)))
        // A clock that is wrong by years makes it no longer than it was ordered.
        clock.setWallTime(WallTime(nanoseconds: 0))
        #expect(pause.rest(in: new, by: clock).end == clock.now.advanced(by: .hours(2)))
    }

    @Test(arguments: ["influx x 1 - 5", "influx - x - 5", "influx - 1 - -5", "influx - 1", ""])
    func aLineOfAnotherFormIsLeftOut(line: String) {
        #expect(KeptPause.read(line[...]) == nil)
    }

    @Test func aCardThatCannotKeepItIsAnError() throws {
        let (answer, isPaused) = try simulate { clock in
            let life = try CourierLife(clock)
            defer { withExtendedLifetime(life.station.folder) {} }
            let node = life.node()
            let said = Mutex("")
            let isPaused = Mutex(false)
            try await life.run(node) {
                try await clock.sleep(for: .seconds(5))
                life.files.setFull(true)
                let control = CourierControl(node) { SimulatedListener(clock: clock) }
                let line = try ControlCodec.line(AskedQuestion(PauseTarget("influx")))
                let answer = try await control.table.answer(line)
                let state = await node.report.targets[0].state
                said.withLock { $0 = answer }
                isPaused.withLock { $0 = state == .paused }
            }
            return (said.withLock { $0 }, isPaused.withLock { $0 })
        }
        #expect(answer.contains("done, but a restart forgets it: pauses: no space left"))
        #expect(answer.contains(#""code":"not-kept""#))
        #expect(isPaused)
    }
}
