import ControlProtocol
import Core
import SimulationKit
import Synchronization
import Testing

@testable import CourierSimulation
@testable import RoostCourier

@Suite struct DeliveryStandingTests {
    /// A cursor that was lost at the start explains nothing that happens later.
    @Test(arguments: [true, false]) func aLostCursorIsNoReasonForOtherThings(isWaiting: Bool) {
        var standing = DeliveryStanding()
        (standing.cursorLost, standing.isWaiting) = ("the cursor is damaged", isWaiting)
        var report = OutboxReport(id: "influx", type: "influx1", state: .broken)
        standing.fill(&report, at: .boot)
        #expect(report.state == (isWaiting ? .waiting : .idle))
        #expect(report.why == nil && report.code == nil)
        #expect(report.cursorLost == "the cursor is damaged")
    }

    /// A target with nothing to send rests for minutes, and does not call the store broken so long.
    @Test func aStoreThatCanBeReadAgainIsNotCalledBroken() throws {
        try simulate { clock in
            let life = OutboxLife(clock)
            let isBroken = Mutex(false)
            let source = HinderedSource(ring: life.ring) { answer in
                guard answer == .streams, isBroken.withLock({ $0 }) else { return }
                throw StationDown("the history is not open")
            }
            let task = life.task(OutboxLife.OnceTarget(.harmless), from: source)
            try await life.run(task) {
                try await clock.sleep(for: .seconds(10))
                isBroken.withLock { $0 = true }
                await task.wake()
                try await clock.sleep(for: .seconds(12))
                let trouble = await task.standing.delivery.sourceTrouble
                #expect(trouble?.contains("not open") == true)
                isBroken.withLock { $0 = false }
                try await clock.sleep(for: .seconds(8))
                #expect(await task.standing.delivery.sourceTrouble == nil)
            }
        }
    }
}
