import Core
import Synchronization

@testable import Runtime
@testable import SimulationKit

/// Records what children and supervisors do, with the instant, for one simulated run.
final class Bench: Sendable {
    let clock: SimulatedClock
    private let lines = Mutex<[String]>([])
    private let recorded = Mutex<[Event]>([])
    private let running = Mutex<Set<String>>([])
    private let unkillables = Mutex<[String]>([])

    private let pauses = Mailbox<Pause>(capacity: 64)

    private struct Pause: Sendable {
        let duration: Duration
        let isOver = Signal()
    }

    init(_ clock: SimulatedClock) { self.clock = clock }

    var log: [String] { lines.withLock { $0 } }
    var events: [Event] { recorded.withLock { $0 } }
    var runningChildren: Set<String> { running.withLock { $0 } }
    var unkillable: [String] { unkillables.withLock { $0 } }

    func append(_ line: String) { lines.withLock { $0.append(line) } }
    func didStart(_ id: String) { _ = running.withLock { $0.insert(id) } }
    func didEnd(_ id: String) { _ = running.withLock { $0.remove(id) } }

    func context(heartbeats: HeartbeatRegistry = HeartbeatRegistry()) -> SupervisorContext {
        SupervisorContext(
            clock: clock,
            seed: clock.seed,
            heartbeats: heartbeats,
            observer: { [self] event in recorded.withLock { $0.append(event) } },
            onUnkillable: { [self] id in unkillables.withLock { $0.append(id) } }
        )
    }

    /// The event log in words, with instants: what must be the same for the same seed.
    var transcript: [String] {
        events.map { event in
            let details = event.details.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
            return "\(event.instant) \(event.source) \(event.kind.name) \(details)"
        }
    }

    /// A detail of all events of one kind, `1.500 s` as 1.5.
    func seconds(of detail: String, in kind: String) -> [Double] {
        events.filter { $0.kind.name == kind }.compactMap { event in
            event[detail].flatMap { Double($0.dropLast(2)) }
        }
    }

    /// Runs a supervisor beside `body`, then asks it to stop and waits for its end.
    func run<Value: Sendable>(
        _ supervisor: Supervisor,
        _ body: () async throws -> Value
    ) async throws -> Value {
        async let _: Void = keepPauses()
        async let ended: Void = supervisor.run()
        let value = try await body()
        supervisor.requestStop()
        try await ended
        return value
        // Leaving the scope cancels the keeper.
    }

    /// Waits even in a cancelled task, as a child does that makes its device safe.
    func pause(for duration: Duration) async {
        let pause = Pause(duration: duration)
        pauses.offer(pause)
        _ = await pause.isOver.park()
    }

    private func keepPauses() async {
        await withDiscardingTaskGroup { group in
            while let pause = try? await pauses.next(on: clock) {
                group.addTask { [clock] in
                    try? await clock.sleep(for: pause.duration)
                    pause.isOver.raise()
                }
            }
        }
    }
}

struct Broken: Error, CustomStringConvertible {
    var description: String { "broken" }
}

/// A child that runs `body`, and writes down when it starts and ends.
struct ScriptedChild: Child {
    let id: String
    let bench: Bench
    let body: @Sendable () async throws -> Void

    @concurrent func run() async throws {
        bench.append("+\(id)")
        bench.didStart(id)
        defer {
            bench.didEnd(id)
            bench.append("-\(id)")
        }
        try await body()
    }
}

extension Bench {
    /// A child that fails each time after a while.
    func failing(
        _ id: String,
        restart: ChildSpec.Restart = .permanent,
        after duration: Duration
    ) -> ChildSpec {
        spec(id, restart: restart) { [clock] _ in
            try await clock.sleep(for: duration)
            throw Broken()
        }
    }

    /// Spec of a child that runs `body`, or without one until it is stopped.
    func spec(
        _ id: String,
        restart: ChildSpec.Restart = .permanent,
        shutdownGrace: Duration = .seconds(5),
        minimumRunTime: Duration = .zero,
        heartbeatLimit: Duration? = nil,
        _ body: (@Sendable (Heartbeat) async throws -> Void)? = nil
    ) -> ChildSpec {
        ChildSpec(
            id: id,
            restart: restart,
            shutdownGrace: shutdownGrace,
            minimumRunTime: minimumRunTime,
            heartbeatLimit: heartbeatLimit
        ) { [self] heartbeat in
            ScriptedChild(id: id, bench: self) { [clock] in
                if let body { return try await body(heartbeat) }
                try await clock.waitForCancellation()
            }
        }
    }
}

extension NodeClock {
    func waitForCancellation() async throws {
        _ = try await wait(for: Signal(), until: nil, tolerance: .zero)
    }
}
