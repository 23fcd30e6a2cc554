import Core

/// State of a target of samples, for reports.
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
    /// Time of the oldest sample that waits; nil when none waits, or it has no date.
    package let oldest: WallTime?
    /// Channels and single samples that the receiver refuses while it accepts others.
    package let refusals: [Refusal]

    package struct Refusal: Hashable, Sendable {
        /// Name of the item, such as `channel pm25` or `a sample of dust at 2026-11-22T04:30:00Z`.
        package let name: String
        /// Reason of the refusal; nil before the first try since the process started.
        package let reason: DeliveryReason?
        /// Plural of the kind, such as `samples`, that is tried again by itself; nil for a channel.
        package var kind: String?
    }

    package var refusalWords: String? { refusals.text }
}

extension [OutboxStanding.Refusal] {
    /// Summary of the refused items, for people; nil without any.
    ///
    /// Bound: three items, and the count of the others.
    var text: String? {
        guard !isEmpty else { return nil }
        var parts = prefix(3).map { refusal in
            "it refuses \(refusal.name)" + (refusal.reason.map { " (\($0.words))" } ?? "")
        }
        if count > 3 { parts.append("\(count - 3) more") }
        let kind = lazy.compactMap(\.kind).first
        return parts.joined(separator: ", ")
            + (kind.map { "; such \($0) are tried again by themselves" } ?? "")
    }
}
