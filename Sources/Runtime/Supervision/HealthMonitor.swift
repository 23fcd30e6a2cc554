import Core
import Synchronization

/// Watches that children make progress, and pets upward only while every permanent one does.
///
/// One wake-up for all: it plans on the earliest deadline and is notified when one comes nearer. A
/// child that waits for its restart is not watched: its fault may be outside the computer.
package final class HealthMonitor: Child {
    /// Actions of a HealthMonitor outside of itself.
    package struct Callbacks: Sendable {
        /// Reports that all is well: `WATCHDOG=1`, `/dev/watchdog`.
        package let pet: @Sendable () -> Void
        package let observer: @Sendable (Event) -> Void
        /// Called once when replacing a child did not help: the process ends itself.
        package let onStillLate: @Sendable (_ child: String) -> Void
        /// Called when the process did not run for a while, in which something fell due.
        ///
        /// The machine was suspended, or the process stopped. From the last look before it to now.
        package let onStandstill: @Sendable (Range<MonotonicInstant>) -> Void
        /// Called with the time in which a child that was late made no progress.
        ///
        /// It begins with the child's last beat, and grows from call to call while the child hangs.
        package let onHung: @Sendable (_ child: String, Range<MonotonicInstant>) -> Void

        package init(
            pet: @escaping @Sendable () -> Void,
            observer: @escaping @Sendable (Event) -> Void = { _ in },
            onStillLate: @escaping @Sendable (String) -> Void,
            onStandstill: @escaping @Sendable (Range<MonotonicInstant>) -> Void = { _ in },
            onHung: @escaping @Sendable (String, Range<MonotonicInstant>) -> Void = { _, _ in }
        ) {
            self.pet = pet
            self.observer = observer
            self.onStillLate = onStillLate
            self.onStandstill = onStandstill
            self.onHung = onHung
        }
    }

    /// Later than its window by more than this, the HealthMonitor itself was held up, and so was
    /// every task.
    static let delayMax: Duration = .seconds(1)

    private let registry: HeartbeatRegistry
    private let clock: any NodeClock
    private let callbacks: Callbacks
    private let machine: Mutex<HealthMonitorMachine>

    /// A HealthMonitor that pets within `petWindow` of the last time.
    package init(
        _ registry: HeartbeatRegistry,
        petWindow: ClosedRange<Duration>,
        clock: any NodeClock,
        callbacks: Callbacks
    ) {
        self.registry = registry
        self.clock = clock
        self.callbacks = callbacks
        machine = Mutex(HealthMonitorMachine(petWindow: petWindow, startingAt: clock.now))
    }

    package func run() async throws {
        while !Task.isCancelled {
            registry.plan(wakeAt: nil)
            let looked = clock.now
            look()
            let (opens, closes) = machine.withLock { $0.nextLook(Self.watched(registry.watches)) }
            registry.plan(wakeAt: closes)
            _ = try await clock.wait(
                for: registry.deadlineCameNearer,
                until: opens,
                tolerance: opens.duration(to: closes)
            )
            let (limit, now) = (closes.advanced(by: Self.delayMax), clock.now)
            guard now > limit else { continue }
            machine.withLock { $0.wokeUp(after: opens..<now) }
            callbacks.onStandstill(looked..<now)
        }
    }

    private func look() {
        let now = clock.now
        let watches = registry.watches
        for action in machine.withLock({ $0.look(at: now, Self.watched(watches)) }) {
            switch action {
            case .pet:
                callbacks.pet()
            case .warn(let child, let late):
                report(.childLate, .warning, child, late)
            case .hung(let child, let stretch):
                // Before the event that follows, which makes both durable.
                callbacks.onHung(child, stretch)
            case .recovered(let child):
                report(.childOnTime, .notice, child, .zero)
            case .replace(let key, let child, let late):
                report(.childReplaced, .error, child, late)
                watches.first { $0.key == key }?.replace("no progress")
            case .escalate(let child):
                report(.childStillLate, .error, child, .zero)
                callbacks.onStillLate(child)
            }
        }
    }

    private static func watched(_ watches: [HeartbeatRegistry.Watch]) -> [HealthMonitorMachine
        .Watched]
    {
        watches.map { watch in
            HealthMonitorMachine.Watched(
                key: watch.key,
                child: watch.child,
                limit: watch.limit,
                isCritical: watch.isCritical,
                beat: watch.heartbeat.snapshot
            )
        }
    }

    private func report(
        _ kind: EventKind.Plain,
        _ severity: Event.Severity,
        _ child: String,
        _ late: Duration
    ) {
        let details: KeyValuePairs = ["child": child, "late": late.shortText]
        callbacks.observer(
            Event(at: clock.now, source: "health", kind: .plain(kind), severity: severity, details)
        )
    }
}
