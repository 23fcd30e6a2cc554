import HardwareIO
import Profiles
import Store

/// Where the journal lies, as `store`: `journal` says.
package enum JournalPlace: Hashable, Sendable {
    /// A file in the store's folder.
    case folder
    /// The partition that `roost store partition` made, and a file while there is none.
    case auto
    /// A partition, or a file, that is named.
    case path(String)

    init(_ reader: inout ObjectReader) {
        guard let word = reader.string("journal") else {
            self = .folder
            return
        }
        guard word != "auto" else {
            self = .auto
            return
        }
        self = reader.absolutePath("journal").map { .path($0) } ?? .folder
    }

    /// The ring to open, and the file that was one before; only on the disk thread.
    ///
    /// - Throws: `StorageError`.
    func resolved(
        in folder: String,
        _ platform: any Platform
    ) throws(StorageError) -> (ring: String, former: String?) {
        let file = "\(folder)/journal.ring"
        switch self {
        case .folder: return (file, nil)
        case .path(let path): return (path, path == file ? nil : file)
        case .auto:
            let partition = try platform.journalPartition(for: folder)
            return (partition ?? file, partition == nil ? nil : file)
        }
    }
}

extension StoreConfiguration {
    /// Where the store is on this machine now; only on the disk thread.
    ///
    /// - Throws: `StorageError`.
    func place(history: String, on platform: any Platform) throws(StorageError) -> StorePlace {
        let (ring, former) = try journal.resolved(in: folder, platform)
        var place = StorePlace(journal: ring, history: history, plan: plan, version: roostVersion)
        (place.seams, place.formerJournal) = (platform.historySeams, former)
        return place
    }
}
