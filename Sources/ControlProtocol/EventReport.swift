/// One event in an answer.
package struct EventReport: Codable, Hashable, Sendable {
    /// Seconds since boot.
    package let instantSeconds: Double
    package let ageSeconds: Double
    package let source: String
    package let kind: String
    package let severity: String
    package let details: Details
    /// ISO 8601 in UTC; nil while the clock was never set.
    package var time: String?
    /// Whether a trusted clock stands behind the time; nil without a time.
    package var isSure: Bool?

    package init(
        instantSeconds: Double,
        ageSeconds: Double,
        source: String,
        kind: String,
        severity: String,
        details: Details
    ) {
        self.instantSeconds = instantSeconds
        self.ageSeconds = ageSeconds
        self.source = source
        self.kind = kind
        self.severity = severity
        self.details = details
    }
}
