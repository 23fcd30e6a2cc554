import Core
import HardwareIO
import Synchronization

/// Lines of a driver that a trial may borrow for seconds.
///
/// The driver keeps them: what it sets meanwhile is remembered, and shown when the trial ends.
final class TappedLines: GPIOLines {
    private struct State {
        /// What the driver set last; nil for inputs.
        var wanted: [Bool]?
        var isBorrowed = false
        var isReleased = false
    }

    let request: LineRequest
    private let lines: any GPIOLines
    private let state: Mutex<State>

    init(_ lines: any GPIOLines, of request: LineRequest) {
        (self.lines, self.request) = (lines, request)
        var first: [Bool]?
        if case .output(let initially) = request.direction { first = initially }
        state = Mutex(State(wanted: first))
    }

    var isOutput: Bool { if case .output = request.direction { true } else { false } }

    func values() throws(GPIOError) -> [Bool] { try lines.values() }

    func set(_ values: [Bool]) throws(GPIOError) {
        try state.withLock { state throws(GPIOError) in
            state.wanted = values
            if !state.isBorrowed { try lines.set(values) }
        }
    }

    func edges(
        until deadline: MonotonicInstant?,
        tolerance: Duration
    ) async throws -> [EdgeEvent]? {
        try await lines.edges(until: deadline, tolerance: tolerance)
    }

    /// Lets the lines go as the driver left them, also in the middle of a trial.
    func release() {
        state.withLock { state in
            if state.isBorrowed, let wanted = state.wanted {
                // Lines that are gone have nothing to show.
                do throws(GPIOError) { try lines.set(wanted) } catch {}
            }
            (state.isBorrowed, state.isReleased) = (false, true)
            lines.release()
        }
    }

    /// Sets one of the lines for a trial; the others show what the driver wants.
    func lend(_ index: Int, _ isOn: Bool) throws(GPIOError) {
        try state.withLock { state throws(GPIOError) in
            guard !state.isReleased else {
                throw .disconnected(chip: request.chipLabel ?? "of the header")
            }
            guard var values = state.wanted else { return }
            state.isBorrowed = true
            values[index] = isOn
            try lines.set(values)
        }
    }

    /// Ends a trial: the lines show what the driver wants.
    func giveBack() {
        state.withLock { state in
            guard state.isBorrowed, let wanted = state.wanted else { return }
            state.isBorrowed = false
            // Lines that are gone have nothing to show.
            do throws(GPIOError) { try lines.set(wanted) } catch {}
        }
    }
}
