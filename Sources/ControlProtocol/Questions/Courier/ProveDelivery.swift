import HardwareIO

package struct ProveDelivery: Question {
    package typealias Answer = OutboxProofReport
    package static let about = QuestionFacts(
        "prove",
        for: .peopleAndDashboard,
        "Compares what a target has with what was delivered; takes as long as its server does."
    )

    package let target: String
    /// How far back, 1 s…366 days; nil for 7 days.
    package let seconds: Double?
    /// Whether days that differ are sent again; nil is no.
    package let repairs: Bool?

    package init(_ target: String, seconds: Double? = nil, repairs: Bool? = nil) {
        self.target = target
        self.seconds = seconds
        self.repairs = repairs
    }
}

/// Comparison of the receiver's data with our record of deliveries.
package struct OutboxProofReport: Codable, Hashable, Sendable {
    package struct Day: Codable, Hashable, Sendable {
        /// The day in UTC, as `2026-11-23`.
        package let day: String
        /// Time before which values are compared, as `2026-11-23T14:02:10Z`; nil for the whole day.
        package let until: String?
        /// That time for devices with an earlier one; nil for none.
        package let behind: [String: String]?
        /// Values delivered by our count.
        package let delivered: Int
        /// Values that the receiver has; nil when it cannot be asked.
        package let held: Int?
        /// Whether counts and sums agree; nil when it cannot be asked.
        package let isProved: Bool?

        package init(
            day: String,
            until: String? = nil,
            behind: [String: String]? = nil,
            delivered: Int,
            held: Int?,
            isProved: Bool?
        ) {
            (self.day, self.until, self.delivered) = (day, until, delivered)
            self.behind = behind
            (self.held, self.isProved) = (held, isProved)
        }
    }

    package struct File: Codable, Hashable, Sendable {
        package enum State: String, Codable, Sendable, CaseIterable {
            /// The receiver has the same bytes.
            case proved
            /// It has a file of this name with other bytes.
            case differs
            case missing
            /// It could not be asked.
            case unanswered
        }

        /// The name at the receiver.
        package let path: String
        /// Samples in the file's period.
        package let samples: Int
        package let state: State
        /// Why it could not be asked; nil otherwise.
        package let why: String?

        package init(path: String, samples: Int, state: State, why: String? = nil) {
            (self.path, self.samples, self.state, self.why) = (path, samples, state, why)
        }
    }

    package let target: String
    /// Days with values; nil for a target of files, and where this kind of target cannot be asked.
    package let days: [Day]?
    /// Files delivered or given up; nil for a target of samples.
    package let files: [File]?

    package init(target: String, days: [Day]? = nil, files: [File]? = nil) {
        (self.target, self.days, self.files) = (target, days, files)
    }
}
