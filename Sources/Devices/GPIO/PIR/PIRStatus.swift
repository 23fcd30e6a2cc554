import Core

/// A stretch of motion: pulses that follow each other within the retrigger window.
package struct Motion: Hashable, Sendable {
    /// The first rising edge, by the kernel's clock.
    package let start: MonotonicInstant
    /// The last falling edge; nil while it goes on.
    package var end: MonotonicInstant?
    /// How many pulses long enough to count.
    package var pulseCount: Int

    package init(start: MonotonicInstant, end: MonotonicInstant? = nil, pulseCount: Int) {
        self.start = start
        self.end = end
        self.pulseCount = pulseCount
    }
}

/// Counts and present state of a PIR sensor since its driver started.
package struct PIRStatus: Hashable, Sendable {
    /// End of the time in which pulses are ignored.
    package var settlesAt: MonotonicInstant
    package var isMoving = false
    /// Motions that began.
    package var motionCount = 0
    /// The motion that goes on, or the last one.
    package var lastMotion: Motion?
    /// Pulses shorter than the minimum.
    package var shortPulseCount = 0
    /// Edges that the kernel reported.
    package var edgeCount = 0
    /// Edges that the kernel dropped because no task read them in time.
    package var overrunCount = 0
    /// High for longer than any pulse may be.
    package var isStuck = false
    /// End of the release of the line after a storm; nil while the line is held.
    package var mutedUntil: MonotonicInstant?
    /// How often it was muted.
    package var muteCount = 0

    package init(settlesAt: MonotonicInstant) { self.settlesAt = settlesAt }

    /// Faults at this moment, as text.
    package var faults: [String] {
        (isStuck ? ["stuck high"] : []) + (mutedUntil == nil ? [] : ["edge storm"])
    }
}
