/// The rule that controls the lamp, and the values behind its present colour.
package struct LampReport: Codable, Hashable, Sendable {
    /// Name of the rule with the limits: `sample-levels`.
    package let rule: String
    /// The device whose samples count.
    package let device: String
    /// The level of its last sample, with hysteresis; nil when it had no value, or no mean yet.
    package let level: String?
    /// The channels that have this level.
    package let because: [String]
    /// Why there is no level: a `NoData`; nil with one, and before the first sample.
    package let noData: String?
    /// Values of the last day that no part can give and that do not count; nil for none.
    package var omittedCount: Int?
    /// Seconds of the mean that is judged; nil where each sample is.
    package var meanSeconds: Int?

    package init(
        rule: String,
        device: String,
        level: String?,
        because: [String],
        noData: String?
    ) {
        self.rule = rule
        self.device = device
        self.level = level
        self.because = because
        self.noData = noData
    }
}
