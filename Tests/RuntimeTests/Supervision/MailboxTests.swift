import Core
import Synchronization
import Testing

@testable import Runtime
@testable import SimulationKit

@Suite struct MailboxTests {
    @Test func anElementThatComesWithTheDeadlineIsTaken() throws {
        let found = try simulate { clock in
            let mailbox = Mailbox<Int>(capacity: 1)
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await clock.sleep(for: .seconds(10))
                    mailbox.offer(1)
                }
                // The other sleeps already, so at the same instant it comes first.
                try await clock.sleep(for: .seconds(1))
                let deadline = MonotonicInstant.boot.advanced(by: .seconds(10))
                let found = try await mailbox.next(until: deadline, on: clock)
                try await group.waitForAll()
                return found
            }
        }
        #expect(found == 1)
    }

    @Test func keepsOrderAndRefusesAtTheBound() {
        let mailbox = Mailbox<Int>(capacity: 3)
        #expect((1...5).map { mailbox.offer($0) } == [true, true, true, false, false])
        #expect(mailbox.refusedCount == 2)
        #expect(
            [mailbox.poll(), mailbox.poll(), mailbox.poll(), mailbox.poll()] == [1, 2, 3, nil]
        )
        #expect(mailbox.count == 0)
    }

    @Test func nextWaitsUntilItsDeadlineAndNoLonger() throws {
        let (element, instant, late) = try simulate { clock in
            let mailbox = Mailbox<String>(capacity: 1)
            let nothing = try await mailbox.next(
                until: clock.now.advanced(by: .seconds(5)),
                tolerance: .seconds(1),
                on: clock
            )
            let instant = clock.now
            async let element = mailbox.next(until: instant.advanced(by: .hours(1)), on: clock)
            try await clock.sleep(for: .seconds(4))
            mailbox.offer("here")
            let found = try await element
            return (found, instant, nothing)
        }
        #expect(late == nil)
        #expect(instant == .boot.advanced(by: .seconds(6)))
        #expect(element == "here")
    }
}

@Suite struct HeartbeatTests {
    @Test func aBeatPromisesTheNext() throws {
        let states = try simulate { clock in
            let heartbeat = Heartbeat(clock: clock, limit: .seconds(60))
            let start = heartbeat.snapshot
            try await clock.sleep(for: .seconds(10))
            heartbeat.beat()
            let usual = heartbeat.snapshot
            heartbeat.beat(nextWithin: .minutes(5))
            return [start, usual, heartbeat.snapshot]
        }
        let seconds = states.map { MonotonicInstant.boot.duration(to: $0.deadline).inSeconds }
        #expect(seconds == [60, 70, 310])
        #expect(states.map(\.count) == [0, 1, 2])
        #expect(states[2].lastBeat == .boot.advanced(by: .seconds(10)))
    }

    @Test func onlyANearerDeadlineIsAnnounced() throws {
        let announced = try simulate { clock in
            let announced = Mutex<[MonotonicInstant]>([])
            let heartbeat = Heartbeat(clock: clock, limit: .seconds(60)) { deadline in
                announced.withLock { $0.append(deadline) }
            }
            heartbeat.beat(nextWithin: .seconds(90))
            heartbeat.beat(nextWithin: .seconds(90))
            heartbeat.beat(nextWithin: .seconds(20))
            try await clock.sleep(for: .seconds(1))
            heartbeat.beat(nextWithin: .seconds(20))
            return announced.withLock { $0 }
        }
        #expect(announced == [.boot.advanced(by: .seconds(20))])
    }
}
