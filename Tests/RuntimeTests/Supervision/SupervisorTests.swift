import Core
import Synchronization
import Testing

@testable import Runtime
@testable import SimulationKit

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
                bench.append("opening")
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
                    bench.append("\(clock.now)")
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
            events.map(\.kind.name) == [
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

    @Test func delayGrowsWhileAChildFailsAndResetsAfterAGoodRun() throws {
        let delays = try simulate { clock in
            let bench = Bench(clock)
            let life = Mutex(0)
            let child = bench.spec("a") { _ in
                let number = life.withLock { number in
                    number += 1
                    return number
                }
                try await clock.sleep(for: number == 12 ? .minutes(5) : .seconds(1))
                throw Broken()
            }
            let supervisor = Supervisor(
                id: "root",
                policy: RestartPolicy(intensity: RestartIntensity(limit: 100, within: .hours(1))),
                context: bench.context(),
                children: [child]
            )
            try await bench.run(supervisor) { try await clock.sleep(for: .hours(1)) }
            return bench.seconds(of: "delay", in: "child restarting")
        }
        let full = [1.0, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 1, 2, 4]
        for (delay, full) in zip(delays, full) { #expect((full * 0.75...full).contains(delay)) }
        #expect(delays.count > full.count)
        #expect(Set(delays).count > full.count / 2, "no jitter")
    }

    @Test func aRestartWaitsOutTheMinimumRunTime() throws {
        let starts = try simulate { clock in
            let bench = Bench(clock)
            let child = bench.spec("a", minimumRunTime: .seconds(30)) { _ in
                bench.append("\(clock.now)")
                throw Broken()
            }
            let supervisor = Supervisor(
                id: "root",
                policy: RestartPolicy(delay: .none),
                context: bench.context(),
                children: [child]
            )
            try await bench.run(supervisor) { try await clock.sleep(for: .seconds(65)) }
            return bench.log.filter { !$0.hasSuffix("a") }
        }
        #expect(starts == ["0.000", "30.250", "60.500"])
    }

    @Test func aChildThatOutlivesItsGraceIsReportedOnceAndNamed() throws {
        let (unkillable, events, instants) = try simulate { clock in
            let bench = Bench(clock)
            let stubborn = bench.spec("stubborn", shutdownGrace: .seconds(3)) { _ in
                try? await clock.waitForCancellation()
                await bench.pause(for: .seconds(60))
            }
            let supervisor = Supervisor(
                id: "root",
                context: bench.context(),
                children: [bench.spec("first"), stubborn]
            )
            try await bench.run(supervisor) { try await clock.sleep(for: .seconds(10)) }
            let events = bench.events.filter { $0.kind.name == "child unkillable" }
            return (bench.unkillable, events, [clock.now])
        }
        #expect(unkillable == ["root/stubborn"])
        #expect(events.map(\.instant) == [.boot.advanced(by: .milliseconds(13_250))])
        #expect(events.first?["grace"] == "3.000 s")
        #expect(instants == [.boot.advanced(by: .seconds(70))])
    }

    /// Stops when asked to, or hangs where no request is heard.
    private struct Listener: OrderlyStop {
        let clock: SimulatedClock
        let isDeaf: Bool
        let request = Signal()

        func run() async throws {
            _ = try await clock.wait(for: request, until: nil, tolerance: .zero)
        }
        func requestStop() { if !isDeaf { request.raise() } }
    }

    @Test func aReplacedChildThatDoesNotStopInOrderIsCancelledWithinItsGrace() throws {
        let (unkillable, starts) = try simulate { clock in
            let bench = Bench(clock)
            let deaf = ChildSpec(id: "deaf", shutdownGrace: .seconds(8)) { _ in
                bench.append("\(clock.now)")
                return Listener(clock: clock, isDeaf: bench.log.count == 1)
            }
            let supervisor = Supervisor(
                id: "root",
                policy: RestartPolicy(delay: .none),
                context: bench.context(),
                children: [deaf]
            )
            try await bench.run(supervisor) {
                try await clock.sleep(for: .seconds(10))
                supervisor.replace("deaf", reason: "no progress")
                try await clock.sleep(for: .seconds(10))
            }
            return (bench.unkillable, bench.log)
        }
        #expect(starts == ["0.000", "16.250"])
        #expect(unkillable.isEmpty)
    }

    @Test func anExitWhileStoppingIsNoFailure() throws {
        let events = try simulate { clock in
            let bench = Bench(clock)
            let sulking = bench.spec("a") { _ in
                try? await clock.waitForCancellation()
                throw Broken()
            }
            let supervisor = Supervisor(
                id: "root",
                policy: RestartPolicy(intensity: RestartIntensity(limit: 0, within: .hours(1))),
                context: bench.context(),
                children: [sulking]
            )
            try await bench.run(supervisor) { try await clock.sleep(for: .seconds(10)) }
            return bench.events
        }
        #expect(events.map(\.kind.name) == ["child started", "child ended"])
        #expect(events.last?.severity == .info)
    }

    @Test func aChildThatThrowsCancellationUnaskedFailed() throws {
        let kinds = try simulate { clock in
            let bench = Bench(clock)
            let child = bench.spec("a", restart: .transient) { _ in
                try await clock.sleep(for: .seconds(1))
                throw CancellationError()
            }
            let supervisor = Supervisor(id: "root", context: bench.context(), children: [child])
            try await bench.run(supervisor) { try await clock.sleep(for: .milliseconds(1_500)) }
            return bench.events.map(\.kind.name)
        }
        #expect(kinds == ["child started", "child ended", "child restarting"])
    }

    @Test func tooManyRestartsEscalateThroughTwoLevels() throws {
        let (thrown, kinds, log) = try simulate { clock in
            let bench = Bench(clock)
            @Sendable func policy(_ limit: Int) -> RestartPolicy {
                RestartPolicy(
                    intensity: RestartIntensity(limit: limit, within: .hours(1)),
                    delay: .none
                )
            }
            let inner = ChildSpec(id: "inner") { _ in
                Supervisor(
                    id: "inner",
                    policy: policy(1),
                    context: bench.context(),
                    children: [bench.spec("quiet"), bench.failing("bad", after: .seconds(1))]
                )
            }
            let outer = Supervisor(
                id: "outer",
                policy: policy(1),
                context: bench.context(),
                children: [inner]
            )
            var thrown: SupervisorError?
            do { try await outer.run() } catch let error as SupervisorError { thrown = error }
            return (thrown, bench.events.filter { $0.severity == .error }, bench.log)
        }
        let cause = "inner: too many restarts, last of bad: broken"
        #expect(
            thrown == .intensityExceeded(supervisor: "outer", child: "inner", last: cause)
        )
        #expect(kinds.map(\.source) == ["inner", "inner", "outer"])
        // Two lives of the inner supervisor, two of its bad child in each.
        let life = ["+quiet", "+bad", "-bad", "+bad", "-bad", "-quiet"]
        #expect(log == life + life)
    }

    @Test func cancellingTheTaskReachesEveryChildAtOnceAndLeavesNone() throws {
        let (isCancelled, log, running) = try simulate { clock in
            let bench = Bench(clock)
            let inner = ChildSpec(id: "inner") { _ in
                Supervisor(
                    id: "inner",
                    context: bench.context(),
                    children: [bench.spec("b"), bench.failing("c", after: .seconds(3))]
                )
            }
            let supervisor = Supervisor(
                id: "root",
                context: bench.context(),
                children: [bench.spec("a"), inner]
            )
            let isCancelled = try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    do {
                        try await supervisor.run()
                        return false
                    } catch { return error is CancellationError }
                }
                try await clock.sleep(for: .seconds(2))
                group.cancelAll()
                return try await group.next() ?? false
            }
            try await clock.sleep(for: .hours(1))
            return (isCancelled, bench.log, bench.runningChildren)
        }
        #expect(isCancelled)
        #expect(log.sorted() == ["+a", "+b", "+c", "-a", "-b", "-c"])
        #expect(running.isEmpty)
    }

    @Test func aStopAskedForBeforeTheStartStartsNobody() throws {
        let log = try simulate { clock in
            let bench = Bench(clock)
            let supervisor = Supervisor(
                id: "root",
                context: bench.context(),
                children: [bench.spec("a")]
            )
            for _ in 0..<5_000 { supervisor.requestStop() }
            try await supervisor.run()
            return bench.log
        }
        #expect(log.isEmpty)
    }

    @Test func aStopWhileAChildStartsEndsItsFactory() throws {
        let (log, instant) = try simulate { clock in
            let bench = Bench(clock)
            let slow = ChildSpec(id: "slow") { _ in
                try await clock.sleep(for: .hours(1))
                return ScriptedChild(id: "slow", bench: bench) {}
            }
            let supervisor = Supervisor(
                id: "root",
                context: bench.context(),
                children: [bench.spec("a"), slow, bench.spec("never")]
            )
            try await bench.run(supervisor) { try await clock.sleep(for: .seconds(1)) }
            return (bench.log, clock.now)
        }
        #expect(log == ["+a", "-a"])
        #expect(instant == .boot.advanced(by: .seconds(1)))
    }

    @Test func theSameSeedGivesTheSameLogAndAnotherSeedAnother() throws {
        func transcript(_ seed: UInt64) throws -> [String] {
            try simulate(seed: seed) { clock in
                let bench = Bench(clock)
                let supervisor = Supervisor(
                    id: "root",
                    policy: RestartPolicy(
                        intensity: RestartIntensity(limit: 1_000, within: .hours(1))
                    ),
                    context: bench.context(),
                    children: [
                        bench.failing("a", after: .seconds(3)),
                        bench.failing("b", after: .seconds(5)),
                    ]
                )
                try await bench.run(supervisor) { try await clock.sleep(for: .hours(6)) }
                return bench.transcript
            }
        }
        let first = try transcript(1)
        #expect(first.count > 100)
        #expect(try transcript(1) == first)
        #expect(try transcript(2) != first)
        // Written down once: debug and release, today and tomorrow, must agree.
        #expect(
            first.reduce(14_695_981_039_346_656_037) { $0.fnv($1) } == 17_496_339_587_025_861_512
        )
    }
}

extension UInt64 {
    /// One FNV-1a hash over the lines of a log.
    fileprivate func fnv(_ line: String) -> UInt64 {
        line.utf8.reduce(self) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    }
}
