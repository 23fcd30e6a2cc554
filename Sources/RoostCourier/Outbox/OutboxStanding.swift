import Core

/// How a target of samples stands, for reports.
package struct OutboxStanding: Hashable, Sendable {
    package let id: String
    package let waiting: Int
    package let totals: OutboxTotals
    package let held: DeliveryReason?
    package let trouble: DeliveryReason?
    package let notBefore: MonotonicInstant
    package let lastDelivery: MonotonicInstant?
    /// Whether samples wait for a trusted clock.
    package let waitsForClock: Bool
    /// Why the station's store cannot be read now; nil while it can.
    package let sourceTrouble: String?
    /// The time of the oldest sample that waits; nil when none waits, or it has no date.
    package let oldest: WallTime?
}
