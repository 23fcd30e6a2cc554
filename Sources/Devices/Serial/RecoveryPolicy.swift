import Core

/// Remedies for a sensor that does not answer, in order, then the wait before the next round.
///
/// Pure. Waiting grows from 5 s to `delayMax` and never ends.
struct RecoveryPolicy: Hashable, Sendable {
    enum Remedy: String, Hashable, Sendable {
        case askAgain = "ask again"
        case reopen
        case restAndWake = "rest and wake"
    }

    enum Step: Hashable, Sendable {
        case remedy(Remedy)
        /// Names the sensor, once per outage.
        case report
        case wait(Duration)
    }

    private enum Rung: Hashable {
        case fine
        case tried(Remedy)
        case reported
        case waiting(Duration)
        case reopenedAgain(Duration)
    }

    static let delayMin: Duration = .seconds(5)
    /// Longest wait for a part on a line of its own.
    static let delayMax: Duration = .minutes(5)
    /// Longest wait for a part on a bus of the board: what hangs there may be another part.
    static let busDelayMax: Duration = .seconds(15)

    /// Whether all remedies have failed, and minutes later one of them again.
    static func isRetry(before delay: Duration) -> Bool { delay > delayMin }

    private let delayMax: Duration
    private var rung = Rung.fine
    /// When the outage began; nil when all is well.
    private(set) var failingSince: MonotonicInstant?

    init(delayMax: Duration = Self.delayMax) { self.delayMax = delayMax }

    /// Whether the outage was named.
    var isReported: Bool {
        switch rung {
        case .fine, .tried: false
        case .reported, .waiting, .reopenedAgain: true
        }
    }

    /// The last remedy taken.
    var remedy: Remedy? {
        switch rung {
        case .fine: nil
        case .tried(let remedy): remedy
        case .reported, .waiting: .restAndWake
        case .reopenedAgain: .reopen
        }
    }

    /// Records that there was no answer, and returns the next step.
    mutating func fail(at now: MonotonicInstant) -> Step {
        if failingSince == nil { failingSince = now }
        switch rung {
        case .fine: return attempt(.askAgain)
        case .tried(.askAgain): return attempt(.reopen)
        case .tried(.reopen): return attempt(.restAndWake)
        case .tried(.restAndWake):
            rung = .reported
            return .report
        case .reported:
            rung = .waiting(Self.delayMin)
            return .wait(Self.delayMin)
        case .waiting(let delay):
            rung = .reopenedAgain(min(delay * 2, delayMax))
            return .remedy(.reopen)
        case .reopenedAgain(let delay):
            rung = .waiting(delay)
            return .wait(delay)
        }
    }

    /// Records an answer.
    ///
    /// - Returns: How long the outage lasted, if it had been named.
    mutating func succeed(at now: MonotonicInstant) -> Duration? {
        defer { self = RecoveryPolicy(delayMax: delayMax) }
        return isReported ? failingSince?.duration(to: now) : nil
    }

    private mutating func attempt(_ remedy: Remedy) -> Step {
        rung = .tried(remedy)
        return .remedy(remedy)
    }
}
