import HardwareIO

package struct DropSamples: Question {
    package typealias Answer = OutboxDropReport
    package static let about = QuestionFacts(
        "drop",
        for: .peopleAndDashboard,
        "Leaves out what waits at a target from before a moment."
    )

    package let target: String
    /// ISO 8601.
    package let time: String

    package init(_ target: String, before time: String) {
        self.target = target
        self.time = time
    }
}

/// The answer to `drop`.
package struct OutboxDropReport: Codable, Hashable, Sendable {
    package let target: String
    /// Number of samples.
    package let dropped: Int

    package init(target: String, dropped: Int) { (self.target, self.dropped) = (target, dropped) }
}
