import Core

/// Doubts about a measurement that arrived in a valid frame.
package enum SensorDoubt: String, Hashable, Sendable, CaseIterable {
    /// The same values for suspiciously long; kept and flagged.
    case unchanging
    /// The same values for too long to be true; no value any more.
    case stuck
    /// Nothing but zeros for long.
    case zeros
    /// At the top of the range.
    case ceiling
    /// Dust below a size above dust below a larger one.
    case inconsistent
    /// Outside what the profile calls plausible.
    case outOfRange = "out of range"

    /// How many samples in a row it takes; one sample is one interval.
    package struct Limits: Hashable, Sendable {
        package let unchanging: Int
        package let stuck: Int
        package let zeros: Int

        package init(unchanging: Int, stuck: Int, zeros: Int) {
            (self.unchanging, self.stuck, self.zeros) = (unchanging, stuck, zeros)
        }
    }
}

extension SensorDoubt.Limits {
    /// For any part every few minutes: an hour and a day at 5 min.
    ///
    /// Many parts say whole numbers, and clean air is the same for hours.
    static let anyDutyCycle = Self(unchanging: 12, stuck: 288, zeros: 12)
    /// For any part every few seconds: an hour and a day at 1 Hz.
    static let anyLive = Self(unchanging: 3_600, stuck: 86_400, zeros: 3_600)

    /// For any part that is asked at an interval: an hour and a day, and no fewer samples than
    /// every few minutes.
    package static func asked(every interval: Duration) -> Self {
        func count(in time: Duration, least: Int) -> Int { max(least, Int(time / interval)) }
        let hour = count(in: .hours(1), least: anyDutyCycle.unchanging)
        let day = count(in: .hours(24), least: anyDutyCycle.stuck)
        return Self(unchanging: hour, stuck: day, zeros: hour)
    }
}
