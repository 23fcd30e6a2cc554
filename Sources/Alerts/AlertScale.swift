import Core

/// Limits of one value with their severities: one or two steps, and the value below which each
/// ends.
package struct AlertScale: Hashable, Sendable {
    /// One step.
    package struct Step: Hashable, Sendable {
        /// The step begins here.
        package let limit: Double
        /// Value beyond which the step ends, on the other side of `limit` or equal to it.
        package let until: Double
        package let severity: AlertSeverity

        package init(_ limit: Double, until: Double, _ severity: AlertSeverity) {
            (self.limit, self.until, self.severity) = (limit, until, severity)
        }
    }

    /// Place of a value: the highest step that it reaches, and the highest that it does not
    /// end; 0 for none.
    package struct Place: Hashable, Sendable {
        package let reached: Int
        package let held: Int

        package init(reached: Int, held: Int) { (self.reached, self.held) = (reached, held) }
    }

    /// Steps by rising severity, 1…2.
    package let steps: [Step]
    /// Whether low values are the bad ones.
    package let isFloor: Bool
    /// Whether a step begins beyond its limit, and not at it.
    package let beginsBeyond: Bool

    package init(_ steps: [Step], isFloor: Bool = false, beginsBeyond: Bool = false) {
        precondition((1...2).contains(steps.count), "a scale has one or two steps")
        (self.steps, self.isFloor, self.beginsBeyond) = (steps, isFloor, beginsBeyond)
    }

    package func place(of value: Double) -> Place {
        let sign: Double = isFloor ? -1 : 1
        let looked = sign * value
        var (reached, held) = (0, 0)
        for (index, step) in steps.enumerated() {
            let limit = sign * step.limit
            if beginsBeyond ? looked > limit : looked >= limit { reached = index + 1 }
            if looked >= sign * step.until { held = index + 1 }
        }
        return Place(reached: reached, held: max(reached, held))
    }
}
