import Core

/// Decides what a measurement is worth, from what came before it.
///
/// Pure.
package struct SDS011Judge: Hashable, Sendable {
    package typealias Limits = SensorDoubt.Limits

    package struct Verdict: Hashable, Sendable {
        package let pm25: Outcome
        package let pm10: Outcome
        package let begun: [SensorDoubt]
        package let ended: [SensorDoubt]
    }

    package private(set) var doubts: Set<SensorDoubt> = []
    private var last: SDS011Measurement?
    private var runLength = 0

    package init() {}

    /// Forgets how long values have been the same, as when the mode changes.
    package mutating func restart() {
        last = nil
        runLength = 0
    }

    /// Takes the next measurement.
    ///
    /// - Parameters:
    ///   - measurement: A frame, or the median of several.
    ///   - hasMoved: Whether the frames that it is the median of differ: what is stuck says one
    ///     frame for ever, and a median may be the same by chance.
    ///   - limits: How long is too long.
    /// - Returns: What it is worth, and which doubts began and ended with it.
    package mutating func judge(
        _ measurement: SDS011Measurement,
        hasMoved: Bool = false,
        by limits: Limits
    ) -> Verdict {
        runLength = measurement == last && !hasMoved ? min(runLength + 1, Int.max - 1) : 1
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
        in these: Set<SensorDoubt>,
        without those: Set<SensorDoubt>
    ) -> [SensorDoubt] {
        guard !these.isEmpty else { return [] }
        return SensorDoubt.allCases.filter { these.contains($0) && !those.contains($0) }
    }

    private func doubts(
        about measurement: SDS011Measurement,
        by limits: Limits
    ) -> Set<SensorDoubt> {
        if measurement == .zero { return runLength >= limits.zeros ? [.zeros] : [] }
        var doubts: Set<SensorDoubt> = []
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
