import HardwareIO

package struct GetPushKey: Question {
    package typealias Answer = PushKeyReport
    package static let about = QuestionFacts(
        "vapid",
        for: .peopleAndDashboard,
        "Key by which push services know this station."
    )

    package init() {}
}

/// The answer to `vapid`.
package struct PushKeyReport: Codable, Hashable, Sendable {
    /// The station's public point for push services, base64url of 65 bytes.
    package let key: String
    /// Whether a receiver of type `webpush` is configured; without one no browser gets anything.
    package let isOffered: Bool

    package init(key: String, isOffered: Bool) { (self.key, self.isOffered) = (key, isOffered) }
}
