import Core

/// The alerts that one receiver is notified of in one turn.
struct NoticePlan: Hashable, Sendable {
    /// Numbers of the alerts that are sent in their present state.
    var raised: [Int64] = []
    /// Numbers of the alerts that still last, and are sent again.
    var reminders: [Int64] = []
    /// Ends of alerts.
    var ended: [AlertEvent.Resolved] = []
    /// Test alerts that a person asked for to try the receiver.
    var tests: [AlertEvent.Raised] = []
    /// Whether the plan uses the token of the rate limit.
    var takesToken = true
    /// Numbers of the alerts that follow in the same turn.
    var rest: Set<Int64> = []
    /// Whether the whole plan had only ends of alerts, where this is a part of that plan.
    var isOfEnds: Bool?
    /// Whether the plan was set aside after a failure.
    var isAside = false

    var isEmpty: Bool { saysNothingThatLasts && ended.isEmpty && tests.isEmpty }
    var saysNothingThatLasts: Bool { raised.isEmpty && reminders.isEmpty }

    /// Numbers of raises, ends and tests.
    var numbers: [Int64] {
        raised + reminders + ended.map(\.number) + tests.map(\.number)
    }

    /// Returns the same plan with some of its numbers only.
    func limited(to isWanted: (Int64) -> Bool) -> Self {
        var plan = self
        plan.raised.removeAll { !isWanted($0) }
        plan.reminders.removeAll { !isWanted($0) }
        plan.ended.removeAll { !isWanted($0.number) }
        plan.tests.removeAll { !isWanted($0.number) }
        return plan
    }

    /// Returns the part with one of its numbers.
    func only(_ number: Int64) -> Self {
        var part = limited { $0 == number }
        (part.rest, part.isOfEnds) = (Set(numbers).subtracting([number]), saysNothingThatLasts)
        return part
    }
}
