import Core

/// Something a supervisor did or saw, for the event log.
enum SupervisionNotice: Hashable, Sendable {
    case started(child: String, restartCount: Int)
    /// `isExpected` is true when the supervisor asked the child to stop.
    case ended(child: String, ChildExit, ran: Duration, isExpected: Bool)
    case restarting(child: String, attempt: Int, delay: Duration)
    case unkillable(child: String, grace: Duration)
    /// Restarts exceeded the intensity; the supervisor stops its children and ends.
    case escalating(child: String, ChildExit)
    /// The supervisor did not fulfil a request for this child.
    case refused(child: String, reason: String)

    /// The event as it is logged and stored.
    func event(at instant: MonotonicInstant, source: String) -> Event {
        func event(
            _ kind: EventKind,
            _ severity: Event.Severity,
            _ details: KeyValuePairs<String, String>
        ) -> Event {
            Event(at: instant, source: source, kind: kind, severity: severity, details)
        }
        switch self {
        case .started(let child, let count):
            return event(.childStarted(child: child), .info, ["restarts": "\(count)"])
        case .ended(let child, let exit, let ran, let isExpected):
            return event(
                .plain(.childEnded),
                isExpected || exit == .normal ? .info : .warning,
                ["child": child, "reason": exit.description, "ran": ran.shortText]
            )
        case .restarting(let child, let attempt, let delay):
            return event(
                .plain(.childRestarting),
                .notice,
                ["child": child, "attempt": "\(attempt)", "delay": delay.shortText]
            )
        case .unkillable(let child, let grace):
            return event(
                .plain(.childUnkillable),
                .error,
                ["child": child, "grace": grace.shortText]
            )
        case .escalating(let child, let exit):
            return event(
                .plain(.supervisorEscalating),
                .error,
                ["child": child, "reason": exit.description]
            )
        case .refused(let child, let reason):
            return event(.plain(.requestRefused), .warning, ["child": child, "reason": reason])
        }
    }
}

extension Duration {
    /// Seconds with three decimals: `0.250 s`.
    var shortText: String {
        "\(MonotonicInstant.boot.advanced(by: max(self, .zero))) s"
    }
}
