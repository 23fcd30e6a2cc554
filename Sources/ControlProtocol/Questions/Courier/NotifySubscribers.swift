import HardwareIO

package struct NotifySubscribers: Question {
    package typealias Answer = PushNotifyReport
    package static let about = QuestionFacts(
        "notify",
        for: .peopleAndDashboard,
        "Notifies subscribers, at most once in their interval."
    )

    /// As people read it, `07:49 AM`.
    package let time: String
    /// `PM2.5` or `PM10`.
    package let pollutant: String
    /// A number as text.
    package let value: String

    package init(time: String, pollutant: String, value: String) {
        self.time = time
        self.pollutant = pollutant
        self.value = value
    }
}

/// The answer to `notify`.
package struct PushNotifyReport: Codable, Hashable, Sendable {
    /// Whether it is sent; false when the rate limit is reached.
    package let isTaken: Bool
    /// Seconds until the next one may be sent, rounded up.
    package let retryAfterSeconds: Int?

    package init(isTaken: Bool, retryAfterSeconds: Int? = nil) {
        (self.isTaken, self.retryAfterSeconds) = (isTaken, retryAfterSeconds)
    }
}
