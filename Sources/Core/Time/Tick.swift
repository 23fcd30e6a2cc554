/// Time in the store: tenths of a second since boot.
///
/// Finer would store the jitter of the scheduler, which costs more bits than the value itself.
package struct Tick: Hashable, Comparable, Sendable {
    package let tenths: Int64

    package init(tenths: Int64) { self.tenths = tenths }

    /// The tick of an instant.
    package init(_ instant: MonotonicInstant) { tenths = instant.nanoseconds / 100_000_000 }

    package var instant: MonotonicInstant { MonotonicInstant(nanoseconds: tenths * 100_000_000) }

    package static func < (left: Tick, right: Tick) -> Bool { left.tenths < right.tenths }
}
