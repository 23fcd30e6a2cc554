import Readings
import SimulationKit
import Supervision
import Synchronization
import Testing

@Suite struct SupervisorTests {
    @Test func startsLeftToRightAndStopsRightToLeft() throws {
        let log = try simulate { clock in
            let bench = Bench(clock)
            let supervisor = Supervisor(
                id: "root",
                context: bench.context(),
                children: ["a", "b", "c"].map { bench.spec($0) }
            )
            try await bench.run(supervisor) { try await clock.sleep(for: .seconds(10)) }
            return bench.log
        }
        #expect(log == ["+a", "+b", "+c", "-c", "-b", "-a"])
    }

    @Test func theNextChildStartsOnlyAfterThePreviousStarted() throws {
        let log = try simulate { clock in
            let bench = Bench(clock)
            let slow = ChildSpec(id: "slow") { _ in
                bench.note("opening")
                try await clock.sleep(for: .seconds(3))
                return ScriptedChild(id: "slow", bench: bench) {
                    try await clock.waitForCancellation()
                }
            }
            let supervisor = Supervisor(
                id: "root",
                context: bench.context(),
                children: [slow, bench.spec("next")]
            )
            try await bench.run(supervisor) { try await clock.sleep(for: .seconds(10)) }
            return bench.log
        }
        #expect(log == ["opening", "+slow", "+next", "-next", "-slow"])
    }

    @Test func aSlowStopHoldsUpTheNext() throws {
        let ends = try simulate { clock in
            let bench = Bench(clock)
            let specs = ["a", "b", "c"].map { id in
                bench.spec(id) { _ in
                    try? await clock.waitForCancellation()
                    // Making a device safe takes time even though the task is cancelled.
                    await bench.pause(for: .seconds(2))
                    bench.note("\(clock.now)")
                }
            }
            let supervisor = Supervisor(id: "root", context: bench.context(), children: specs)
            try await bench.run(supervisor) { try await clock.sleep(for: .seconds(10)) }
            return bench.log.suffix(6)
        }
        #expect(ends == ["12.000", "-c", "14.000", "-b", "16.000", "-a"])
    }

    @Test func aFailedChildIsRestartedAloneAsANewObject() throws {
        let (log, events) = try simulate { clock in
            let bench = Bench(clock)
            let supervisor = Supervisor(
                id: "root",
                context: bench.context(),
                children: [bench.failing("a", after: .seconds(10)), bench.spec("b")]
            )
            try await bench.run(supervisor) { try await clock.sleep(for: .seconds(15)) }
            return (bench.log, bench.events)
        }
        #expect(log == ["+a", "+b", "-a", "+a", "-b", "-a"])
        #expect(
            events.map(\.kind) == [
                "child started", "child started", "child ended", "child restarting",
                "child started", "child ended", "child ended",
            ]
        )
        #expect(events[2]["reason"] == "broken")
        #expect(events[2]["ran"] == "10.000 s")
        #expect(events[3]["attempt"] == "1")
        #expect(events[4]["restarts"] == "1")
    }

    @Test func aChildThatIsNoActorDoesNotHoldUpTheSupervisor() throws {
        let log = try simulate { clock in
            let bench = Bench(clock)
            // Not an actor and not @concurrent: it must not run on the supervisor.
            struct Sluggish: Child {
                let clock: SimulatedClock
                func run() async throws { try await clock.sleep(for: .hours(1)) }
            }
            let supervisor = Supervisor(
                id: "root",
                context: bench.context(),
                children: [ChildSpec(id: "a") { _ in Sluggish(clock: clock) }, bench.spec("b")]
            )
            try await bench.run(supervisor) { try await clock.sleep(for: .seconds(1)) }
            return bench.log + ["\(clock.now)"]
        }
        #expect(log == ["+b", "-b", "1.000"])
    }

    @Test func aDrillRestartsAsOftenAsAsked() throws {
        let count = try simulate { clock in try await drillRestarts(1_000, on: clock) }
        #expect(count == 1_000)
    }
}
