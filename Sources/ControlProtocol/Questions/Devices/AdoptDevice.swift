/// Detects a device again, or uses one that was ignored.
package struct AdoptDevice: Question {
    package typealias Answer = DevicesReport
    package static let about = QuestionFacts(
        "adopt",
        for: .peopleAndDashboard,
        "Detects a device again, or believes that it is what a profile says."
    )
    /// A name, an identity or a port.
    package let device: String
    /// A profile's id; nil lets the probe find out.
    package var profile: String?
    /// The device's name; nil keeps it.
    package var name: String?

    package init(_ device: String, profile: String? = nil, name: String? = nil) {
        self.device = device
        self.profile = profile
        self.name = name
    }
}

package struct IgnoreDevice: Question {
    package typealias Answer = DevicesReport
    package static let about = QuestionFacts(
        "ignore",
        for: .peopleAndDashboard,
        "Leaves a device that was found alone until it is adopted."
    )
    /// A name, an identity or a port.
    package let device: String

    package init(_ device: String) { self.device = device }
}

package struct RenameDevice: Question {
    package typealias Answer = DevicesReport
    package static let about = QuestionFacts(
        "rename",
        for: .peopleAndDashboard,
        "Gives a device another name; what it has measured goes with it."
    )
    /// A name, an identity or a port.
    package let device: String
    /// The new name.
    package let name: String

    package init(_ device: String, to name: String) { (self.device, self.name) = (device, name) }
}

package struct ForgetDevice: Question {
    package typealias Answer = DevicesReport
    package static let about = QuestionFacts(
        "forget",
        for: .peopleAndDashboard,
        "Forgets a device that was found, or removes one that was added."
    )
    /// A name, an identity or a port.
    package let device: String

    package init(_ device: String) { self.device = device }
}
