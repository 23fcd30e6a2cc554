import Core

/// Values that flow along an edge of a graph.
enum GraphSignal: Hashable, Sendable {
    /// A count of 10⁻⁹, and the doubts about it.
    case value(Int64, Quality)
    case noData(NoData)

    /// Converts a reading; an impossible value, or one too large for the graph, becomes no data.
    init(_ outcome: Outcome) {
        switch outcome {
        case _ where outcome.isLeftOut: self = .noData(.outOfRange)
        case .noData(let reason): self = .noData(reason)
        case .value(let value, let quality):
            self = GraphNumber.value(value).map { .value($0, quality) } ?? .noData(.outOfRange)
        }
    }

    /// A result that may not fit in 64 bits.
    init(_ result: Int128?, _ quality: Quality) {
        self =
            result.flatMap { Int64(exactly: $0) }.map { .value($0, quality) }
            ?? .noData(.outOfRange)
    }

    /// Converts to a reading's outcome: rounded once more, halves away from zero.
    ///
    /// A mantissa beyond 31 bits loses decimals until it fits, for the memory ring keeps no more.
    func outcome(decimals: Int) -> Outcome {
        switch self {
        case .noData(let reason): return .noData(reason)
        case .value(let value, let quality):
            var decimals = decimals
            var reading = GraphNumber.reading(value, decimals: decimals)
            while decimals > 0, Int32(exactly: reading.mantissa) == nil {
                decimals -= 1
                reading = GraphNumber.reading(value, decimals: decimals)
            }
            return .value(reading, quality)
        }
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
