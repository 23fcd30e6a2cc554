import Readings

/// What can be doubtful about a measurement that arrived in a good frame.
package enum SDS011Doubt: String, Hashable, Sendable, CaseIterable {
    /// The same pair for suspiciously long; kept and flagged.
    case unchanging
    /// The same pair for too long to be true; no value any more.
    case stuck
    /// Nothing but zeros long after the wake.
    case zeros
    /// At the top of the range.
    case ceiling
    /// PM2.5 above PM10.
    case inconsistent
}

/// Decides what a measurement is worth, from what came before it.
///
/// Pure.
package struct SDS011Judge: Hashable, Sendable {
    /// How many samples in a row it takes; one sample is one interval.
    package struct Limits: Hashable, Sendable {
        package let unchanging: Int
        package let stuck: Int
        package let zeros: Int

        /// For one sample every few minutes.
        ///
        /// - Source: the 1 Hz day of two real SDS011 and two real days at 145 s hold no pair three
        ///   times in a row at such distances.
        package static let dutyCycle = Limits(unchanging: 3, stuck: 12, zeros: 3)
        /// For one sample a second.
        ///
        /// - Source: the longest run of one pair in the real 1 Hz day is 52; the datasheet's
        ///   response time is 10 s.
        package static let live = Limits(unchanging: 60, stuck: 600, zeros: 10)
    }

    package struct Verdict: Hashable, Sendable {
        package let pm25: Outcome
        package let pm10: Outcome
        package let begun: [SDS011Doubt]
        package let ended: [SDS011Doubt]
    }

    package private(set) var doubts: Set<SDS011Doubt> = []
    private var last: SDS011Measurement?
    private var runLength = 0

    package init() {}

    /// Forgets how long values have been the same, as when the mode changes.
    package mutating func restart() {
        last = nil
        runLength = 0
    }

    package mutating func judge(_ measurement: SDS011Measurement, by limits: Limits) -> Verdict {
        runLength = measurement == last ? min(runLength + 1, Int.max - 1) : 1
        last = measurement
        let current = doubts(about: measurement, by: limits)
        let past = doubts
        doubts = current

        func outcome(_ tenths: UInt16) -> Outcome {
            if measurement == .zero { return .noData(.warmingUp) }
            if current.contains(.stuck) { return .noData(.stuck) }
            var quality = Quality(rawValue: 0)
            if current.contains(.unchanging) { quality.insert(.unchanging) }
            if current.contains(.ceiling) { quality.insert(.ceiling) }
            if current.contains(.inconsistent) { quality.insert(.inconsistent) }
            return .value(FixedPoint(Int64(tenths), decimals: 1), quality)
        }
        return Verdict(
            pm25: outcome(measurement.pm25Tenths),
            pm10: outcome(measurement.pm10Tenths),
            begun: Self.doubts(in: current, without: past),
            ended: Self.doubts(in: past, without: current)
        )
    }

    /// In the order of their declaration; most measurements have none.
    private static func doubts(
        in these: Set<SDS011Doubt>,
        without those: Set<SDS011Doubt>
    ) -> [SDS011Doubt] {
        guard !these.isEmpty else { return [] }
        return SDS011Doubt.allCases.filter { these.contains($0) && !those.contains($0) }
    }

    private func doubts(
        about measurement: SDS011Measurement,
        by limits: Limits
    ) -> Set<SDS011Doubt> {
        if measurement == .zero { return runLength >= limits.zeros ? [.zeros] : [] }
        var doubts: Set<SDS011Doubt> = []
        let ceiling = SDS011Measurement.ceiling
        if measurement.pm25Tenths >= ceiling.pm25Tenths
            || measurement.pm10Tenths >= ceiling.pm10Tenths
        {
            doubts.insert(.ceiling)
        } else if runLength >= limits.stuck {
            doubts.insert(.stuck)
        } else if runLength >= limits.unchanging {
            doubts.insert(.unchanging)
        }
        if measurement.pm25Tenths > measurement.pm10Tenths { doubts.insert(.inconsistent) }
        return doubts
    }

    /// The median of each value by itself: a value the part really said, whatever one frame says.
    ///
    /// Of an even count the lower middle; nil of none.
    package static func median(of measurements: [SDS011Measurement]) -> SDS011Measurement? {
        guard !measurements.isEmpty else { return nil }
        let middle = (measurements.count - 1) / 2
        return SDS011Measurement(
            pm25Tenths: measurements.map(\.pm25Tenths).sorted()[middle],
            pm10Tenths: measurements.map(\.pm10Tenths).sorted()[middle]
        )
    }
}
