import ControlProtocol
import Core

/// State of a target of samples, for reports.
struct OutboxStanding: Hashable, Sendable {
    let waiting: Int
    let totals: OutboxTotals
    /// Whether samples wait for a trusted clock.
    let waitsForClock: Bool
    /// Time of the oldest sample that waits; nil when none waits, or it has no date.
    let oldest: WallTime?
    let delivery: DeliveryStanding

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
