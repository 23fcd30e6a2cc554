/// One request to a courier: a line of JSON, at most 64 KiB; answers are `ControlAnswer`s.
package struct CourierRequest: Codable, Hashable, Sendable {
    package enum Command: String, Codable, Sendable, CaseIterable {
        /// `CourierReport`.
        case status
        /// Tries what waits at once, `target` alone or all, and waits `seconds` for it to go;
        /// `CourierReport`.
        case flush
        /// Sends nothing to `target` for `seconds`, nil until `resume`; `CourierReport` after both.
        case pause, resume
        /// Leaves out what waits at `target` from before `time`; `OutboxDropReport`.
        case drop
        /// What became of the first sample of each stream from `time` on; `OutboxFatesReport`.
        case why
        /// Sends what `target` refused once more; `OutboxRetryReport`.
        case retry
        /// Compares what `target` has of the last `seconds`, by days, and sends days that differ
        /// again with `repairs`; `OutboxProofReport`. Takes as long as the server takes.
        case prove
    }

    /// Protocol version of the client.
    package let version: Int
    package let command: Command
    /// An id of the configuration; nil for all, where that is allowed.
    package var target: String?
    /// `flush`: how long the answer may take, 0…600 s; `pause`, `prove`: how long, 1 s…366 d.
    package var seconds: Double?
    /// `drop`, `why`: ISO 8601.
    package var time: String?
    /// `prove`: whether days that differ are sent again.
    package var repairs: Bool?

    package init(_ command: Command, target: String? = nil, seconds: Double? = nil) {
        version = controlProtocolVersion
        (self.command, self.target, self.seconds) = (command, target, seconds)
    }
}

/// What `drop` left out.
package struct OutboxDropReport: Codable, Hashable, Sendable {
    package let target: String
    /// Samples.
    package let dropped: Int

    package init(target: String, dropped: Int) { (self.target, self.dropped) = (target, dropped) }
}

/// What became of samples at each target.
package struct OutboxFatesReport: Codable, Hashable, Sendable {
    package struct Fate: Codable, Hashable, Sendable {
        package let target: String
        package let device: String
        /// ISO 8601 in UTC, of the sample; nil while nothing dates it.
        package let time: String?
        /// `delivered`, `waiting`, `notSeen`, `settled` (delivered, or dropped, or too old then, or
        /// sent without an answer: the target has samples of these fates), or the reason why it is left out, as in
        /// `OutboxSampleCounts.leftOut`.
        package let fate: String
        /// Why it waits, in words; nil otherwise.
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

/// What `retry` did.
package struct OutboxRetryReport: Codable, Hashable, Sendable {
    package let target: String
    /// Samples that were taken now.
    package let taken: Int
    /// Samples that are still refused, of those that this process remembers.
    package let left: Int

    package init(target: String, taken: Int, left: Int) {
        (self.target, self.taken, self.left) = (target, taken, left)
    }
}

/// What a receiver has, compared with what was delivered to it.
package struct OutboxProofReport: Codable, Hashable, Sendable {
    package struct Day: Codable, Hashable, Sendable {
        /// As `2026-11-23`, in UTC.
        package let day: String
        /// Values by our count.
        package let delivered: Int
        /// Values that it has; nil when it cannot be asked.
        package let held: Int?
        /// Whether counts and sums agree; nil when it cannot be asked.
        package let isProved: Bool?

        package init(day: String, delivered: Int, held: Int?, isProved: Bool?) {
            (self.day, self.delivered, self.held) = (day, delivered, held)
            self.isProved = isProved
        }
    }

    package let target: String
    /// Days with values; nil where this kind of target cannot be asked.
    package let days: [Day]?

    package init(target: String, days: [Day]?) { (self.target, self.days) = (target, days) }
}
