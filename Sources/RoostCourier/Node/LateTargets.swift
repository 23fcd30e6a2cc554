import ControlProtocol
import Core
import Store

/// Says which targets do not get their data in time, and which do again.
///
/// Pure: a caller brings reports and the time. A target is late when its oldest sample has waited
/// for `limit`, and a receiver or target when a person has had to change something for so long;
/// one that its owner paused is not.
package struct LateTargets: Sendable {
    package struct Change: Hashable, Sendable {
        package let target: String
        /// Why it is late; nil when it is late no more.
        package let why: String?
        /// ISO 8601, of the oldest sample that waits; nil where none has a date.
        package let oldest: String?

        package init(target: String, why: String?, oldest: String?) {
            (self.target, self.why, self.oldest) = (target, why, oldest)
        }
    }

    /// With the hour for which the alert's rule waits, a day.
    package static let limit: Duration = .seconds(82_800)

    /// Targets that the station believes late.
    private var told: Set<String> = []
    private var heldSince: [String: MonotonicInstant] = [:]
    /// Whether the station hears of those that are late although it may know them.
    private var renewed = false

    package init() {}

    /// The station may have forgotten what it knew: it hears again of those that are late, and of
    /// the end of an alert that is still raised.
    ///
    /// - Parameter raised: Targets for which the station has an alert.
    package mutating func renew(raised: Set<String>) { (told, renewed) = (raised, true) }

    /// What to tell.
    ///
    /// - Parameters:
    ///   - reports: Of all targets and receivers that there are.
    ///   - now: The time.
    ///   - wall: The time of day; nil while it is not trusted: then no age is known.
    /// - Returns: In the order of the reports; of targets that are no more at the end.
    package mutating func judge(
        _ reports: [OutboxReport],
        at now: MonotonicInstant,
        _ wall: WallTime?
    ) -> [Change] {
        var changes: [Change] = []
        for report in reports {
            let held = held(report, at: now)
            let waits = report.state != .paused && Self.age(of: report, wall) >= Self.limit
            guard waits || held >= Self.limit else {
                if told.remove(report.id) != nil { changes.append(.init(report.id)) }
                continue
            }
            guard told.insert(report.id).inserted || renewed else { continue }
            let why = report.why ?? "data waits"
            changes.append(Change(target: report.id, why: why, oldest: report.oldestWaiting))
        }
        let known = Set(reports.map(\.id))
        for target in told.subtracting(known).sorted() { changes.append(.init(target)) }
        told.formIntersection(known)
        heldSince = heldSince.filter { known.contains($0.key) }
        renewed = false
        return changes
    }

    private mutating func held(_ report: OutboxReport, at now: MonotonicInstant) -> Duration {
        guard report.state == .held || report.state == .broken else {
            heldSince[report.id] = nil
            return .zero
        }
        let since = heldSince[report.id] ?? now
        heldSince[report.id] = since
        return since.duration(to: now)
    }

    private static func age(of report: OutboxReport, _ wall: WallTime?) -> Duration {
        guard let wall, let oldest = report.oldestWaiting.flatMap({ WallTime(iso8601: $0) })
        else { return .zero }
        return .nanoseconds(wall.nanoseconds - oldest.nanoseconds)
    }
}

extension LateTargets.Change {
    fileprivate init(_ target: String) { self.init(target: target, why: nil, oldest: nil) }
}
