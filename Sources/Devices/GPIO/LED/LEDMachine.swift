import Core

/// Patterns that one LED can show.
package enum LEDPattern: String, Hashable, Sendable {
    case off
    case on
    /// Lit, and dark for half a second every two seconds: a person should have a look.
    case winking
    /// Half a second lit, half a second dark: something is wrong.
    case blinking
    /// A quarter of a second lit, a quarter dark: the station can be claimed.
    case calling
    /// A flash of half a second each half minute: nothing is known.
    case flashing

    /// Lit and dark times of a blinking pattern; nil for a steady one.
    var turns: (lit: Duration, dark: Duration)? {
        switch self {
        case .off, .on: nil
        case .winking: (.milliseconds(1_500), .milliseconds(500))
        case .blinking: (.milliseconds(500), .milliseconds(500))
        case .calling: (.milliseconds(250), .milliseconds(250))
        case .flashing: (.milliseconds(500), .milliseconds(29_500))
        }
    }
}

/// Decides when one lamp is lit; pure.
///
/// What it shows may end by itself: then it flashes, for what is too old is not known. A steady
/// lamp wakes no task, a winking one 60 times a minute, a blinking one 120, a calling one 240.
package struct LEDMachine: Sendable {
    package private(set) var pattern = LEDPattern.flashing
    private(set) var isLit = true
    package private(set) var changeCount = 0
    /// Instant of the next change between lit and dark.
    private var turn: MonotonicInstant?
    /// End of the pattern; nil for no end.
    private var end: MonotonicInstant?

    package init(at now: MonotonicInstant) { enter(.flashing, at: now) }

    /// Shows a pattern from now on.
    ///
    /// - Parameters:
    ///   - end: When it is too old to be shown; nil for never.
    /// - Returns: Whether the next wake-up may have come nearer.
    package mutating func show(
        _ next: LEDPattern,
        at now: MonotonicInstant,
        until end: MonotonicInstant? = nil
    ) -> Bool {
        let before = self.end
        self.end = next == .flashing ? nil : end
        guard next != pattern else { return end.map { $0 < before ?? $0 } ?? false }
        changeCount += 1
        enter(next, at: now)
        return true
    }

    /// Does what is due.
    package mutating func advance(to now: MonotonicInstant) {
        if let end, end <= now {
            self.end = nil
            changeCount += 1
            return enter(.flashing, at: now)
        }
        guard let turn, turn <= now, let turns = pattern.turns else { return }
        isLit.toggle()
        self.turn = now.advanced(by: isLit ? turns.lit : turns.dark)
    }

    /// When to call `advance(to:)` next, and how late that may be; nil for never.
    package var wake: (deadline: MonotonicInstant, tolerance: Duration)? {
        let lateness: Duration = pattern == .flashing && !isLit ? .seconds(5) : .milliseconds(100)
        guard let turn else { return end.map { ($0, .minutes(1)) } }
        if let end, end < turn { return (end, .milliseconds(100)) }
        return (turn, lateness)
    }

    private mutating func enter(_ next: LEDPattern, at now: MonotonicInstant) {
        pattern = next
        isLit = next != .off
        turn = next.turns.map { now.advanced(by: $0.lit) }
    }
}
