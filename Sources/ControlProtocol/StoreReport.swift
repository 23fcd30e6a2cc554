/// The location and state of a station's store.
package struct StoreReport: Codable, Hashable, Sendable {
    /// The state of storing; of several the worst.
    package enum State: String, Codable, Hashable, Sendable, CaseIterable {
        /// All measured values reach the card.
        case ok
        /// It is being opened, and nothing has failed yet.
        case opening
        /// It could not be opened yet.
        case missing
        /// There is no room for the history; the journal keeps the last hours.
        case full
        /// The card accepts no writes.
        case failing
        /// The history cannot be written; the journal keeps the last hours.
        case historyFailing
    }

    package let folder: String
    /// The journal's ring: a file or a device.
    package let journal: String?
    /// Whether the ring has a partition of its own; left out with `journal`.
    package let isOnPartition: Bool?
    /// State of the store; nil from older stations.
    package var state: State?
    /// Seconds of data that a power cut may lose, at most.
    package var lossWindowSeconds: Double?
    /// Age of the oldest record that is not on the card yet; nil when nothing waits.
    package var waitingSeconds: Double?
    /// Seconds since the last write to the card; nil before the first of this run.
    package var lastCommitAgeSeconds: Double?

    package init(folder: String, journal: String?) {
        (self.folder, self.journal) = (folder, journal)
        isOnPartition = journal.map { $0.hasPrefix("/dev/") }
    }
}
