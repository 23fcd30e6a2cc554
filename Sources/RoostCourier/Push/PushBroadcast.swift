import Core
import DequeModule

/// One message on its way to all subscribers of a group.
struct PushBroadcast: Sendable {
    /// Subject of the message.
    enum Content: Sendable {
        /// Alerts, written anew after a failure, in their state at that time.
        case plan(NoticePlanner.Plan)
        /// A notice of another program, as it came.
        case notice(Notice)
    }

    /// The interval of its group.
    let interval: Int
    private(set) var content: Content
    let severity: Notice.Severity
    let begun: MonotonicInstant
    /// Notices by language.
    var texts: [String: [Notice]] = [:]
    /// Languages of all subscribers that it goes to.
    let languages: Set<String>
    private var next: Deque<Subscriber>
    /// Subscribers whose push service must not be asked for a while.
    private var deferred: [Subscriber] = []

    init(
        _ content: Content,
        _ severity: Notice.Severity,
        to subscribers: [Subscriber],
        interval: Int,
        at now: MonotonicInstant
    ) {
        (self.content, self.severity, begun) = (content, severity, now)
        (self.interval, next) = (interval, Deque(subscribers))
        languages = Set(subscribers.map(\.language))
    }

    var isDone: Bool { next.isEmpty && deferred.isEmpty }
    var waitingCount: Int { next.count + deferred.count }
    /// Whether there is a subscriber whose turn has not come yet.
    var isUnderWay: Bool { !next.isEmpty }

    /// Leaves out what a later message to the same subscribers says anew.
    mutating func leaveOut(_ later: NoticePlanner.Plan) {
        guard case .plan(var plan) = content else { return }
        let said = Set(later.raised + later.reminders)
        plan.raised.removeAll(where: said.contains)
        plan.reminders.removeAll(where: said.contains)
        content = .plan(plan)
        if plan.isEmpty {
            next.removeAll()
            deferred.removeAll()
        }
    }

    /// The next subscriber who may be asked; the others wait.
    mutating func take(_ isOpen: (Subscriber) -> Bool) -> Subscriber? {
        while let subscriber = next.popFirst() {
            if isOpen(subscriber) { return subscriber }
            deferred.append(subscriber)
        }
        guard let place = deferred.firstIndex(where: isOpen) else { return nil }
        return deferred.remove(at: place)
    }

    mutating func putBack(_ subscriber: Subscriber) { deferred.append(subscriber) }
}
