/// What the station's clock says, and why it can be trusted or not.
package struct ClockReport: Codable, Hashable, Sendable {
    /// ISO 8601 in UTC; nil while the clock was never set.
    package let time: String?
    /// The step of trust, least first: `unknown`, `file time stamp`, `real time clock`,
    /// `receiver of positions`, `browser`, `person`, `time server`.
    package let trust: String
    /// Whether times are called sure.
    package let isSure: Bool
    /// How far it may be off; nil for one that is not sure.
    package let uncertaintySeconds: Int?

    package init(time: String?, trust: String, isSure: Bool, uncertaintySeconds: Int? = nil) {
        self.time = time
        self.trust = trust
        self.isSure = isSure
        self.uncertaintySeconds = uncertaintySeconds
    }
}
