/// Tries a network of the owner, and returns to the present one where that does not work.
///
/// The present configuration stays in its place until the new one is proved, and then is replaced
/// in one step: a loss of power leaves the one or the other. What is left of a try that did not
/// end is removed at the next start.
package struct NetworkTrial: Hashable, Sendable {
    package enum Step: Hashable, Sendable {
        /// Writes the new configuration beside the present one.
        case keepCandidate
        /// Ends the present network and the access point.
        case freeRadio
        case startCandidate
        /// Waits two seconds, and looks.
        case look
        /// Puts the new configuration in the place of the present one.
        case adopt
        case endCandidate
        case discard
        /// Starts the network of the configuration that is in place.
        case startPresent
        /// Opens the access point again: at once, or once no network came within a minute.
        case openPoint(atOnce: Bool)
    }

    package enum Event: Hashable, Sendable {
        case done
        case failed(String)
        /// What keeps the station out of the network; nil once it is in it with an address.
        ///
        /// - Parameter second: Seconds since the try began, by a clock that no one sets.
        case seen(WirelessFinding?, second: Int)
    }

    /// Seconds of one try, after which there is no further look.
    package static let secondsMax = 90
    /// Seconds for which a password is denied before it counts as wrong: one broken handshake may
    /// be a weak signal.
    private static let denialSeconds = 20

    /// The station was its own access point before.
    private let hadPoint: Bool
    private var step = Step.keepCandidate
    /// When the password was denied first.
    private var deniedAt: Int?
    private var hasTouchedRadio = false
    private var isProved = false
    /// Set once the try has failed.
    private var finding: WirelessFinding?
    /// Why the station could not try.
    private var failure: String?

    package init(hadPoint: Bool) { self.hadPoint = hadPoint }

    /// Decides on the step after one that ended so; nil at the end.
    mutating func next(_ event: Event) -> Step? {
        if case .failed(let why) = event, failure == nil, !isProved { failure = why }
        guard let following = following(event) else { return nil }
        step = following
        if step == .freeRadio { hasTouchedRadio = true }
        return following
    }

    private mutating func following(_ event: Event) -> Step? {
        let isDone = event == .done
        switch step {
        case .keepCandidate: return isDone ? .freeRadio : .discard
        case .freeRadio: return isDone ? .startCandidate : .endCandidate
        case .startCandidate: return isDone ? .look : .endCandidate
        case .look:
            guard case .seen(let seen, let second) = event else { return .endCandidate }
            return afterLook(seen, second)
        case .adopt:
            isProved = isDone
            return .endCandidate
        case .endCandidate: return isProved ? .startPresent : .discard
        case .discard: return hasTouchedRadio ? .startPresent : nil
        case .startPresent: return isProved ? nil : .openPoint(atOnce: hadPoint)
        case .openPoint: return nil
        }
    }

    private mutating func afterLook(_ seen: WirelessFinding?, _ second: Int) -> Step {
        guard let seen else { return .adopt }
        deniedAt = seen.cause == .wrongPassword ? deniedAt ?? second : nil
        let isDenied = deniedAt.map { second - $0 >= Self.denialSeconds } ?? false
        guard isDenied || second >= Self.secondsMax else { return .look }
        finding = seen
        return .endCandidate
    }

    /// Carries a try out, step by step.
    ///
    /// - Parameter perform: Does one step, and says how it ended.
    package mutating func run(_ perform: (Step) -> Event) {
        var now: Step? = step
        while let step = now {
            now = next(perform(step))
        }
    }

    /// How it ended.
    package func outcome(of network: String) -> NetworkOutcome {
        if isProved { return NetworkOutcome(network, .joined) }
        if let finding { return NetworkOutcome(network, finding.cause.result, why: finding.line) }
        return NetworkOutcome(network, .failed, why: failure)
    }
}
