/// The answer to `drop`.
package struct OutboxDropReport: Codable, Hashable, Sendable {
    package let target: String
    /// Number of samples.
    package let dropped: Int

    package init(target: String, dropped: Int) { (self.target, self.dropped) = (target, dropped) }
}
