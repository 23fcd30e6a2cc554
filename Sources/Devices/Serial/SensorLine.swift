import Core
import HardwareIO
import Runtime
import Synchronization

/// A session on its line: passes it what happens and carries out what it decides.
///
/// Bytes are judged and the light is set where they arrive, as in an interrupt handler: the port
/// calls `receive` before any task is resumed. The driver's task does the rest. Sinks must not call
/// their driver.
final class SensorLine: SerialReceiver {
    /// The longest wait on the line, so that a stop is noticed within its grace.
    private static let readSlice: Duration = .seconds(2)

    private struct State {
        var session: SensorSession
        var port: any SerialPort
        /// Actions that the session asked for; empty between its calls.
        var actions: [SensorAction] = []
        /// The present wait for bytes.
        var listening = MonotonicInstant.boot..<MonotonicInstant.boot
        /// Error raised where no task could throw it.
        var failure: (any Error)?
    }

    private let environment: DriverEnvironment
    private let state: Mutex<State>
    /// Whether the driver has something to pass to the session; it is resumed for that.
    private let hasRequest = Atomic(false)

    init(_ setup: SensorDependencies, speaking dialect: any SensorDialect) {
        environment = setup.environment
        var first = State(session: SensorSession(setup, speaking: dialect), port: setup.port)
        first.actions.reserveCapacity(8)
        state = Mutex(first)
    }

    /// Condition that the session waits for.
    var wait: SensorWait { state.withLock { $0.session.wait } }

    var report: SensorReport {
        let now = environment.clock.now
        return state.withLock { state in
            var report = state.session.report(at: now)
            report.progress = state.session.progress(at: now)
            return report
        }
    }

    // MARK: Requests

    /// Ends the reading at the next bytes, or within its slice.
    func recordRequest() { hasRequest.store(true, ordering: .sequentiallyConsistent) }

    /// Whether there was a request since the last call.
    func takeRequest() -> Bool { hasRequest.exchange(false, ordering: .sequentiallyConsistent) }

    // MARK: Events

    func handle(_ event: SensorEvent) throws {
        try state.withLock { state in
            state.session.handle(event, at: environment.clock.now, into: &state.actions)
            try carryOut(&state)
        }
    }

    /// Reads until the session waits for something else than bytes, or for time, or the driver has
    /// a request for it.
    func listen() async throws {
        let now = environment.clock.now
        let (port, first) = state.withLock { ($0.port, nextWait(&$0, at: now)) }
        guard let first else { return }
        let hasEnded = try await port.read(into: self, first)
        if let failure = state.withLock({ $0.failure.take() }) { throw failure }
        guard !hasEnded else { return }
        let stretch = try state.withLock { try passStandstill(&$0, at: environment.clock.now) }
        // A stop that came meanwhile is no failure of the part.
        if !stretch, !hasRequest.load(ordering: .sequentiallyConsistent) { try handle(.time) }
    }

    func receive(_ bytes: Span<UInt8>) -> SerialWait? {
        state.withLock { state in
            let now = environment.clock.now
            do {
                if try !passStandstill(&state, at: now) {
                    state.session.receive(bytes, at: now, into: &state.actions)
                    try carryOut(&state)
                }
            } catch {
                state.failure = error
                return nil
            }
            guard !hasRequest.load(ordering: .relaxed) else { return nil }
            return nextWait(&state, at: now)
        }
    }

    /// The wait for bytes that the session is in, cut to a slice; nil when it is in none.
    private func nextWait(_ state: inout State, at now: MonotonicInstant) -> SerialWait? {
        guard case .bytes(let count, let deadline) = state.session.wait else { return nil }
        let slice = min(deadline, now.advanced(by: Self.readSlice))
        state.listening = now..<max(now, slice)
        return SerialWait(count: count, until: slice)
    }

    /// Passes on that the process stood still in the present wait.
    ///
    /// - Returns: Whether it did.
    private func passStandstill(_ state: inout State, at now: MonotonicInstant) throws -> Bool {
        let wait = state.listening
        guard
            let stretch = Standstill.found(
                since: wait.lowerBound,
                deadline: wait.upperBound,
                now: now
            )
        else { return false }
        state.session.handle(.stoodStill(stretch), at: now, into: &state.actions)
        try carryOut(&state)
        environment.stoodStill?(stretch)
        return true
    }

    /// Closes the port of before, which may be gone.
    func close() { state.withLock { $0.port }.close() }

    func use(_ port: any SerialPort) { state.withLock { $0.port = port } }

    // MARK: Actions

    private func carryOut(_ state: inout State) throws {
        defer { state.actions.removeAll(keepingCapacity: true) }
        // By index, so that no iterator shares them and costs a copy.
        for index in state.actions.indices {
            switch state.actions[index] {
            case .write(let bytes): try state.port.write(bytes)
            case .discardInput: try state.port.discardInput()
            case .accept(let readings): environment.sink.accept(readings)
            case .miss(let reason, let missed):
                for instant in missed.instants {
                    environment.sink.accept(state.session.absence(reason, at: instant))
                }
            case .record(let event): environment.sink.record(event)
            case .beat(let promise): environment.heartbeat.beat(nextWithin: promise)
            case .laser(let time): environment.laser?(time)
            case .time(let wall): environment.time?(wall)
            }
        }
    }

    /// Sent and not waited for: there may be no time left to wait in.
    func leaveAtRest() {
        state.withLock { state in
            state.actions.removeAll()
            state.session.leave(at: environment.clock.now, into: &state.actions)
            for action in state.actions {
                switch action {
                case .write(let bytes): try? state.port.write(bytes)
                case .laser(let time): environment.laser?(time)
                case .discardInput, .accept, .miss, .record, .beat, .time: break
                }
            }
            state.port.close()
        }
    }
}
