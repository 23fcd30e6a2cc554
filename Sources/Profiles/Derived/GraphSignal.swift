import Core

/// Values that go into a calculation and come out of it.
enum GraphSignal: Hashable, Sendable {
    /// A value, and the doubts about it.
    case value(Double, Quality)
    case noData(NoData)

    /// Magnitude beyond which there is no value: nine decimals of it must fit in 64 bits.
    private static let limit = 9e9
    /// Nanos of a unit of the last digit, by the number of decimals.
    private static let steps: [Int64] = [
        1_000_000_000, 100_000_000, 10_000_000, 1_000_000, 100_000, 10_000, 1_000, 100, 10, 1,
    ]

    /// Converts a reading; an impossible value, or one too large for a graph, becomes no data.
    init(_ outcome: Outcome, timesTenTo power: Int = 0) {
        switch outcome {
        case _ where outcome.isLeftOut: self = .noData(.outOfRange)
        case .noData(let reason): self = .noData(reason)
        case .value(let value, let quality):
            let scaled = value.scaled(byPowerOfTen: power)
            self = scaled.map { GraphSignal($0.doubleValue, quality) } ?? .noData(.outOfRange)
        }
    }

    /// A value within the limit, or no data.
    init(_ value: Double, _ quality: Quality) {
        self = value.magnitude <= Self.limit ? .value(value, quality) : .noData(.outOfRange)
    }

    /// Converts to a reading's outcome.
    ///
    /// A mantissa beyond 31 bits loses decimals until it fits, for the memory ring keeps no more.
    func outcome(decimals: Int) -> Outcome {
        switch self {
        case .noData(let reason): return .noData(reason)
        case .value(let value, let quality):
            var decimals = decimals
            var mantissa = Self.count(value, decimals)
            while decimals > 0, Int32(exactly: mantissa) == nil {
                decimals -= 1
                mantissa = Self.count(value, decimals)
            }
            return .value(FixedPoint(mantissa, decimals: decimals), quality)
        }
    }

    /// How many 10^−decimals a value is, 0…9 of them; halves away from zero.
    static func count(_ value: Double, _ decimals: Int) -> Int64 {
        // To nine decimals first, in whole numbers: what is a half in decimals is not one in bits.
        let (nanos, step) = (Int64((value * 1e9).rounded()), steps[decimals])
        let (count, rest) = nanos.quotientAndRemainder(dividingBy: step)
        return 2 * rest.magnitude >= step.magnitude ? count + rest.signum() : count
    }
}

/// A signal, and when it came.
struct GraphHeld: Hashable, Sendable {
    let instant: MonotonicInstant
    let signal: GraphSignal

    /// The signal while it is no older than `limit`, else `stale`; it may come from a later moment.
    func signal(at now: MonotonicInstant, limit: Duration) -> GraphSignal {
        let (age, overflow) = now.nanoseconds.subtractingReportingOverflow(instant.nanoseconds)
        let isFresh = !overflow && age.magnitude <= UInt64(clamping: limit.wholeNanoseconds)
        return isFresh ? signal : .noData(.stale)
    }
}
