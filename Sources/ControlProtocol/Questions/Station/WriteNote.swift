import Core

package struct WriteNote: Question {
    /// Bytes of a note at most: an event keeps that much of a detail.
    package static let textMax = 120

    package typealias Answer = StatusReport
    package static let about = QuestionFacts(
        "note",
        for: .peopleAndDashboard,
        "Writes what a person noticed into the history, as an event."
    )
    /// 1…120 bytes of UTF-8 without control characters.
    package let text: String
    /// A device or channel that it is about.
    package var device: String?
    /// The time that it is about, ISO 8601, if not now.
    package var time: String?

    package init(_ text: String, on device: String? = nil, time: String? = nil) {
        (self.text, self.device, self.time) = (text, device, time)
    }

    package func check() throws(ControlFailure) {
        guard (1...Self.textMax).contains(text.utf8.count), text.isOneLine else {
            let form = "text is 1 to \(Self.textMax) bytes of UTF-8 without control characters"
            throw .badRequest(form)
        }
        guard let time, WallTime(iso8601: time) == nil else { return }
        throw .badRequest("time is ISO 8601, as 2026-11-22T04:15:00Z")
    }
}

package struct MarkDose: Question {
    package typealias Answer = StatusReport
    package static let about = QuestionFacts(
        "markDose",
        for: .peopleAndDashboard,
        "Counts the dose of a device from now on; earlier counts stay in the history."
    )
    /// The device's name.
    package let device: String

    package init(_ device: String) { self.device = device }
}
