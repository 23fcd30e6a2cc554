/// How far back the means of a channel go that its rules can use, in seconds.
package struct AlertReach: Hashable, Sendable {
    /// Means of minutes.
    package let minutes: Int
    /// Means of quarters of an hour.
    package let quarters: Int
    /// Means of six hours.
    package let sixHours: Int

    init(_ wants: ChannelAverages.Wants) {
        // An hour more than the longest mean, as indexes look at whole hours.
        minutes =
            max(wants.shortMean, wants.mean) > 0 ? max(wants.shortMean, wants.mean) + 3_600 : 0
        quarters = wants.days > 0 ? (wants.days + 1) * 86_400 : 0
        sixHours = wants.longMean > 0 ? wants.longMean + 21_600 : 0
    }
}
