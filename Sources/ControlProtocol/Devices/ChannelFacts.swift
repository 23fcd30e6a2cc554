/// Properties of a channel that are known before it has a value.
package struct ChannelFacts: Codable, Hashable, Sendable {
    /// Digits after the point.
    package let decimals: Int
    /// The id of the profile of its device.
    package let profile: String?
    /// Smallest plausible value: values outside are kept and flagged; nil for derived channels.
    package let least: Double?
    package let most: Double?

    package init(
        decimals: Int,
        profile: String?,
        range: ClosedRange<Double>?
    ) {
        (self.decimals, self.profile) = (decimals, profile)
        (least, most) = (range?.lowerBound, range?.upperBound)
    }
}
