import ControlProtocol
import Core
import Store

/// Decides which targets are late: they fail, or do not get their data in time.
///
/// Pure: a caller brings reports and the time. A target, receiver or feed fails when a person has
/// to change something, and when it has failed otherwise for `patience`; it is late when its oldest
/// sample has waited for `limit`. One that its owner paused is neither.
struct LateTargets: Sendable {
    struct Change: Hashable, Sendable {
        let target: String
        /// Why the target is late; nil when it is no longer late.
        let why: String?
        /// Date (ISO 8601) of the oldest sample that waits; nil where none has a date.
        let oldest: String?

        init(target: String, why: String?, oldest: String?) {
            (self.target, self.why, self.oldest) = (target, why, oldest)
        }
    }

    /// A sample that waits longer than this is reported as late.
    static let limit: Duration = .seconds(86_400)
    /// A failure that may pass by itself is reported after this time.
    static let patience: Duration = .seconds(900)

    /// Targets that the station believes late, with whether it knows that a person has to act.
    private var told: [String: Bool] = [:]
    private var failingSince: [String: MonotonicInstant] = [:]
    /// Whether late targets are reported again, although the station may know them already.
    private var renewed = false

    init() {}

    /// Reports everything again, also the end of raised alerts: the station may have forgotten it.
    ///
    /// - Parameter raised: Targets for which the station has an alert.
    mutating func renew(raised: Set<String>) {
        told = Dictionary(uniqueKeysWithValues: raised.map { ($0, true) })
        renewed = true
    }

    /// Whether the result may change by time alone, or a late target may have recovered.
    var isWatching: Bool { !told.isEmpty || !failingSince.isEmpty }

    /// Decides which targets to report to the station as late, or as late no more.
    ///
    /// - Parameters:
    ///   - reports: Reports of all targets, receivers and feeds that there are.
    ///   - wall: The time of day; nil while it is not trusted: then no age is known.
    /// - Returns: In the order of the reports; of targets that are no more at the end.
    mutating func update(
        _ reports: [OutboxReport],
        at now: MonotonicInstant,
        _ wall: WallTime?
    ) -> [Change] {
        var changes: [Change] = []
        for report in reports {
            let isFailing = fails(report, at: now)
            let isLate = report.state != .paused && Self.age(of: report, wall) >= Self.limit
            guard isFailing || isLate else {
                if told.removeValue(forKey: report.id) != nil { changes.append(.init(report.id)) }
                continue
            }
            let isHeld = report.state == .held || report.state == .broken
            let before = told[report.id]
            told[report.id] = isHeld || before == true
            guard before == nil || renewed || (isHeld && before == false) else { continue }
            let why = report.why ?? "data waits"
            changes.append(Change(target: report.id, why: why, oldest: report.oldestWaiting))
        }
        let known = Set(reports.map(\.id))
        for target in told.keys.sorted() where !known.contains(target) {
            changes.append(.init(target))
            told[target] = nil
        }
        failingSince = failingSince.filter { known.contains($0.key) }
        renewed = false
        return changes
    }

    private mutating func fails(_ report: OutboxReport, at now: MonotonicInstant) -> Bool {
        // A heartbeat held back says that the station is unwell, not that its own way fails.
        guard report.code != HeartbeatTask.notWell else { return false }
        switch report.state {
        case .held, .broken: return true
        case .later:
            let since = failingSince[report.id] ?? now
            failingSince[report.id] = since
            return since.duration(to: now) >= Self.patience
        case .idle, .waiting, .waitsForStation, .paused:
            failingSince[report.id] = nil
            return false
        }
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
