/// What `retry` did.
package struct OutboxRetryReport: Codable, Hashable, Sendable {
    package let target: String
    /// Samples that were taken now.
    package let taken: Int
    /// Samples that are still refused, of those that this process remembers.
    package let left: Int

    package init(target: String, taken: Int, left: Int) {
        (self.target, self.taken, self.left) = (target, taken, left)
    }
}
