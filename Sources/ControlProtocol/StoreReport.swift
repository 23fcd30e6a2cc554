/// Where a station writes, and how that fares.
package struct StoreReport: Codable, Hashable, Sendable {
    /// How storing fares; the worst that holds.
    package enum State: String, Codable, Hashable, Sendable, CaseIterable {
        /// What is measured reaches the card.
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
    /// The ring: a file or a device.
    package let journal: String?
    /// Whether the ring has a partition of its own; left out with `journal`.
    package let isOnPartition: Bool?
    /// Nil from older stations.
    package var state: State?
    /// What a power cut may cost at most.
    package var lossWindowSeconds: Double?
    /// Age of the oldest record that is not on the card yet; nil when nothing waits.
    package var waitingSeconds: Double?
    /// Since the last write to the card; nil before the first of this run.
    package var lastCommitAgeSeconds: Double?

    package init(folder: String, journal: String?) {
        (self.folder, self.journal) = (folder, journal)
        isOnPartition = journal.map { $0.hasPrefix("/dev/") }
    }
}
