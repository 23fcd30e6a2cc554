import Configuration
import Core
import HardwareIO
import Store

/// Where the journal lies on this machine now.
struct JournalLocation {
    /// The ring to open.
    let ring: String
    /// The file that was the ring before; nil where there is none.
    let former: String?

    /// Finds the ring; only on the disk thread.
    init(
        of place: JournalSetting,
        in folder: String,
        _ platform: any Platform
    ) throws(StorageError) {
        let file = "\(folder)/journal.ring"
        switch place {
        case .folder: (ring, former) = (file, nil)
        case .path(let path): (ring, former) = (path, path == file ? nil : file)
        case .auto:
            let partition = try platform.journalPartition(for: folder)
            (ring, former) = (partition ?? file, partition == nil ? nil : file)
        }
    }
}

extension StoreConfiguration {
    /// Where the store is on this machine now; only on the disk thread.
    func place(history: String, on platform: any Platform) throws(StorageError) -> StoreLocation {
        let journal = try JournalLocation(of: journal, in: folder, platform)
        var place = StoreLocation(
            journal: journal.ring,
            history: history,
            plan: plan,
            version: RoostVersion.text
        )
        (place.testHooks, place.formerJournal) = (platform.historyTestHooks, journal.former)
        return place
    }
}
