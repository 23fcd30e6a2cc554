import ControlProtocol
import Core
import Runtime
import Synchronization

/// Reports to the station which targets are late, as `LateTargets` decides.
final class LatenessReporter: Child {
    /// Time between two looks while all is well.
    private static let interval: Duration = .seconds(300)
    /// Time between two looks while a target is late.
    private static let shortInterval: Duration = .seconds(60)
    /// Time from a failed request until its target has judged it.
    private static let delay: Duration = .seconds(2)

    private let reports: @Sendable () async -> [OutboxReport]?
    private let news: StationEvents
    private let clock: any NodeClock
    private let failures: Signal
    private let state = Mutex(LateTargets())

    /// - Parameters:
    ///   - news: Has the station record it.
    ///   - failures: Raised when there may be something to see.
    ///   - reports: Reports of all targets, receivers and feeds; nil before there are any.
    init(
        _ news: StationEvents,
        clock: any NodeClock,
        failures: Signal = Signal(),
        reports: @escaping @Sendable () async -> [OutboxReport]?
    ) {
        (self.news, self.clock, self.reports) = (news, clock, reports)
        self.failures = failures
    }

    /// Reports everything again after the station was away.
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
            let wait = state.withLock { $0.isWatching } ? Self.shortInterval : Self.interval
            let hasFailed = try await clock.wait(
                for: failures,
                until: clock.now.advanced(by: wait),
                tolerance: wait / 5
            )
            if hasFailed { try await clock.sleep(for: Self.delay, tolerance: Self.delay / 2) }
            await look()
        }
    }

    private func look() async {
        guard let all = await reports() else { return }
        let (now, wall) = (clock.now, clock.wallTime)
        let changes = state.withLock { $0.update(all, at: now, wall) }
        for change in changes {
            var details = ["target": change.target]
            if let why = change.why { details["why"] = why }
            if let oldest = change.oldest { details["from"] = oldest }
            news.report(change.why == nil ? "outbox in time" : "outbox late", details)
        }
    }
}
