import Alerts

/// A rule that the station has, in use or switched off.
package struct ListedRule: Hashable, Sendable {
    /// Who wrote it.
    package enum Origin: Hashable, Sendable {
        /// One of a set that comes with Roost.
        case shipped
        /// The configuration file, which locks it.
        case file
        /// The owner's settings.
        case owner
    }

    package let rule: AlertRule
    package let origin: Origin
    package let isOn: Bool
    /// Its entry of the owner's settings as JSON; nil without one.
    ///
    /// A rule of the file hides it.
    package var source: String?

    init(_ rule: AlertRule, _ origin: Origin, isOn: Bool = true) {
        (self.rule, self.origin, self.isOn) = (rule, origin, isOn)
    }
}
