import HardwareIO

package struct RetryRefused: Question {
    package typealias Answer = OutboxRetryReport
    package static let about = QuestionFacts(
        "retry",
        for: .peopleAndDashboard,
        "Sends what a target refused once more."
    )

    package let target: String

    package init(_ target: String) { self.target = target }
}

/// The answer to `retry`.
package struct OutboxRetryReport: Codable, Hashable, Sendable {
    package let target: String
    /// Samples that the target accepted now.
    package let taken: Int
    /// Samples that are still refused, of those that this process remembers.
    package let left: Int
    /// Why it stopped before all samples were tried; nil when all were.
    package var why: String?

    package init(target: String, taken: Int, left: Int, why: String? = nil) {
        (self.target, self.taken, self.left, self.why) = (target, taken, left, why)
    }
}
