/// What a receiver has, compared with what was delivered to it.
package struct OutboxProofReport: Codable, Hashable, Sendable {
    package struct Day: Codable, Hashable, Sendable {
        /// As `2026-11-23`, in UTC.
        package let day: String
        /// Values by our count.
        package let delivered: Int
        /// Values that it has; nil when it cannot be asked.
        package let held: Int?
        /// Whether counts and sums agree; nil when it cannot be asked.
        package let isProved: Bool?

        package init(day: String, delivered: Int, held: Int?, isProved: Bool?) {
            (self.day, self.delivered, self.held) = (day, delivered, held)
            self.isProved = isProved
        }
    }

    package let target: String
    /// Days with values; nil where this kind of target cannot be asked.
    package let days: [Day]?

    package init(target: String, days: [Day]?) { (self.target, self.days) = (target, days) }
}
