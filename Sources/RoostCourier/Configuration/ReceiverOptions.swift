import Core

/// What all receivers have.
package struct ReceiverOptions: Hashable, Sendable {
    /// At most one notice in this time, 1 min…24 h.
    package var every: Duration = .seconds(1_200)
    /// Reminds while an alert lasts; nil never.
    package var remind: Duration? = .seconds(14_400)
    /// The first notice waits so long, so that what happens at once goes together.
    package var wait: Duration = .seconds(10)
    package var severities: Set<Notice.Severity> = [.warning, .critical]
    /// Patterns of rules; empty: all.
    package var rules: [String] = []
    /// Patterns of `device/quantity`; empty: all.
    package var channels: [String] = []
    /// Whether the end of an alert is a notice too.
    package var tellsResolved = true
    /// `en`, `de` or `it`.
    package var language = "en"
    /// Minutes of the local day, from and to; below `critical` waits for the end.
    package var quiet: QuietHours?
    /// Whether alerts that are sent at once go in one notice.
    package var isGrouped = true
    /// Whether notices of motions carry their picture.
    package var hasPictures = false
    package var isLocal = false
    /// Whether servers are on the internet alone: their addresses come from subscribers.
    package var isPublicOnly = false
    /// Whether an alert that lasts is a notice again after each interval.
    package var remindsAtInterval = false
    package var trust = ServerTrust.system
}
