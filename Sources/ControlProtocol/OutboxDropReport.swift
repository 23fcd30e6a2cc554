/// What `drop` left out.
package struct OutboxDropReport: Codable, Hashable, Sendable {
    package let target: String
    /// Samples.
    package let dropped: Int

    package init(target: String, dropped: Int) { (self.target, self.dropped) = (target, dropped) }
}
