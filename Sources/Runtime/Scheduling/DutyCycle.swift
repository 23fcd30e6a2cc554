import Core

/// How a sensor shares its time between measuring and rest.
package struct DutyCycle: Hashable, Sendable {
    /// Start of one measurement to the start of the next.
    package let period: Duration
    /// From waking to the first value worth keeping.
    package let warmUp: Duration
    /// How long readings are collected after the warm-up.
    package let window: Duration
    /// How late a period may start; it saves wake-ups.
    package let tolerance: Duration

    /// A cycle; `window + warmUp` is at most `period`.
    package init(period: Duration, warmUp: Duration, window: Duration, tolerance: Duration) {
        precondition(period > .zero && warmUp >= .zero && window >= .zero && tolerance >= .zero)
        precondition(warmUp + window <= period, "no rest would be left")
        self.period = period
        self.warmUp = warmUp
        self.window = window
        self.tolerance = tolerance
    }

    /// The share of time the sensor is awake, 0…1.
    var awakeShare: Double { (warmUp + window) / period }
}
