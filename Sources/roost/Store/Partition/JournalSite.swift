import Glibc
import LinuxIO
import Store
import StoreQueries

/// Where a store's journal is on this machine, and what it lies on.
struct JournalSite {
    private(set) var path: String?
    /// nil for a file system that was not measured, and where there is no store.
    private(set) var medium: JournalMedium?

    /// Creates a site that was not looked for.
    init() {}

    /// A partition that the station uses, or the file in the folder.
    init(folder: String) {
        let folder = StoreFolder(path: folder)
        if access(folder.journalPath, F_OK) == 0 {
            path = folder.journalPath
        } else if let partition = folder.journalPartition {
            (path, medium) = (partition, .partition)
            return
        }
        medium = FileSystem.kind(of: folder.path).flatMap(JournalMedium.init(fileSystem:))
    }
}
