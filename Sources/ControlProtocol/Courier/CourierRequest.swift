/// One request to a courier: a line of JSON, at most 64 KiB; answers are `ControlAnswer`s.
package struct CourierRequest: Codable, Hashable, Sendable {
    /// Where a courier listens.
    package static let standardSocket = "/run/roost-courier/courier.sock"

    package enum Command: String, Codable, Sendable, CaseIterable {
        /// `CourierReport`.
        case status
        /// Sends waiting items now, to `target` or to all, and waits up to `seconds` for that;
        /// `CourierReport`.
        case flush
        /// Sends nothing to `target` for `seconds`, nil until `resume`; `CourierReport` after both.
        case pause, resume
        /// Drops items from before `time` that wait at `target`; `OutboxDropReport`.
        case drop
        /// Reports the delivery of each stream's first sample from `time` on; `OutboxFatesReport`.
        case why
        /// Sends samples that `target` refused once more; `OutboxRetryReport`.
        case retry
        /// Compares the last `seconds` at `target` with our records, by day, and with `repairs`
        /// sends days that differ again; `OutboxProofReport`. Takes as long as the server takes.
        case prove
        /// Adds or changes the phone or browser of `push`; `PushChangeReport`.
        case subscribe
        /// Removes it; `PushChangeReport`.
        case unsubscribe
        /// Notifies subscribers of `push`, at most once in their interval; `PushNotifyReport`.
        case notify
        /// `PushKeyReport`.
        case vapid
        /// `SubscribersReport`.
        case subscribers
        /// Looks for the owner's other stations, and asks them how they are; `StationsReport`.
        case stations
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
    /// `subscribe`, `unsubscribe`, `notify`.
    package var push: PushRequest?

    package init(_ command: Command, target: String? = nil, seconds: Double? = nil) {
        version = controlProtocolVersion
        (self.command, self.target, self.seconds) = (command, target, seconds)
    }
}
