import ControlProtocol
import Core
import Synchronization

/// The node's costs in the last hour and the last day.
///
/// Gets totals at wake-ups for other reasons; causes none itself.
struct CostHistory {
    /// Totals are kept no denser than this.
    static let step: Duration = .minutes(10)
    /// A day of them, and one before it.
    static let markLimit = 146

    private struct Mark {
        let instant: MonotonicInstant
        let costs: ProcessCosts
    }

    // Oldest first; at the bound the oldest goes.
    private var marks: [Mark] = []

    /// Whether a mark is due.
    func isDue(at now: MonotonicInstant) -> Bool {
        marks.last.map { $0.instant.advanced(by: Self.step) <= now } ?? true
    }

    /// Records the totals of this moment.
    mutating func append(_ costs: ProcessCosts, at now: MonotonicInstant) {
        if marks.count == Self.markLimit { marks.removeFirst() }
        marks.append(Mark(instant: now, costs: costs))
    }

    /// The costs of the period that ends now and is closest to `span`; nil without a mark before
    /// it.
    func cost(of span: Duration, until costs: ProcessCosts, at now: MonotonicInstant) -> CostReport?
    {
        let wanted = now.advanced(by: .zero - span)
        let nearest = marks.filter { $0.instant < now }.min {
            Self.distance($0.instant, wanted) < Self.distance($1.instant, wanted)
        }
        guard let nearest else { return nil }
        let (before, after) = (nearest.costs, costs)
        return CostReport(
            seconds: nearest.instant.duration(to: now).inSeconds.rounded(toDecimals: 3),
            wakeUps: after.wakeUps - before.wakeUps,
            cpuMilliseconds: ((after.cpuTime - before.cpuTime).inSeconds * 1_000)
                .rounded(toDecimals: 3),
            cardBytes: after.cardByteCount.flatMap { bytes in
                before.cardByteCount.map { bytes - $0 }
            },
            cardSyncs: after.cardSyncCount - before.cardSyncCount
        )
    }

    private static func distance(_ one: MonotonicInstant, _ other: MonotonicInstant) -> Duration {
        one < other ? one.duration(to: other) : other.duration(to: one)
    }
}

/// The budget history of a station.
final class CostHistoryClient: Sendable {
    private let platform: any Platform
    private let history = Mutex(CostHistory())

    init(_ platform: any Platform) { self.platform = platform }

    /// Records what the node costs so far, if that is due.
    func record() {
        let now = platform.clock.now
        guard history.withLock({ $0.isDue(at: now) }) else { return }
        let costs = platform.figures
        history.withLock { $0.append(costs, at: now) }
    }

    /// Puts the last hour and the last day into a report.
    func complete(_ report: inout BudgetReport, with costs: ProcessCosts) {
        let (now, history) = (platform.clock.now, history.withLock { $0 })
        report.hour = history.cost(of: .hours(1), until: costs, at: now)
        report.day = history.cost(of: .days(1), until: costs, at: now)
    }
}
