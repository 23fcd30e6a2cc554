import Core

/// Decides which lamp is lit; pure.
///
/// A level is shown until it is no longer valid, then the light is `unknown`. A fault is shown
/// until the next level. The two flash so rarely that they cost four wake-ups a minute at most.
struct TrafficLightMachine: Sendable {
    /// How long a flash lasts, and how much longer it may.
    static let flash = Duration.milliseconds(500)
    static let flashTolerance = Duration.milliseconds(250)
    /// Start of one flash to the start of the next, and how much later it may come.
    static let flashPeriod = Duration.seconds(30)
    static let flashPeriodTolerance = Duration.seconds(5)
    /// How much longer a level may be shown than it is valid: a quarter of that, 5 min at most.
    ///
    /// So wide that the next sample's wake-up falls into it, and looking costs none of its own.
    static let staleToleranceMax = Duration.minutes(5)

    private(set) var state = LampState.unknown
    private(set) var since: MonotonicInstant
    private(set) var lamp: Lamp
    private(set) var changeCount = 0
    /// When to call `advance(to:)` next, and how late that may be.
    private(set) var wake: (deadline: MonotonicInstant, tolerance: Duration)

    /// A light that knows nothing yet.
    init(at start: MonotonicInstant) {
        since = start
        lamp = LampState.unknown.lamp
        wake = (start.advanced(by: Self.flash), Self.flashTolerance)
    }

    /// Applies the level of a sample.
    ///
    /// - Parameters:
    ///   - level: nil when the sample had no value: `unknown` at once.
    ///   - instant: When the sample was taken.
    ///   - validity: For how long it may be shown, > 0.
    /// - Returns: The change, or nil.
    mutating func offer(
        _ level: AirLevel?,
        at instant: MonotonicInstant,
        validFor validity: Duration
    ) -> LampChange? {
        precondition(validity > .zero, "a level is valid for some time")
        guard let level else { return state == .fault ? nil : enter(.unknown, at: instant) }
        let change = enter(LampState(level), at: instant)
        let quarter = Duration.nanoseconds(validity.wholeNanoseconds / 4)
        wake = (instant.advanced(by: validity), min(quarter, Self.staleToleranceMax))
        return change
    }

    /// Shows that something is broken, until the next level.
    mutating func reportFault(at instant: MonotonicInstant) -> LampChange? {
        enter(.fault, at: instant)
    }

    /// Does what is due: a level ends, a flash begins or ends.
    mutating func advance(to now: MonotonicInstant) -> LampChange? {
        guard wake.deadline <= now else { return nil }
        guard state.isFlashing else { return enter(.unknown, at: now) }
        if lamp == .dark {
            lamp = state.lamp
            wake = (now.advanced(by: Self.flash), Self.flashTolerance)
        } else {
            lamp = .dark
            wake = (now.advanced(by: Self.flashPeriod - Self.flash), Self.flashPeriodTolerance)
        }
        return nil
    }

    private mutating func enter(_ next: LampState, at instant: MonotonicInstant) -> LampChange? {
        guard next != state else { return nil }
        let change = LampChange(instant: instant, state: next, previous: state)
        (state, since, lamp) = (next, instant, next.lamp)
        changeCount += 1
        // A flash begins at once; a level sets its own end.
        wake = (instant.advanced(by: Self.flash), Self.flashTolerance)
        return change
    }
}
