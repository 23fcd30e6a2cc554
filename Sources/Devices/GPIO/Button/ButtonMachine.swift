import Core

/// Decides what is a press from the edges of one line; pure.
///
/// Everything is decided by the instants of the edges, so reading them late changes nothing. Who
/// holds the button when the station starts has not pressed it: only its release is waited for.
struct ButtonMachine: Sendable {
    /// Button events to report.
    enum Notice: Hashable, Sendable {
        case pressed(at: MonotonicInstant)
        /// Reported while it is still held.
        case longPress(at: MonotonicInstant)
        /// Reported while it is still held, or with its early release.
        case held(ButtonHold, at: MonotonicInstant)
        case released(at: MonotonicInstant, after: Duration, isLong: Bool)
        /// Reported with the second of two presses.
        case doublePress(at: MonotonicInstant)
        case stuck(since: MonotonicInstant, at: MonotonicInstant)
        case unstuck(at: MonotonicInstant, after: Duration)
        /// A loose wire: the line is to be let go until then.
        case storm(at: MonotonicInstant, until: MonotonicInstant)
    }

    private struct Press: Hashable {
        let since: MonotonicInstant
        /// The second of a double press.
        var isSecond = false
        var isLong = false
        var isHeld = false
        /// How far a hold of a button that `resets` has come; nil before `resetNear`.
        var reset: ButtonHold?
        var isStuck = false
    }

    let settings: ButtonSettings
    private(set) var pressCount = 0
    /// When the last press began.
    private(set) var lastPress: MonotonicInstant?
    /// Instant until which the line is to be released after a storm; nil while it is wanted.
    private(set) var mutedUntil: MonotonicInstant?
    private var press: Press?
    /// Held since before we listened: no press.
    private var isHeldFromBefore = false
    private var lastRelease: MonotonicInstant?
    /// Instants of the presses within the storm's window, at most `stormPresses + 1`.
    private var recent: [MonotonicInstant] = []

    init(settings: ButtonSettings) { self.settings = settings }

    var isPressed: Bool { press != nil }
    var isStuck: Bool { press?.isStuck ?? false }
    /// Whether a hold that may end in a reset has shown itself.
    var isResetNear: Bool { press?.reset == .resetNear }

    /// The line is held again, and has this level.
    mutating func opened(isPressed: Bool) {
        (press, lastRelease, mutedUntil) = (nil, nil, nil)
        isHeldFromBefore = isPressed
        recent.removeAll()
    }

    /// The level is this, by an edge or by asking for it.
    ///
    /// - Parameters:
    ///   - isPressed: After the active level is applied.
    ///   - instant: When the kernel saw it.
    /// - Returns: Events to report, in order.
    mutating func level(_ isPressed: Bool, at instant: MonotonicInstant) -> [Notice] {
        var notices = advance(to: instant, isStillPressed: isPressed)
        guard mutedUntil == nil else { return notices }
        if isHeldFromBefore {
            isHeldFromBefore = isPressed
            return notices
        }
        if isPressed, press == nil {
            notices += begin(at: instant)
        } else if !isPressed, let press {
            notices += end(press, at: instant)
        }
        return notices
    }

    /// Time has passed without an edge.
    ///
    /// - Parameter isStillPressed: Whether it is pressed now: an edge that was lost or is read late
    ///   gives no station away.
    mutating func advance(to instant: MonotonicInstant, isStillPressed: Bool = true) -> [Notice] {
        var notices: [Notice] = []
        guard var held = press else { return notices }
        let long = held.since.advanced(by: settings.longPress)
        if !held.isLong, long <= instant {
            held.isLong = true
            notices.append(.longPress(at: long))
        }
        let claim = held.since.advanced(by: ButtonSettings.claimHold)
        if settings.claims, !held.isHeld, claim <= instant {
            held.isHeld = true
            notices.append(.held(.claim, at: claim))
        }
        if settings.resets { notices += hold(&held, to: instant, isStillPressed) }
        let stuck = held.since.advanced(by: settings.stuckAfter)
        if !held.isStuck, stuck <= instant {
            held.isStuck = true
            notices.append(.stuck(since: held.since, at: stuck))
        }
        press = held
        return notices
    }

    private func hold(
        _ held: inout Press,
        to instant: MonotonicInstant,
        _ isStillPressed: Bool
    ) -> [Notice] {
        var notices: [Notice] = []
        let near = held.since.advanced(by: ButtonSettings.resetNear)
        if held.reset == nil, near <= instant {
            held.reset = .resetNear
            notices.append(.held(.resetNear, at: near))
        }
        let end = held.since.advanced(by: ButtonSettings.resetHold)
        if held.reset == .resetNear, isStillPressed, end <= instant {
            held.reset = .reset
            notices.append(.held(.reset, at: end))
        }
        return notices
    }

    /// Holding time of the next step to a reset; nil where there is none.
    private func nextHold(of press: Press) -> Duration? {
        guard settings.resets else { return nil }
        return switch press.reset {
        case nil: ButtonSettings.resetNear
        case .resetNear: ButtonSettings.resetHold
        default: nil
        }
    }

    /// Instant of the next call of `advance` if no edge comes first.
    var wake: MonotonicInstant? {
        guard let press else { return nil }
        let lengths = [
            press.isLong ? nil : settings.longPress,
            settings.claims && !press.isHeld ? ButtonSettings.claimHold : nil,
            press.isStuck ? nil : settings.stuckAfter, nextHold(of: press),
        ]
        return lengths.compactMap(\.self).min().map { press.since.advanced(by: $0) }
    }

    private mutating func begin(at instant: MonotonicInstant) -> [Notice] {
        recent.append(instant)
        let start = instant.advanced(by: .zero - ButtonSettings.stormWindow)
        recent.removeAll { $0 <= start }
        guard recent.count <= ButtonSettings.stormPresses else {
            let end = instant.advanced(by: ButtonSettings.mute)
            mutedUntil = end
            return [.storm(at: instant, until: end)]
        }
        press = Press(since: instant)
        pressCount += 1
        lastPress = instant
        var notices = [Notice.pressed(at: instant)]
        if let before = lastRelease, settings.doublePress > .zero,
            before.duration(to: instant) <= settings.doublePress
        {
            notices.append(.doublePress(at: instant))
            press?.isSecond = true
        }
        return notices
    }

    private mutating func end(_ press: Press, at instant: MonotonicInstant) -> [Notice] {
        let duration = press.since.duration(to: instant)
        // The second press of a pair ends it, a third begins anew; a long one begins none.
        lastRelease = press.isLong || press.isSecond ? nil : instant
        self.press = nil
        var notices: [Notice] = []
        if press.reset == .resetNear { notices.append(.held(.resetLeft, at: instant)) }
        if press.isStuck { notices.append(.unstuck(at: instant, after: duration)) }
        notices.append(.released(at: instant, after: duration, isLong: press.isLong))
        return notices
    }
}
