/// What `retry` did.
package struct OutboxRetryReport: Codable, Hashable, Sendable {
    package let target: String
    /// Samples that were taken now.
    package let taken: Int
    /// Samples that are still refused, of those that this process remembers.
    package let left: Int
    /// Why it ended before all were tried; nil when they were.
    package var why: String?

    package init(target: String, taken: Int, left: Int, why: String? = nil) {
        (self.target, self.taken, self.left, self.why) = (target, taken, left, why)
    }
}
