/// Progress or outcome of the last update of a station that runs from an image.
///
/// `roost update` keeps it beside the station's data; while an update is being written, its
/// progress is in memory in the same form.
package struct UpdateRecord: Codable, Hashable, Sendable {
    package enum State: String, Codable, Hashable, Sendable, CaseIterable {
        /// It is being written; `percent` says how far.
        case writing
        /// It is on the card and starts with the next restart.
        case waiting
        /// It passed its health check.
        case good
        /// It was started and failed its health check: the version before runs again.
        case fellBack
        /// It was not written: it is not for this station.
        case refused
        /// It could not be written, and the version before runs on.
        case failed
        /// A person took it back.
        case takenBack
    }

    package var state: State
    /// Version of the update; nil where its file did not say.
    package var version: String?
    package var build: String?
    /// Id of the key that signed it.
    package var keyID: String?
    /// The root partition that it is on, 2 or 3.
    package var slot: Int?
    /// The version that ran when it was written.
    package var from: String?
    /// Steps of the store's schema that version knew.
    package var fromSchema: Int?
    /// ISO 8601 in UTC; nil while the clock was not set.
    package var time: String?
    /// Percent of all work done, 0…100; only while the update is written.
    package var percent: Int?
    /// A word for programs, as `untrusted`.
    package var code: String?
    /// The reason, as text for people.
    package var why: String?
    /// State of the station before; the updated one must be as good.
    package var before: UpdateBaseline?

    package init(state: State) { self.state = state }
}

/// State of a station before an update, which it must reach again after it.
package struct UpdateBaseline: Codable, Hashable, Sendable {
    /// Ids of the faults and late devices.
    package let reasons: [String]
    /// Channels with a fresh value, of devices that are wired to the board.
    package let channels: [String]
    package let hasStore: Bool

    package init(reasons: [String], channels: [String], hasStore: Bool) {
        self.reasons = reasons
        self.channels = channels
        self.hasStore = hasStore
    }
}

/// The version that runs, from which partition, and the outcome of the last update.
package struct UpdateReport: Codable, Hashable, Sendable {
    package struct Trial: Codable, Hashable, Sendable {
        /// 2 or 3.
        package let slot: Int
        /// Different for each trial.
        package let number: String
        /// Whether the boot loader has started it.
        package let isStarted: Bool

        package init(slot: Int, number: String, isStarted: Bool) {
            self.slot = slot
            self.number = number
            self.isStarted = isStarted
        }
    }

    package let version: String
    /// Steps of the store's schema that this version knows.
    package let storeSchema: Int
    /// `rpi-arm64`; nil where the station does not run from an image.
    package var board: String?
    package var build: String?
    package var layout: Int?
    /// The root partition that runs, 2 or 3; nil for a station that does not run from an image.
    package var slot: Int?
    package var goodSlot: Int?
    package var trial: Trial?
    /// Ids of the keys that updates are signed with.
    package var keys: [String]?
    /// `card`, or `memory` where the data partition cannot be used.
    package var dataOn: String?
    package var last: UpdateRecord?

    package init(version: String, storeSchema: Int) {
        self.version = version
        self.storeSchema = storeSchema
    }
}
