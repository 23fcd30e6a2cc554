import Core

/// The mode a driver was asked for, and since when.
struct RequestedMode: Sendable {
    private(set) var mode: SensorMode
    /// When it was last changed; nil before that.
    private(set) var since: MonotonicInstant?

    init(_ mode: SensorMode) { self.mode = mode }

    /// Whether that is another than the one before.
    mutating func change(to mode: SensorMode, at now: MonotonicInstant) -> Bool {
        guard mode != self.mode else { return false }
        (self.mode, since) = (mode, now)
        return true
    }
}
