import Core
import Synchronization
import TestSupport
import Testing

@testable import Runtime
@testable import SimulationKit

/// Crashes every child, pair and ordered triple of a tree of six, in every state.
@Suite struct CrashPermutationTests {
    enum CrashState: CaseIterable { case running, starting, waiting, stopping }

    /// How the two inner supervisors hang together.
    ///
    /// With a limit of 0 each crash of a leaf is one of its supervisor, which the root answers.
    struct Shape: Sendable, CustomTestStringConvertible {
        let root: RestartPolicy.Strategy
        let innerLimit: Int

        var testDescription: String { "\(root), inner limit \(innerLimit)" }

        static let all = [
            Shape(root: .oneForOne, innerLimit: 100), Shape(root: .oneForOne, innerLimit: 0),
            Shape(root: .restForOne, innerLimit: 0), Shape(root: .oneForAll, innerLimit: 0),
        ]

        /// Children restarted when `leaf` crashes: `a b c` are restForOne, `d e f` oneForAll.
        func affected(by leaf: String) -> Set<String> {
            let isLeft = "abc".contains(leaf)
            if innerLimit > 0 {
                return isLeft
                    ? Set("abcdef".map(String.init).filter { $0 >= leaf && $0 <= "c" })
                    : ["d", "e", "f"]
            }
            return switch root {
            case .oneForOne: isLeft ? ["a", "b", "c"] : ["d", "e", "f"]
            case .restForOne: isLeft ? Set(leaves) : ["d", "e", "f"]
            case .oneForAll: Set(leaves)
            }
        }
    }

    static let leaves = ["a", "b", "c", "d", "e", "f"]

    /// Every leaf, ordered pair and ordered triple: 6 + 30 + 120.
    static let sequences: [[String]] = {
        let singles = leaves.map { [$0] }
        let pairs = singles.flatMap { one in leaves.filter { !one.contains($0) }.map { one + [$0] }
        }
        let triples = pairs.flatMap { two in leaves.filter { !two.contains($0) }.map { two + [$0] }
        }
        return singles + pairs + triples
    }()

    @Test(arguments: Shape.all, CrashState.allCases)
    func theTreeComesBackAndStopsInOrder(shape: Shape, state: CrashState) throws {
        #expect(Self.sequences.count == 156)
        let number = CrashState.allCases.firstIndex(of: state) ?? 0
        for sequence in Exhaustive.dealt(Self.sequences, to: number, of: 4) {
            let comment = Comment(rawValue: "\(sequence) \(state), \(shape.testDescription)")
            let run = try simulate { clock in
                try await Puppets(clock).play(sequence, state, shape)
            }
            #expect(run.isStartInOrder, comment)
            #expect(run.runningAtEnd.isEmpty, comment)
            if state == .stopping {
                #expect(run.starts == Dictionary(uniqueKeysWithValues: Self.leaves.map { ($0, 1) }))
                continue
            }
            #expect(run.runningBeforeStop == Set(Self.leaves), comment)
            #expect(run.stopOrder == Self.leaves.reversed(), comment)
            for leaf in Self.leaves {
                let crashes = sequence.count { shape.affected(by: $0).contains(leaf) }
                let restarts = (run.starts[leaf] ?? 0) - 1
                if state == .running {
                    #expect(restarts == crashes, comment)
                } else {
                    #expect((restarts > 0) == (crashes > 0), comment)
                }
            }
        }
    }
}

private let leaves = CrashPermutationTests.leaves

/// Observations of one run.
private struct Run: Sendable {
    var starts: [String: Int] = [:]
    var runningBeforeStop: Set<String> = []
    var runningAtEnd: Set<String> = []
    var stopOrder: [String] = []
    /// Whether no child started before the children that it depends on.
    var isStartInOrder = true
}

/// Six children that crash on request, in two supervisors below a root.
private final class Puppets: Sendable {
    private struct State {
        var crashes: [String: Signal] = [:]
        var failsToStart: Set<String> = []
        var failsToStop: Set<String> = []
        var isStartInOrder = true
    }

    private let bench: Bench
    private let state = Mutex(State())

    init(_ clock: SimulatedClock) { bench = Bench(clock) }

    func play(
        _ sequence: [String],
        _ crashState: CrashPermutationTests.CrashState,
        _ shape: CrashPermutationTests.Shape
    ) async throws -> Run {
        let clock = bench.clock
        let root = root(shape)
        if crashState == .stopping { state.withLock { $0.failsToStop = Set(sequence) } }
        var run = Run()
        let (before, logged) = try await bench.run(root) {
            try await clock.sleep(for: .seconds(5))
            for leaf in sequence {
                switch crashState {
                case .running:
                    crash(leaf)
                    try await clock.sleep(for: .minutes(10))
                case .starting:
                    _ = state.withLock { $0.failsToStart.insert(leaf) }
                    crash(leaf)
                    try await clock.sleep(for: .minutes(20))
                case .waiting:
                    crash(leaf)
                    try await clock.sleep(for: .seconds(1))
                case .stopping:
                    root.requestStop()
                    try await clock.sleep(for: .milliseconds(400))
                    crash(leaf)
                }
            }
            if crashState != .stopping { try await clock.sleep(for: .hours(1)) }
            return (bench.runningChildren, bench.log.count)
        }
        run.runningBeforeStop = before
        run.runningAtEnd = bench.runningChildren
        run.stopOrder = bench.log.dropFirst(logged).filter { $0.hasPrefix("-") }.map {
            String($0.dropFirst())
        }
        for line in bench.log where line.hasPrefix("+") {
            run.starts[String(line.dropFirst()), default: 0] += 1
        }
        run.isStartInOrder = state.withLock { $0.isStartInOrder }
        return run
    }

    private func root(_ shape: CrashPermutationTests.Shape) -> Supervisor {
        @Sendable func policy(_ strategy: RestartPolicy.Strategy, _ limit: Int) -> RestartPolicy {
            RestartPolicy(
                strategy: strategy,
                intensity: RestartIntensity(limit: limit, within: .hours(1)),
                delay: RestartDelay.Growth(first: .seconds(10))
            )
        }
        func inner(
            _ id: String,
            _ strategy: RestartPolicy.Strategy,
            _ children: [String]
        ) -> ChildSpec {
            ChildSpec(id: id, shutdownGrace: .minutes(1)) { [self] _ in
                Supervisor(
                    id: id,
                    policy: policy(strategy, shape.innerLimit),
                    context: bench.context(),
                    children: children.map { leaf($0, shape) }
                )
            }
        }
        return Supervisor(
            id: "root",
            policy: policy(shape.root, 100),
            context: bench.context(),
            children: [
                inner("left", .restForOne, ["a", "b", "c"]),
                inner("right", .oneForAll, ["d", "e", "f"]),
            ]
        )
    }

    private func leaf(_ id: String, _ shape: CrashPermutationTests.Shape) -> ChildSpec {
        ChildSpec(id: id) { [self] _ in
            checkOrder(id, shape)
            let crash = Signal()
            let fails = state.withLock { state in
                state.crashes[id] = crash
                return state.failsToStart.remove(id) != nil
            }
            if fails { throw Broken() }
            return ScriptedChild(id: id, bench: bench) { [self] in
                do {
                    _ = try await bench.clock.wait(for: crash, until: nil, tolerance: .zero)
                } catch {
                    await bench.pause(for: .seconds(1))
                    guard state.withLock({ $0.failsToStop.contains(id) }) else { throw error }
                }
                throw Broken()
            }
        }
    }

    // Whom a child builds on: those to its left in its supervisor, and the whole left supervisor
    // when the root says so.
    private func checkOrder(_ id: String, _ shape: CrashPermutationTests.Shape) {
        let isLeft = "abc".contains(id)
        let base = leaves.filter { other in
            other < id && (isLeft || other >= "d" || shape.root != .oneForOne)
        }
        guard !bench.runningChildren.isSuperset(of: base) else { return }
        state.withLock { $0.isStartInOrder = false }
    }

    private func crash(_ id: String) { state.withLock { $0.crashes[id] }?.raise() }
}
