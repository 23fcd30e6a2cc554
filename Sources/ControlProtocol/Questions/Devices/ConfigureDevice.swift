package struct ConfigureDevice: Question {
    package typealias Answer = DevicesReport
    package static let about = QuestionFacts(
        "configure",
        for: .peopleAndDashboard,
        "Adds a device on the network or on pins, or changes what may be changed of a device."
    )
    /// The device's name.
    package let device: String
    /// The type of a new device: a profile's id.
    package var profile: String?
    /// The place of an HTTP device; `http://` may be left out.
    package var address: String?
    /// The line of a part on a pin: `GPIO17`, or a number 0…27 of the header's lines.
    package var line: String?
    /// Three lines of a traffic light: red, yellow, green.
    package var lines: [String]?
    /// What an LED shows: `station`, `motion`, `level` or `camera`.
    package var shows: String?
    /// The device that an LED or a traffic light shows; empty takes that back.
    package var follows: String?
    /// Whether holding a button for 15 s gives the station away; only on an image.
    package var resets: Bool?
    /// The interval.
    package var seconds: Double?
    /// What people call it, 1 to 64 characters; empty takes that back.
    package var title: String?
    /// Whether values are kept.
    package var isOn: Bool?
    /// True refuses a name that another device already has.
    package var isNew: Bool?
    /// `SettingsReport.tag` of what the change was made from; nil changes whatever is there.
    package var tag: String?

    package init(_ device: String, address: String? = nil, seconds: Double? = nil) {
        (self.device, self.address, self.seconds) = (device, address, seconds)
    }

    package func check() throws(ControlFailure) {
        if let lines, lines.count != 3 {
            throw .badRequest("lines are three: red, yellow, green", at: "/lines")
        }
        let isEmpty = profile == nil && address == nil && seconds == nil && shows == nil
        guard isEmpty, isOn == nil, title == nil, line == nil, lines == nil, follows == nil,
            resets == nil
        else { return }
        throw .badRequest("nothing to change; say title, address, line, profile, seconds or isOn")
    }
}

package struct RemoveDevice: Question {
    package typealias Answer = DevicesReport
    package static let about = QuestionFacts(
        "remove",
        for: .peopleAndDashboard,
        "Removes a device that was added; what it measured stays."
    )
    /// The device's name.
    package let device: String

    package init(_ device: String) { self.device = device }
}

package struct RecordDevice: Question {
    package typealias Answer = DevicesReport
    package static let about = QuestionFacts(
        "record",
        for: .peopleAndDashboard,
        "Keeps the values of a device, or only shows them."
    )
    /// The device's name.
    package let device: String
    /// Whether values are kept.
    package let isOn: Bool
    /// `SettingsReport.tag` of what the change was made from; nil changes whatever is there.
    package var tag: String?

    package init(_ device: String, isOn: Bool) { (self.device, self.isOn) = (device, isOn) }
}
