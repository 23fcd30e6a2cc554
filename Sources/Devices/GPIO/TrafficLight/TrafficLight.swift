import Core
import HardwareIO
import Synchronization

/// State of a traffic light, kept even while no driver holds its lines.
///
/// Outlives its drivers, so that a restarted one shows the right lamp at once. `offer` decides and
/// lights the lamp in the caller's own job: nothing is between a frame and its light but one system
/// call. The lock is held for that call.
package final class TrafficLight: Sendable {
    /// How many changes wait to be recorded; at the bound the oldest is forgotten.
    package static let changeLimit = 16

    private struct State {
        var machine: TrafficLightMachine
        var lines: (any GPIOLines)?
        /// The lamp that the lines were last set to.
        var shown = Lamp.dark
        var failure: GPIOError?
        var changes: [LampChange] = []
        /// Instant for which the driver has set its timer; nil while it has set none.
        var armed: MonotonicInstant?

        mutating func show() {
            guard let lines, failure == nil, shown != machine.lamp else { return }
            do {
                try lines.set(machine.lamp.values)
                shown = machine.lamp
            } catch {
                failure = error
            }
        }

        mutating func remember(_ change: LampChange) {
            if changes.count >= TrafficLight.changeLimit { changes.removeFirst() }
            changes.append(change)
        }
    }

    /// Changes that the driver has to record, and when it has to wake up next.
    struct Errand {
        let changes: [LampChange]
        let wake: (deadline: MonotonicInstant, tolerance: Duration)
    }

    /// Raised when the driver waits for the wrong thing.
    let attention = Signal()
    private let onChange: (@Sendable (LampState) -> Void)?
    private let state: Mutex<State>

    /// A light that knows nothing yet.
    ///
    /// - Parameters:
    ///   - onChange: Called after each change of state, in the job that caused it; must be quick.
    package init(
        at start: MonotonicInstant,
        onChange: (@Sendable (LampState) -> Void)? = nil
    ) {
        self.onChange = onChange
        state = Mutex(State(machine: TrafficLightMachine(at: start)))
    }

    /// Shows the level of a sample, at once.
    ///
    /// - Parameters:
    ///   - level: nil when the sample had no value: `unknown` at once.
    ///   - instant: When the sample was taken.
    ///   - validity: For how long it may be shown, > 0; two periods and some slack.
    package func offer(
        _ level: AirLevel?,
        at instant: MonotonicInstant,
        validFor validity: Duration
    ) {
        change { $0.offer(level, at: instant, validFor: validity) }
    }

    /// Shows that something is broken, until the next level.
    package func reportFault(at instant: MonotonicInstant) {
        change { $0.reportFault(at: instant) }
    }

    /// Present state; a stale level is never reported, even while no driver runs.
    package func status(at now: MonotonicInstant) -> TrafficLightStatus {
        state.withLock { state in
            var machine = state.machine
            _ = machine.advance(to: now)
            return TrafficLightStatus(
                state: machine.state,
                since: machine.since,
                lamp: state.shown,
                isHeld: state.lines != nil,
                changeCount: machine.changeCount
            )
        }
    }

    private func change(_ decide: (inout TrafficLightMachine) -> LampChange?) {
        let (change, isUrgent) = state.withLock { state in
            let change = decide(&state.machine)
            state.show()
            if let change { state.remember(change) }
            let isTooLate = state.armed.map { state.machine.wake.deadline < $0 } ?? false
            return (change, change != nil || isTooLate || state.failure != nil)
        }
        if let change { onChange?(change.state) }
        // A sample that changes nothing wakes no task.
        if isUrgent { attention.raise() }
    }
}

// For the driver.
extension TrafficLight {
    /// Attaches the lines of a driver; `advance` then lights the right lamp.
    func attach(_ lines: any GPIOLines) {
        state.withLock { state in
            state.lines = lines
            state.shown = .dark
            state.failure = nil
        }
    }

    /// Turns every lamp off and gives the lines back.
    ///
    /// Safe to call twice.
    func detach() {
        state.withLock { state in
            try? state.lines?.set(Lamp.dark.values)
            state.lines?.release()
            state.lines = nil
            state.shown = .dark
            state.armed = nil
        }
    }

    /// Does what is due.
    ///
    /// - Throws: `GPIOError` when a lamp could not be set, now or in an `offer`.
    func advance(to now: MonotonicInstant) throws(GPIOError) -> Errand {
        let (change, failure, errand) = state.withLock { state in
            let change = state.machine.advance(to: now)
            state.show()
            if let change { state.remember(change) }
            let errand = Errand(changes: state.changes, wake: state.machine.wake)
            state.changes.removeAll()
            state.armed = errand.wake.deadline
            return (change, state.failure, errand)
        }
        if let change { onChange?(change.state) }
        if let failure { throw failure }
        return errand
    }
}
