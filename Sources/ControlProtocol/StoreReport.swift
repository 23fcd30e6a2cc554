/// Where a station writes.
package struct StoreReport: Codable, Hashable, Sendable {
    package let folder: String
    /// The ring: a file or a device.
    package let journal: String?
    /// Whether the ring has a partition of its own; left out with `journal`.
    package let isOnPartition: Bool?

    package init(folder: String, journal: String?) {
        (self.folder, self.journal) = (folder, journal)
        isOnPartition = journal.map { $0.hasPrefix("/dev/") }
    }
}
