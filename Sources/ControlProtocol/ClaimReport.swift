/// The request of `roost claim` to the dashboard's own socket.
package struct ClaimRequest: Hashable, Sendable, Codable {
    /// Also ends all sessions and removes all accounts; the history stays.
    package let reset: Bool

    package init(reset: Bool) {
        self.reset = reset
    }
}

/// A new claim code, or the owner that the station already has.
package struct ClaimReport: Hashable, Sendable, Codable {
    /// The code, as `K7QF-M2PX`; nil when the station has an owner.
    package let code: String?
    /// Seconds for which the code is valid.
    package let seconds: Int?
    /// URLs of the dashboard.
    package let addresses: [String]
    /// The owner's name, and when they claimed it, as ISO 8601 in UTC.
    package let claimedBy: String?
    package let claimedAt: String?
    /// Accounts that were removed now.
    package let removedCount: Int?
    /// SHA-256 of the station's own authority, as `3F:A2:…`; nil when nothing is encrypted.
    package let fingerprint: String?

    package init(
        code: String?,
        seconds: Int?,
        addresses: [String],
        claimedBy: String?,
        claimedAt: String?,
        removedCount: Int?,
        fingerprint: String? = nil
    ) {
        self.code = code
        self.seconds = seconds
        self.addresses = addresses
        self.claimedBy = claimedBy
        self.claimedAt = claimedAt
        self.removedCount = removedCount
        self.fingerprint = fingerprint
    }
}
