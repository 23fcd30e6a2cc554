import HardwareIO

package struct SubscribePush: Question {
    package typealias Answer = PushChangeReport
    package static let about = QuestionFacts(
        "subscribe",
        for: .peopleAndDashboard,
        "Adds or changes a phone or browser that gets notices."
    )

    /// `apns` or `webpush`.
    package let kind: String
    /// A device's token, or a browser's endpoint.
    package let address: String
    /// Key and secret of a browser, base64url.
    package var p256dh: String?
    package var auth: String?
    /// Seconds between two notices, 60…86 400; nil for 1 200.
    package var every: Int?
    /// `en`, `de` or `it`; nil for `en`.
    package var language: String?

    package init(kind: String, address: String) {
        self.kind = kind
        self.address = address
    }
}

package struct UnsubscribePush: Question {
    package typealias Answer = PushChangeReport
    package static let about = QuestionFacts(
        "unsubscribe",
        for: .peopleAndDashboard,
        "Removes a phone or browser that gets notices."
    )

    /// A device's token, or a browser's endpoint.
    package let address: String

    package init(address: String) { self.address = address }
}

/// The answer to `subscribe` and `unsubscribe`.
package struct PushChangeReport: Codable, Hashable, Sendable {
    /// `added`, `changed`, `same`, `removed` or `notThere`.
    package let change: String
    /// Seconds between two notices, as stored; nil for a subscriber that is not there.
    package let every: Int?

    package init(change: String, every: Int? = nil) { (self.change, self.every) = (change, every) }
}
