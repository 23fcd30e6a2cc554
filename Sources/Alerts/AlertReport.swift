/// Report of a part of the station about itself, apart from samples and events.
package enum AlertReport: Hashable, Sendable {
    /// A part's trouble, as a sentence without a full stop; nil while it is well.
    case trouble(AlertTopic, subject: String, String?)
    /// How much of its life a part has used, in per cent, and the days that are left; nil where
    /// that is not known.
    case laser(device: String, usedPercent: Double, daysLeft: Int?)
}
