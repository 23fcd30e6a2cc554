import Core

/// Where a device is between two samples, so that a reader knows what to wait for.
package struct SensorProgress: Hashable, Sendable {
    package enum Phase: String, Hashable, Sendable, CaseIterable {
        /// It rests until the next sample is due.
        case asleep
        /// Fan, laser or heater run, and no value counts yet.
        case warming
        case measuring
    }

    package let phase: Phase
    /// When the phase ends; nil when it goes on.
    package let endsAt: MonotonicInstant?
    /// When the next sample is expected; nil in a stream.
    package let nextSampleAt: MonotonicInstant?

    package init(_ phase: Phase, until end: MonotonicInstant?, next: MonotonicInstant?) {
        (self.phase, endsAt, nextSampleAt) = (phase, end, next)
    }
}
