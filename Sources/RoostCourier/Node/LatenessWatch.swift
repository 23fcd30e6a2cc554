import ControlProtocol
import Core
import Supervision
import Synchronization

/// Has the station record which targets do not get their data in time, as `LateTargets` decides.
final class LatenessWatch: Child {
    /// Between two looks; the alert comes so much later at most.
    private static let interval: Duration = .seconds(900)
    private static let tolerance: Duration = .seconds(60)

    private let reports: @Sendable () async -> [OutboxReport]?
    private let news: StationNews
    private let clock: any NodeClock
    private let state = Mutex(LateTargets())

    /// - Parameters:
    ///   - news: Has the station record it.
    ///   - clock: The machine's.
    ///   - reports: Of all targets and receivers; nil before there are any.
    init(
        _ news: StationNews,
        clock: any NodeClock,
        reports: @escaping @Sendable () async -> [OutboxReport]?
    ) {
        (self.news, self.clock, self.reports) = (news, clock, reports)
    }

    /// The station answers, for the first time or again.
    ///
    /// - Parameter report: Its alerts.
    func renew(_ report: AlertsReport) {
        let rules = report.rules.filter { rule in
            rule.parts.contains { $0.kind == "outbox" }
        }
        var raised: Set<String> = []
        for alert in report.alerts where alert.state != "pending" {
            guard let rule = rules.first(where: { alert.key.hasPrefix("\($0.id):") }) else {
                continue
            }
            raised.insert(String(alert.key.dropFirst(rule.id.count + 1)))
        }
        state.withLock { $0.renew(raised: raised) }
    }

    func run() async throws {
        while !Task.isCancelled {
            try await clock.sleep(for: Self.interval, tolerance: Self.tolerance)
            await look()
        }
    }

    private func look() async {
        guard let all = await reports() else { return }
        let (now, wall) = (clock.now, clock.wallTime)
        let changes = state.withLock { $0.judge(all, at: now, wall) }
        for change in changes {
            var details = ["target": change.target]
            if let why = change.why { details["why"] = why }
            if let oldest = change.oldest { details["from"] = oldest }
            news.tell(change.why == nil ? "outbox in time" : "outbox late", details)
        }
    }
}
