import Core

/// Options that every receiver of notices has.
package struct ReceiverOptions: Hashable, Sendable {
    /// Shortest time between two notices, 1 min…24 h.
    package var every: Duration = .seconds(1_200)
    /// Time between reminders while an alert lasts; nil sends none.
    var remind: Duration? = .seconds(14_400)
    /// Time that the first notice waits, so that simultaneous alerts share one.
    package var wait: Duration = .seconds(10)
    var severities: Set<Notice.Severity> = [.warning, .critical]
    /// Patterns of rules; empty means all rules.
    package var rules: [String] = []
    /// Patterns of `device/quantity`; empty means all channels.
    package var channels: [String] = []
    /// Whether the end of an alert is a notice too.
    var tellsResolved = true
    /// Language of the notices: `en`, `de` or `it`.
    package var language = "en"
    /// Quiet hours of the local day; notices below `critical` wait until they end.
    package var quiet: QuietHours?
    /// Whether alerts that are sent at once go in one notice.
    var isGrouped = true
    /// Whether notices of motions carry their picture.
    var hasPictures = false
    package var isLocal = false
    /// Whether servers are on the internet alone: their addresses come from subscribers.
    package var isPublicOnly = false
    /// Whether an alert that lasts is a notice again after each interval.
    var remindsAtInterval = false
    package var trust = ServerTrust.system
}
