import Core

/// Simulated air: where a simulated SDS011 gets its measurements.
package enum SDS011Air: Sendable {
    case constant(SDS011Measurement)
    /// Dust that drifts between 1 and 150 µg/m³, the same for the same seed.
    case drifting(seed: UInt64)
    /// A recording, one entry a step, begun again at its end; at least one entry.
    case series([SDS011Measurement], step: Duration)
    case function(@Sendable (MonotonicInstant) -> SDS011Measurement)
}

/// The air as it goes on.
struct SDS011AirState: Sendable {
    private let air: SDS011Air
    private var generator: SplitMix64
    private var pm25Tenths = 120
    private var coarseTenths = 60

    init(_ air: SDS011Air) {
        if case .series(let entries, let step) = air {
            precondition(!entries.isEmpty && step > .zero, "a series has entries and a step")
        }
        self.air = air
        if case .drifting(let seed) = air {
            generator = SplitMix64(seed: seed)
        } else {
            generator = SplitMix64(seed: 0)
        }
    }

    /// The measurement at one instant; instants come in order.
    mutating func measurement(at now: MonotonicInstant) -> SDS011Measurement {
        switch air {
        case .constant(let measurement): return measurement
        case .function(let function): return function(now)
        case .series(let entries, let step):
            let index = now.nanoseconds / max(1, step.wholeNanoseconds)
            return entries[Int(index % Int64(entries.count))]
        case .drifting:
            pm25Tenths = drifted(pm25Tenths, within: 10...1_500)
            coarseTenths = drifted(coarseTenths, within: 5...900)
            return SDS011Measurement(
                pm25Tenths: UInt16(pm25Tenths),
                pm10Tenths: UInt16(pm25Tenths + coarseTenths)
            )
        }
    }

    private mutating func drifted(_ value: Int, within bounds: ClosedRange<Int>) -> Int {
        let step = max(2, value / 50)
        let next = value + Int.random(in: -step...step, using: &generator)
        return min(max(next, bounds.lowerBound), bounds.upperBound)
    }
}
