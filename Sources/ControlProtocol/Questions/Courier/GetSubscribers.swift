import HardwareIO

package struct GetSubscribers: Question {
    package typealias Answer = SubscribersReport
    package static let about = QuestionFacts(
        "subscribers",
        for: .people,
        "Phones and browsers that get notices, without their addresses."
    )

    package init() {}
}

/// The answer to `subscribers`: who is there, without addresses.
package struct SubscribersReport: Codable, Hashable, Sendable {
    package struct Entry: Codable, Hashable, Sendable {
        /// Twelve digits that name it; the same as in the log.
        package let label: String
        package let kind: String
        /// The push service.
        package let host: String
        /// Seconds between two notices.
        package let every: Int
        package let language: String
        /// ISO 8601; nil where no clock could be trusted.
        package let since: String?

        package init(
            label: String,
            kind: String,
            host: String,
            every: Int,
            language: String,
            since: String?
        ) {
            (self.label, self.kind, self.host) = (label, kind, host)
            (self.every, self.language, self.since) = (every, language, since)
        }
    }

    /// The first `entryLimit`, in the order in which they came.
    package let subscribers: [Entry]
    package let count: Int
    /// Lines of the file that are not used, and why; the first 20.
    package let faults: [String]

    package static let entryLimit = 200

    package init(subscribers: [Entry], count: Int, faults: [String]) {
        (self.subscribers, self.count, self.faults) = (subscribers, count, faults)
    }
}
