package struct RecordCourierEvent: Question {
    package typealias Answer = CourierEventReport
    package static let about = QuestionFacts(
        "courierEvent",
        for: .courier,
        "Records an event of the courier."
    )
    /// `outbox held`, `outbox resumed`, `outbox refused`, `outbox expired`, `outbox drained`,
    /// `outbox late`, `outbox in time`, `notice sent`, `courier started` or `courier stopped`.
    package let kind: String
    /// `target`, `why`, `from`, `to`, `samples`, `key`; each 1…120 bytes.
    package var details: [String: String]?

    package init(_ kind: String, _ details: [String: String]) {
        (self.kind, self.details) = (kind, details)
    }
}

package struct RecordCameraEvent: Question {
    package typealias Answer = CourierEventReport
    package static let about = QuestionFacts(
        "cameraEvent",
        for: .camera,
        "Records an event of the camera."
    )
    /// `camera started`, `camera fails` or `camera works again`.
    package let kind: String
    /// `why`, `count`; each 1…120 bytes.
    package var details: [String: String]?

    package init(_ kind: String, _ details: [String: String]) {
        (self.kind, self.details) = (kind, details)
    }
}
