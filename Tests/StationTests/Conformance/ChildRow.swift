import Configuration
import Core
import HardwareIO
import Synchronization
import Testing

@testable import Devices
@testable import Runtime
@testable import SimulationKit
@testable import Station

/// One kind of child in the table of the conformance suite: how to start it, and what is safe.
struct ChildRow: Sendable, CustomTestStringConvertible {
    /// Activity around a child of this row, and checks of the state it leaves behind.
    struct Subject: Sendable {
        /// Runs beside the child, such as clients and measurements.
        var life: @Sendable () async throws -> Void = {}
        /// Describes the unsafe state that the child left behind; nil when all is safe.
        var flaw: @Sendable () -> String? = { nil }
        /// The same, where it was stopped in order.
        var flawInOrder: @Sendable () -> String? = { nil }
    }

    typealias Prepare = @Sendable (TestStation, Surroundings) throws -> Subject

    let type: any Child.Type
    /// Its name in the station's tree.
    let id: String
    let configuration: String
    let prepare: Prepare
    /// Variant of the type; nil where the type has only one row.
    let variant: String?

    /// A row.
    ///
    /// - Parameters:
    ///   - type: The type that the row stands for.
    ///   - id: Its name in the station's tree.
    ///   - configuration: Configuration of a station with this child.
    ///   - variant: Difference from another row of the same type.
    ///   - prepare: Sets up the child's surroundings.
    init(
        _ type: any Child.Type,
        _ id: String,
        _ configuration: String,
        variant: String? = nil,
        _ prepare: @escaping Prepare = { _, _ in Subject() }
    ) {
        (self.type, self.id, self.configuration) = (type, id, configuration)
        (self.variant, self.prepare) = (variant, prepare)
    }

    var testDescription: String { variant.map { "\(type), \($0)" } ?? "\(type)" }

    /// How the station starts it.
    func spec(_ test: TestStation) throws -> ChildSpec {
        let configuration = test.configuration
        let specs =
            test.station.fixedChildren(configuration)
            + configuration.devices.map { DeviceBranch(station: test.station.state).spec($0) }
        return try #require(specs.first { $0.id == id })
    }
}

/// Behaviour of a child's surroundings.
enum Surroundings: CaseIterable, Sendable {
    case well
    /// The part, the board and the name server say nothing.
    case silent
    /// The same, and everything on the disk thread hangs from the start.
    case hanging
    /// The same, and everything on the disk thread hangs after a while.
    case hangingLater

    var isSilent: Bool { self != .well }
    var hangsAfter: Duration? {
        switch self {
        case .well, .silent: nil
        case .hanging: .zero
        case .hangingLater: .seconds(5)
        }
    }
}

/// Ways in which a child is stopped.
enum StopWay: CaseIterable, Sendable {
    /// Alone, as a reload that removes it does: asked, and cancelled after a part of the grace.
    case removed
    /// With its whole supervisor, as `SIGTERM` does: asked, and never cancelled.
    case stopped
    /// By cancellation, when something above it has failed.
    case cancelled
}

/// How a child took its stop.
struct StopRecord: Sendable {
    /// Jobs of the whole run, when it was not interrupted before.
    var jobCount = 0
    var at = MonotonicInstant.boot
    /// nil when it never started.
    var took: Duration?
    var unkillable: [String] = []
    var flaw: String?
    var isGone = false

    /// Violations of the contract of `Child.run()`; empty when it was kept.
    func complaints(grace: Duration) -> [String] {
        var words = unkillable.map { "\($0) outlived its grace" }
        if let took, took > grace { words.append("took \(took)") }
        if !isGone { words.append("was still there") }
        if let flaw { words.append(flaw) }
        return words
    }
}

/// Runs one child under a supervisor and stops it after a number of jobs.
final class StopBench: Sendable {
    /// After which a child that was not interrupted is stopped: its remedies lie within.
    static let horizon: Duration = .seconds(70)

    private struct State {
        var interrupt: (@Sendable () -> Void)?
        var stoppedAt: MonotonicInstant?
        var endedAt: MonotonicInstant?
        var record = StopRecord()
    }

    private let state = Mutex(State())
    private let interrupted = Signal()

    /// Runs a row and stops it.
    ///
    /// - Parameters:
    ///   - jobCount: After how many jobs; after `horizon` when there are fewer.
    ///   - make: The child, and what belongs to it.
    /// - Returns: How it took its stop.
    /// - Throws: `SimulationError` when the child never ends.
    func run(
        by way: StopWay,
        after jobCount: Int,
        _ make: @escaping @Sendable (SimulatedClock) throws -> (ChildSpec, ChildRow.Subject)
    ) throws -> StopRecord {
        let (_, count) = try simulate(interruptedAfter: jobCount) {
            state.withLock { $0.interrupt }?()
        } _: { [self] clock in
            let (spec, subject) = try make(clock)
            try await live(spec, subject, way, clock)
        }
        return state.withLock { state in
            state.record.jobCount = count
            return state.record
        }
    }

    private func live(
        _ spec: ChildSpec,
        _ subject: ChildRow.Subject,
        _ way: StopWay,
        _ clock: SimulatedClock
    ) async throws {
        let supervisor = supervisor(of: spec, clock)
        arm(supervisor, spec.id, way, clock)
        let ended = Signal()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                defer {
                    record(endedAt: clock.now)
                    ended.raise()
                }
                do { try await supervisor.run() } catch is CancellationError {}
            }
            group.addTask { do { try await subject.life() } catch is CancellationError {} }
            let end = MonotonicInstant.boot.advanced(by: Self.horizon)
            if try await !clock.wait(for: interrupted, until: end, tolerance: .zero) {
                state.withLock { $0.interrupt }?()
            }
            if way == .cancelled { group.cancelAll() }
            if way == .removed {
                try await clock.sleep(for: spec.shutdownGrace * 2)
                let isGone = supervisor.tree.children.isEmpty
                state.withLock { $0.record.isGone = isGone }
                supervisor.requestStop()
            }
            _ = try await clock.wait(for: ended, until: nil, tolerance: .zero)
            group.cancelAll()
        }
        state.withLock { state in
            if way != .removed { state.record.isGone = state.endedAt != nil }
            state.record.took = state.stoppedAt.flatMap { from in
                state.endedAt.map { max(.zero, from.duration(to: $0)) }
            }
            state.record.flaw = subject.flaw()
            if way != .cancelled, state.record.flaw == nil {
                state.record.flaw = subject.flawInOrder()
            }
        }
    }

    private func supervisor(of spec: ChildSpec, _ clock: SimulatedClock) -> Supervisor {
        Supervisor(
            id: "bench",
            policy: RestartPolicy(intensity: RestartIntensity(limit: 1_000, within: .minutes(1))),
            context: SupervisorContext(
                clock: clock,
                seed: clock.seed,
                observer: { [self] event in
                    if event.kind.name == "child ended" { record(endedAt: event.instant) }
                },
                onUnkillable: { [self] child in
                    state.withLock { $0.record.unkillable.append(child) }
                }
            ),
            children: [spec]
        )
    }

    private func arm(
        _ supervisor: Supervisor,
        _ id: String,
        _ way: StopWay,
        _ clock: SimulatedClock
    ) {
        state.withLock { state in
            state.interrupt = { [self] in
                self.state.withLock { $0.stoppedAt = $0.stoppedAt ?? clock.now }
                switch way {
                case .removed: supervisor.remove(id)
                case .stopped: supervisor.requestStop()
                case .cancelled: break
                }
                interrupted.raise()
            }
        }
    }

    /// The first end after the stop counts; those before were failures.
    private func record(endedAt now: MonotonicInstant) {
        state.withLock { state in
            guard state.stoppedAt != nil, state.endedAt == nil else { return }
            state.endedAt = now
        }
    }
}
