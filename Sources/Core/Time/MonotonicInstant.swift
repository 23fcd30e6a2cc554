/// A point on the node's clock: nanoseconds since boot, counting suspended time, never stepping.
///
/// Valid within one boot only. Wall time is separate, and may be unknown for days.
package struct MonotonicInstant: InstantProtocol, Hashable, Sendable, CustomStringConvertible {
    /// Nanoseconds since boot; 292 years fit.
    package let nanoseconds: Int64

    package static let boot = MonotonicInstant(nanoseconds: 0)

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    package func advanced(by duration: Duration) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: nanoseconds.addingSaturating(duration.wholeNanoseconds))
    }

    package func duration(to other: MonotonicInstant) -> Duration {
        .nanoseconds(other.nanoseconds - nanoseconds)
    }

    package static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// Seconds since boot with three decimals, as the kernel log prints them.
    package var description: String {
        guard nanoseconds >= 0 else {
            return nanoseconds == .min
                ? "-∞" : "-\(MonotonicInstant(nanoseconds: -nanoseconds))"
        }
        let milliseconds = nanoseconds / 1_000_000
        let fraction = String(milliseconds % 1_000)
        let padding = String(repeating: "0", count: 3 - fraction.count)
        return "\(milliseconds / 1_000).\(padding)\(fraction)"
    }
}

extension Duration {
    /// The duration in nanoseconds, saturating at ±292 years.
    package var wholeNanoseconds: Int64 {
        Int64(clamping: attoseconds / 1_000_000_000)
    }

    /// The duration in seconds, for display and for ratios.
    package var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }

    package static func minutes(_ count: Int) -> Duration { .seconds(count * 60) }
    package static func hours(_ count: Int) -> Duration { .seconds(count * 3_600) }
    package static func days(_ count: Int) -> Duration { .seconds(count * 86_400) }
}

extension Int64 {
    fileprivate func addingSaturating(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}
