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

    private static let folders = [
        "/var/lib/roost-courier", "/var/lib/roost-eyes", "/var/lib/roost-web", "/etc/roost/secrets",
    ]
    private static let files = [
        "/var/lib/roost/settings.json", "/var/lib/roost/settings.json.last",
        "/var/lib/roost/settings.json.new", "/var/lib/roost/settings.json.damaged",
        "/var/lib/roost/restore.json", "/etc/roost/courier.json", "/etc/roost/eyes.json",
        "/etc/roost/faces.json",
    ]
    /// Files that go from an image alone: there the network and the shell are Roost's to set up.
    private static let filesOfImage = [
        SettingsWriter.wireless, "\(SettingsWriter.wireless).candidate", "/etc/roost/ssh",
        "/etc/ssh/sshd_config.d/40-roost-imager.conf", "/etc/roost/access-point",
        "/etc/roost/access-point-password",
    ]

    private let root: String
    private let isImage: Bool

    /// - Parameter root: Where the system is; empty for this machine.
    package init(root: String = "") {
        self.root = root
        isImage = ImageMachine(root: root) != nil
    }

    /// Removes everything.
    ///
    /// - Throws: `FileError` of the first file that cannot be removed.
    package func run(history: Bool) throws(FileError) {
        for folder in Self.folders { try empty(root + folder) }
        if history { try empty("\(root)/var/lib/roost") }
        for file in Self.files + (isImage ? Self.filesOfImage : []) { try remove(root + file) }
    }

    /// Removes the files of a folder, and those of the folders in it.
    private func empty(_ folder: String) throws(FileError) {
        let names: [String]
        do { names = try Files.names(in: folder, hidden: true) } catch {
            guard !error.isAbsent else { return }
            throw error
        }
        for name in names {
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
        try Files.sync(folder: folder)
    }

    private func remove(_ path: String) throws(FileError) {
        guard unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR else {
            throw FileError(path, .system(call: "unlink", code: errno))
        }
    }
}
