import Core
import DequeModule

/// One message that is being sent to all subscribers of a group.
struct PushBroadcast: Sendable {
    /// Subject of the message.
    enum Content: Sendable {
        /// Alerts, written anew after a failure, in their state at that time.
        case plan(NoticePlanner.Plan)
        /// A notice of another program, sent unchanged.
        case notice(Notice)
    }

    /// Interval of the group, in seconds.
    let interval: Int
    private(set) var content: Content
    let severity: Notice.Severity
    let begun: MonotonicInstant
    /// The notices of the message by language.
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

    /// The alerts that it is about; nil for a notice of another program.
    var plan: NoticePlanner.Plan? { if case .plan(let plan) = content { plan } else { nil } }
    var isDone: Bool { next.isEmpty && deferred.isEmpty }
    var waitingCount: Int { next.count + deferred.count }
    /// Whether a subscriber was not tried yet.
    var isUnderWay: Bool { !next.isEmpty }

    /// Removes the alerts that a later message to the same subscribers contains.
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

    /// Removes and returns the next subscriber who may be sent to; the others wait.
    mutating func next(_ isOpen: (Subscriber) -> Bool) -> Subscriber? {
        while let subscriber = next.popFirst() {
            if isOpen(subscriber) { return subscriber }
            deferred.append(subscriber)
        }
        guard let place = deferred.firstIndex(where: isOpen) else { return nil }
        return deferred.remove(at: place)
    }

    mutating func putBack(_ subscriber: Subscriber) { deferred.append(subscriber) }
}
