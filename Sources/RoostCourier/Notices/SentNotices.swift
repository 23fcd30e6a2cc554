import ControlProtocol
import Core

/// The alerts that one receiver got a notice of; each counts once, at its first notice.
///
/// Bound: the numbers of the newest 256 alerts, and the newest `NoticeCounts.latestMax` with time.
struct SentNotices: Sendable {
    private static let limit = 256

    private var numbers: Set<Int64>
    private var latest: [(key: AlertEvent.Key, at: MonotonicInstant)] = []

    /// - Parameter numbers: Alerts that an earlier process sent.
    init(_ numbers: some Sequence<Int64> = []) { self.numbers = Set(numbers) }

    /// Counts what a receiver has taken.
    ///
    /// - Parameters:
    ///   - plan: What the notice said.
    ///   - alerts: The raised alerts that the plan names by their numbers.
    /// - Returns: The alerts of which it got no notice before.
    mutating func add(
        _ plan: NoticePlan,
        _ alerts: [Int64: NoticePlanner.Alert],
        at now: MonotonicInstant
    ) -> [AlertEvent.Key] {
        let lasting = (plan.raised + plan.reminders).compactMap { number in
            alerts[number].map { (number, $0.raised.key) }
        }
        let new = (lasting + plan.ended.map { ($0.raise, $0.key) }).filter { number, _ in
            numbers.insert(number).inserted
        }
        if numbers.count > Self.limit {
            let kept = numbers.filter { alerts[$0] != nil }
            numbers = kept.union(numbers.sorted().suffix(Self.limit / 2))
        }
        latest = Array((new.map { ($0.1, now) } + latest).prefix(NoticeCounts.latestMax))
        return new.map(\.1)
    }

    /// The newest of this process, newest first.
    func report(at now: MonotonicInstant) -> [NoticeCounts.Latest] {
        latest.map { key, at in
            NoticeCounts.Latest(key: "\(key)", ageSeconds: at.duration(to: now).inSeconds)
        }
    }
}
