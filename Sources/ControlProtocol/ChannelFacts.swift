/// What a station knows of a channel before it has a value.
package struct ChannelFacts: Codable, Hashable, Sendable {
    /// Digits after the point.
    package let decimals: Int
    /// The id of the profile of its device.
    package let profile: String?
    /// Values outside are kept and flagged; nil for derived channels.
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
