import ControlProtocol
import FileIO
import Glibc
import HardwareIO

/// Removes what an owner has left in a station, while its programs do not run.
///
/// It may be cut at any step and begun again. What was measured stays unless it is chosen; so does
/// `roost.json`, which names devices and has no secret. What was taken from the boot partition
/// stays known: the files of the owner before, which still lie there, do not count again.
package struct FactoryReset {
    /// Puts it on the card; `history` in the file also removes what was measured.
    package static let cardFile = "roost-reset-everything.txt"

    /// What is said of it on the card, once it is done.
    static let noteOnCard =
        "\(cardFile): the station has no owner, settings, secrets and pictures any "
        + "more, and this file is removed. The page makes a new owner."

    /// The store's folder where `roost.json` names none.
    package static let standardStore = "/var/lib/roost"

    private static let folders = [
        "/var/lib/roost-courier", "/var/lib/roost-eyes", "/var/lib/roost-web", "/etc/roost/secrets",
    ]
    private static let files = [
        "/etc/roost/courier.json", "/etc/roost/eyes.json", "/etc/roost/faces.json",
    ]
    /// Files of the owner beside the store.
    private static let filesOfStore = [
        "settings.json", "settings.json.last", "settings.json.new", "settings.json.damaged",
        StationPart.file, "import.part",
    ]
    /// How the names of what was measured begin, in a folder that may hold other things, too.
    private static let beginnings = ["history.db", "journal."]
    /// Files that go from an image alone: there the network and the shell are Roost's to set up.
    private static let filesOfImage = [
        SettingsWriter.wireless, "\(SettingsWriter.wireless).candidate", "/etc/roost/ssh",
        "/etc/ssh/sshd_config.d/40-roost-imager.conf", "/etc/roost/access-point",
        "/etc/roost/access-point-password",
    ]

    private let root: String
    private let store: String
    /// The journal's path by `roost.json`; nil where it names none.
    private let journal: String?
    private let isImage: Bool

    /// - Parameters:
    ///   - root: Where the system is; empty for this machine.
    ///   - store: The store's folder by `roost.json`, within the system.
    ///   - journal: The journal's path by `roost.json`, within the system; nil where it names none.
    package init(root: String = "", store: String, journal: String? = nil) {
        (self.root, self.store) = (root, root + store)
        self.journal = journal.map { root + $0 }
        isImage = ImageMachine(root: root) != nil
    }

    /// Removes everything.
    ///
    /// - Returns: What of the history could not be reached, a sentence each.
    /// - Throws: `FileError` of the first file that cannot be removed.
    @discardableResult
    package func run(history: Bool) throws(FileError) -> [String] {
        for folder in Self.folders { try empty(root + folder) }
        let left = history ? try removeHistory() : []
        // The store may have moved to another folder.
        for folder in Set([store, root + Self.standardStore]) {
            for file in Self.filesOfStore { try remove("\(folder)/\(file)") }
        }
        for file in Self.files + (isImage ? Self.filesOfImage : []) { try remove(root + file) }
        // What was measured makes a store old, and an old one opens to no new owner.
        let mark = ClaimWindowReport.givenAwayMark
        if !history, !(try names(in: store)).isEmpty {
            try Files.append([], to: "\(store)/\(mark)", mode: 0o644)
        }
        return left
    }

    private func removeHistory() throws(FileError) -> [String] {
        let left = try overwriteJournals()
        guard store != root + FactoryReset.standardStore else {
            try empty(store)
            return left
        }
        for name in try names(in: store) where Self.beginnings.contains(where: name.hasPrefix) {
            try remove("\(store)/\(name)")
        }
        try empty(root + Self.standardStore)
        return left
    }

    /// Overwrites what waits in the journal's partition, and in a journal that a path names.
    private func overwriteJournals() throws(FileError) -> [String] {
        var left: [String] = []
        let note = "\(store)/\(JournalPartition.noteName)"
        var status = stat()
        let hasNote = lstat(note, &status) == 0
        for path in [hasNote ? note : nil, journal].compactMap(\.self) {
            let name = path == note ? Files.target(of: note) ?? note : path
            let found: JournalRemains.Finding
            do { found = try JournalRemains(path: path).overwrite() } catch {
                // A stick that dies keeps nothing else from being removed.
                left.append("the journal \(name) cannot be overwritten: \(error)")
                continue
            }
            switch found {
            case .overwritten: break
            case .absent:
                left.append(
                    "the journal \(name) is not there, so what waits in it stays: put it back in, "
                        + "and reset again"
                )
            case .foreign:
                left.append("\(name) has no journal of Roost, so nothing there was overwritten")
            }
        }
        return left
    }

    private func names(in folder: String) throws(FileError) -> [String] {
        do { return try Files.names(in: folder, hidden: true) } catch {
            guard !error.isAbsent else { return [] }
            throw error
        }
    }

    /// Removes the files of a folder, and those of the folders in it.
    private func empty(_ folder: String) throws(FileError) {
        for name in try names(in: folder) {
            let path = "\(folder)/\(name)"
            var status = stat()
            guard lstat(path, &status) == 0 else { continue }
            guard status.st_mode & S_IFMT == S_IFDIR else {
                try remove(path)
                continue
            }
            try empty(path)
            guard rmdir(path) == 0 || errno == ENOENT else {
                throw FileError(path, .system(call: "rmdir", code: errno))
            }
        }
        if access(folder, F_OK) == 0 { try Files.sync(folder: folder) }
    }

    private func remove(_ path: String) throws(FileError) {
        guard unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR else {
            throw FileError(path, .system(call: "unlink", code: errno))
        }
    }
}
