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
    }

    /// Protocol version of the client.
    package let version: Int
    package let command: Command
    /// An id of the configuration; nil for all, where that is allowed.
    package var target: String?
    /// `flush`: how long the answer may take, 0…600 s; `pause`: how long, 1 s…366 d.
    package var seconds: Double?
    /// `drop`: ISO 8601.
    package var time: String?

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
