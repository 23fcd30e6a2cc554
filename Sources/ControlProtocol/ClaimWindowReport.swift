/// Whether the dashboard may give the station to its first owner without a code.
package struct ClaimWindowReport: Codable, Hashable, Sendable {
    /// The proof that a person is near the station.
    package enum Cause: String, Codable, Sendable, CaseIterable {
        /// A button of the station was held.
        case button
        /// The machine was just switched on; valid only for requests from its own network.
        case powerOn
    }

    /// Seconds that it stays open; nil while it is closed.
    package let leftSeconds: Double?
    /// Why it is open; nil while it is closed.
    package let cause: Cause?
    /// The button's name; nil for another cause.
    package let device: String?

    package init(leftSeconds: Double?, cause: Cause?, device: String? = nil) {
        self.leftSeconds = leftSeconds
        self.cause = cause
        self.device = device
    }

    package static let closed = ClaimWindowReport(leftSeconds: nil, cause: nil)

    /// A file beside the store: a reset gave the station away, and what was measured stayed.
    package static let givenAwayMark = "given-away"
}
