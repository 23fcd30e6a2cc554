import HardwareIO

package struct FindFates: Question {
    package typealias Answer = OutboxFatesReport
    package static let about = QuestionFacts(
        "why",
        for: .peopleAndDashboard,
        "Delivery of the first sample of each device from a moment on, at each target."
    )

    /// Id of a target; nil for all.
    package let target: String?
    /// ISO 8601.
    package let time: String

    package init(from time: String, at target: String? = nil) {
        self.target = target
        self.time = time
    }
}

/// Delivery of the first sample of each stream, at each target.
package struct OutboxFatesReport: Codable, Hashable, Sendable {
    package struct Fate: Codable, Hashable, Sendable {
        package let target: String
        package let device: String
        /// ISO 8601 in UTC, of the sample; nil while nothing dates it.
        package let time: String?
        /// `delivered`, `waiting`, `notSeen`, `settled`, or a reason as in
        /// `OutboxSampleCounts.leftOut`.
        ///
        /// `settled`: delivered, dropped, too old then or sent without an answer, where the target
        /// has samples of these fates.
        package let fate: String
        /// Why it waits; nil otherwise.
        package let why: String?

        package init(
            target: String,
            device: String,
            time: String?,
            fate: String,
            why: String?
        ) {
            (self.target, self.device, self.time) = (target, device, time)
            (self.fate, self.why) = (fate, why)
        }
    }

    /// In the order of the configuration; empty when no sample is known from then on.
    package let fates: [Fate]

    package init(fates: [Fate]) { self.fates = fates }
}
