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
    /// Channels and single samples that the receiver refuses while it takes others.
    package let refusals: [Refusal]

    package struct Refusal: Hashable, Sendable {
        /// As `channel pm25` or `a sample of dust at 2026-11-22T04:30:00Z`.
        package let name: String
        /// nil before the first try since the process started.
        package let reason: DeliveryReason?
        /// As `samples`, which are tried again by themselves; nil of a channel.
        package var kind: String?
    }

    package var refusalWords: String? { refusals.words }
}

extension [OutboxStanding.Refusal] {
    /// Summary of the refused items, for people; nil without any.
    ///
    /// Bound: three of them, and how many there are beside.
    var words: String? {
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
