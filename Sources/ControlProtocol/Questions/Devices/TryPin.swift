package struct TryPin: Question {
    package typealias Answer = PinTrialReport
    package static let about = QuestionFacts(
        "tryPin",
        for: .peopleAndDashboard,
        "Blinks the part on an output for 3 s, or reads an input for 5 s."
    )
    /// A line of the header: `GPIO17`, or its number 0…27.
    package let line: String
    /// The type of the part on a free line, by a profile's id; one in use is known.
    package var profile: String?

    package init(_ line: String, profile: String? = nil) {
        (self.line, self.profile) = (line, profile)
    }

    package func check() throws(ControlFailure) {
        guard !(1...64).contains(line.utf8.count) else { return }
        throw .badRequest("line is a line of the header, as GPIO17", at: "/line")
    }
}

/// The outcome of a try of one pin.
package struct PinTrialReport: Codable, Hashable, Sendable {
    /// `GPIO17`.
    package var line: String
    /// The station's device that has it; nil for a free line.
    package let device: String?
    /// Whether it blinked; false when it was read.
    package let isOutput: Bool
    /// How long that lasted.
    package let seconds: Double
    /// Whether an input is active at the end, as a pressed button or a seen motion.
    package var isActive: Bool?
    /// For how long it was active.
    package var activeSeconds: Double?
    /// How often it changed.
    package var changeCount: Int?

    package init(line: String, device: String?, isOutput: Bool, seconds: Double) {
        (self.line, self.device) = (line, device)
        (self.isOutput, self.seconds) = (isOutput, seconds)
    }
}
