import Core
import Testing

@testable import Runtime
@testable import SimulationKit

@Suite struct DynamicChildrenTests {
    /// Runs `body` against a supervisor of `children`, 30 s after the start.
    private func play(
        _ children: [String],
        _ body: @escaping @Sendable (Supervisor, Bench) async throws -> Void
    ) throws -> Bench {
        try simulate { clock in
            let bench = Bench(clock)
            let supervisor = Supervisor(
                id: "devices",
                context: bench.context(),
                children: children.map { bench.spec($0) }
            )
            try await bench.run(supervisor) {
                try await clock.sleep(for: .seconds(30))
                try await body(supervisor, bench)
                try await clock.sleep(for: .minutes(10))
            }
            return bench
        }
    }

    @Test func anAddedChildStartsLastAndStopsFirst() throws {
        let bench = try play(["a"]) { supervisor, bench in supervisor.add(bench.spec("new")) }
        #expect(bench.log == ["+a", "+new", "-new", "-a"])
    }

    @Test func aRemovedChildStopsAndIsForgotten() throws {
        let bench = try play(["a", "b"]) { supervisor, bench in
            supervisor.remove("a")
            try await bench.clock.sleep(for: .seconds(1))
            #expect(supervisor.tree.children.map(\.id) == ["b"])
        }
        #expect(bench.log == ["+a", "+b", "-a", "-b"])
    }

    @Test func aChildAddedWhileItsNamesakeLeavesTakesItsPlace() throws {
        let bench = try play(["a", "b"]) { supervisor, bench in
            supervisor.remove("a")
            supervisor.add(bench.spec("a"))
        }
        #expect(bench.log == ["+a", "+b", "-a", "+a", "-b", "-a"])
    }

    @Test func aSecondChildOfOneNameIsRefused() throws {
        let bench = try play(["a"]) { supervisor, bench in supervisor.add(bench.spec("a")) }
        #expect(bench.log == ["+a", "-a"])
        let refusal = bench.events.first { $0.kind.name == "request refused" }
        #expect(refusal?["child"] == "a")
    }

    @Test func aReplacedChildIsANewObjectAndCountsAsARestart() throws {
        let bench = try play(["a", "b"]) { supervisor, bench in
            supervisor.replace("a", reason: "no progress")
            try await bench.clock.sleep(for: .seconds(5))
            #expect(supervisor.tree.children.map(\.restartCount) == [1, 0])
        }
        #expect(bench.log == ["+a", "+b", "-a", "+a", "-b", "-a"])
        #expect(bench.events.contains { $0.kind.name == "child restarting" })
    }

    @Test func atTheBoundAChildIsRefusedAndTheOthersRunOn() throws {
        let bench = try play([]) { supervisor, bench in
            for number in 0...SupervisorMachine.childLimit {
                supervisor.add(bench.spec("child \(number)"))
            }
            try await bench.clock.sleep(for: .seconds(1))
            #expect(bench.runningChildren.count == SupervisorMachine.childLimit)
        }
        let refusals = bench.events.filter { $0.kind.name == "request refused" }
        #expect(refusals.map { $0["reason"] } == ["too many children"])
    }

    @Test func moreRequestsThanFitAreRefusedAndTheStopStillWorks() throws {
        let bench = try play(["a"]) { supervisor, _ in
            for _ in 0..<5_000 { supervisor.remove("nobody") }
        }
        #expect(bench.log == ["+a", "-a"])
        let refusals = bench.events.filter { $0["reason"] == "too many requests" }
        #expect(refusals.count == 5_000 - 512)
    }

    @Test func whoLeavesTheTreeNeverHoldsUpItsSiblings() throws {
        // `slow` takes a minute to go; `b` crashes meanwhile and is back long before.
        let log = try simulate { clock in
            let bench = Bench(clock)
            let slow = bench.spec("slow", shutdownGrace: .minutes(2)) { _ in
                try? await clock.waitForCancellation()
                await bench.pause(for: .seconds(60))
            }
            let supervisor = Supervisor(
                id: "devices",
                context: bench.context(),
                children: [slow, bench.failing("b", after: .seconds(40))]
            )
            try await bench.run(supervisor) {
                try await clock.sleep(for: .seconds(30))
                supervisor.remove("slow")
                try await clock.sleep(for: .seconds(70))
            }
            return bench.log
        }
        #expect(log == ["+slow", "+b", "-b", "+b", "-b", "+b", "-slow", "-b"])
    }

    @Test func aTemporaryDynamicChildThatEndedLeavesNoTrace() throws {
        _ = try play(["a"]) { supervisor, bench in
            supervisor.add(bench.failing("once", restart: .temporary, after: .seconds(1)))
            try await bench.clock.sleep(for: .seconds(5))
            #expect(supervisor.tree.children.map(\.id) == ["a"])
        }
    }

    @Test func theTreeShowsEachStateAndTheTreesBelow() throws {
        let (early, late, stopping) = try simulate { clock in
            let bench = Bench(clock)
            let inner = ChildSpec(id: "inner", shutdownGrace: .minutes(1)) { _ in
                Supervisor(
                    id: "inner",
                    context: bench.context(),
                    children: [bench.spec("leaf", heartbeatLimit: .seconds(60))]
                )
            }
            let opening = ChildSpec(id: "opening") { _ in
                try await clock.sleep(for: .seconds(20))
                return ScriptedChild(id: "opening", bench: bench) {
                    try? await clock.waitForCancellation()
                    await bench.pause(for: .seconds(4))
                }
            }
            let supervisor = Supervisor(
                id: "root",
                policy: RestartPolicy(delay: .init(first: .seconds(100))),
                context: bench.context(),
                children: [
                    inner, bench.failing("bad", after: .seconds(5)),
                    bench.spec("done", restart: .transient) { _ in }, opening,
                ]
            )
            let (early, late) = try await bench.run(supervisor) {
                try await clock.sleep(for: .seconds(10))
                let early = supervisor.tree
                try await clock.sleep(for: .seconds(20))
                return (early, supervisor.tree)
            }
            return (early, late, supervisor.tree)
        }
        #expect(early.children.map(\.state) == [.running, .waiting, .ended, .starting])
        #expect(late.children.map(\.state) == [.running, .waiting, .ended, .running])
        #expect(stopping.children.allSatisfy { $0.state == .ended })
        #expect(late.children[1].lastExit == "broken")
        #expect(late.children[1].startedAt == nil)
        #expect(late.children[2].lastExit == "returned")
        #expect(late.children[3].startedAt == .boot)
        let leaf = try #require(late.children[0].children.first)
        #expect(leaf.id == "leaf")
        #expect(leaf.heartbeat?.deadline == .boot.advanced(by: .seconds(60)))
        #expect(late.children[3].heartbeat == nil)
    }

    /// An ended supervisor releases the objects that its children's closures captured.
    @Test(arguments: [false, true]) func anOwnerIsFreedAfterTheEnd(isCancelled: Bool) throws {
        final class Owner: Sendable {
            let supervisor: Supervisor
            init(_ supervisor: Supervisor) { self.supervisor = supervisor }
        }
        let (isAlive, isFreed) = try simulate { clock in
            let bench = Bench(clock)
            weak var watched: Owner?
            func live() async throws -> Bool {
                let owner = Owner(Supervisor(id: "root", context: bench.context(), children: []))
                watched = owner
                for id in ["a", "b"] {
                    owner.supervisor.add(
                        ChildSpec(id: id) { _ in
                            ScriptedChild(id: owner.supervisor.id, bench: bench) {
                                try await clock.waitForCancellation()
                            }
                        }
                    )
                }
                guard isCancelled else {
                    return try await bench.run(owner.supervisor) { [weak owner] in
                        try await clock.sleep(for: .seconds(10))
                        return owner != nil
                    }
                }
                _ = try await clock.run {
                    try await owner.supervisor.run()
                } unless: {
                    try await clock.sleep(for: .seconds(10))
                }
                return true
            }
            return (try await live(), watched == nil)
        }
        #expect(isAlive)
        #expect(isFreed)
    }
}
