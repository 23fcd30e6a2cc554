import ControlProtocol
import Core

/// State of a target of samples, for reports.
package struct OutboxStanding: Hashable, Sendable {
    package let waiting: Int
    package let totals: OutboxTotals
    /// Whether samples wait for a trusted clock.
    package let waitsForClock: Bool
    /// Time of the oldest sample that waits; nil when none waits, or it has no date.
    package let oldest: WallTime?
    package let delivery: DeliveryStanding

    func fill(_ report: inout OutboxReport, at now: MonotonicInstant) {
        report.samples = OutboxSampleCounts(
            delivered: totals.delivered,
            waiting: waiting,
            leftOut: Dictionary(totals.leftOut.map { ($0.rawValue, $1) }) { $1 }
        )
        report.oldestWaiting = oldest?.iso8601
        report.isWaitingForClock = waitsForClock
        delivery.fill(&report, at: now)
    }
}
