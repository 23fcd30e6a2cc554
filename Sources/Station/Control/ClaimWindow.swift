import ControlProtocol
import Core
import Store
import Synchronization

/// The time in which the dashboard may give the station to its first owner without a code.
///
/// A held button opens it, or with `claim.window` the machine's power-on. It closes by time or by
/// the first claim. It is in memory alone: a restart of the process closes it.
final class ClaimWindow: Sendable {
    /// The store's setting that has the last boot in which power-on could open it.
    static let bootKey = "claim.boot"
    /// After a button was held.
    static let length = Duration.minutes(5)
    /// Since the machine was switched on.
    static let powerOnLength = Duration.minutes(10)

    private struct Open {
        let end: MonotonicInstant
        let cause: ClaimWindowReport.Cause
        let device: String?
    }

    private struct State {
        var open: Open?
        /// `claim.window`: whether power-on opens it.
        var followsPowerOn = false
        /// Opened once in this boot, or claimed.
        var isPowerOnUsed = false
        /// Whether the store said if an earlier process ran in this boot.
        var isBootKnown = false
        /// Whether the store is young; asked at each question until the window is used.
        var isStoreYoung: @Sendable () -> Bool = { false }
    }

    private let recorder: Recorder
    private let clock: any NodeClock
    /// Wakes the task that closes it in time.
    private let changed: Signal
    private let state = Mutex(State())

    init(_ recorder: Recorder, clock: any NodeClock, changed: Signal) {
        (self.recorder, self.clock, self.changed) = (recorder, clock, changed)
    }

    /// Applies `claim.window`.
    func configure(followsPowerOn: Bool) {
        state.withLock { $0.followsPowerOn = followsPowerOn }
    }

    /// Whether power-on opens it.
    var followsPowerOn: Bool { state.withLock { $0.followsPowerOn } }

    /// Learns how to ask for the store's age.
    func join(isStoreYoung: @escaping @Sendable () -> Bool) {
        state.withLock { $0.isStoreYoung = isStoreYoung }
    }

    var isOpen: Bool { state.withLock { $0.open != nil } }

    /// When it closes by itself; nil while it is closed.
    var end: MonotonicInstant? { state.withLock { $0.open?.end } }

    /// Learns whether an earlier process of this boot had the window: a restart opens it no more.
    ///
    /// - Parameters:
    ///   - noted: The boot that the store has under `bootKey`.
    /// - Returns: Whether the present boot is to be noted there.
    func isFirst(in boot: BootID, noted: String?) -> Bool {
        state.withLock { state in
            guard !state.isBootKnown else { return false }
            state.isBootKnown = true
            state.isPowerOnUsed = state.isPowerOnUsed || noted == "\(boot)"
            return noted != "\(boot)"
        }
    }

    /// A person holds a button: it is open for five minutes from now on.
    func open(by device: String) {
        let end = clock.now.advanced(by: Self.length)
        open(Open(end: end, cause: .button, device: device))
    }

    private func open(_ open: Open) {
        state.withLock { state in
            state.open = open
            if open.cause == .powerOn { state.isPowerOnUsed = true }
        }
        let seconds = Int(clock.now.duration(to: open.end).inSeconds.rounded())
        var details = [
            Event.Detail("cause", open.cause.rawValue), Event.Detail("seconds", "\(seconds)"),
        ]
        if let device = open.device { details.append(Event.Detail("device", device)) }
        record(.claimWindowOpened, details)
        changed.raise()
    }

    /// Opens it when the machine was switched on just now and everything else allows it.
    private func openAfterPowerOn() {
        let now = clock.now
        let end = MonotonicInstant.boot.advanced(by: Self.powerOnLength)
        let isYoung = state.withLock { state -> (@Sendable () -> Bool)? in
            guard state.followsPowerOn, !state.isPowerOnUsed, state.open == nil, now < end else {
                return nil
            }
            return state.isStoreYoung
        }
        guard let isYoung, isYoung() else { return }
        open(Open(end: end, cause: .powerOn, device: nil))
    }

    /// Closes it, if its time is over.
    func expire() {
        guard let end, end <= clock.now else { return }
        close([Event.Detail("cause", "time")])
    }

    /// Closes it because the station has an owner now.
    func claimed(by asker: ControlAsker) {
        state.withLock { $0.isPowerOnUsed = true }
        close([Event.Detail("cause", "claimed")] + asker.details)
    }

    private func close(_ details: [Event.Detail]) {
        let wasOpen = state.withLock { state in
            defer { state.open = nil }
            return state.open != nil
        }
        guard wasOpen else { return }
        record(.claimWindowClosed, details)
        changed.raise()
    }

    /// How it is now; asking may open it after power-on.
    func report() -> ClaimWindowReport {
        expire()
        openAfterPowerOn()
        guard let open = state.withLock({ $0.open }) else { return .closed }
        return ClaimWindowReport(
            leftSeconds: max(0, clock.now.duration(to: open.end).inSeconds),
            cause: open.cause,
            device: open.device
        )
    }

    private func record(_ kind: EventKind.Plain, _ details: [Event.Detail]) {
        recorder.recordSoon(
            Event(
                at: clock.now,
                source: "control",
                kind: .plain(kind),
                severity: .notice,
                details: details
            )
        )
    }
}
