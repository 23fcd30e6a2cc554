import Backup
import ControlProtocol
import FileIO
import HardwareIO
import Profiles
import Provisioning

/// A backup on the boot partition, with its passphrase in a file beside it.
struct CardBackup {
    static let name = "roost-restore.backup"
    static let passphraseName = "roost-restore-passphrase.txt"
    /// 128 MiB: services do not run yet.
    private static let logCostMax = 17

    enum Finding {
        case none
        /// It was taken before, and is still there.
        case taken(String)
        case wrong(ProvisionProblem)
        case found(file: String, [UInt8], BackupFile)
    }

    /// Where the boot partition is.
    let folder: String

    /// Looks for the one backup; `isTaken` says whether these bytes were taken before.
    func finding(_ isTaken: (_ name: String, _ bytes: [UInt8]) -> Bool) -> Finding {
        let names = ((try? Files.names(in: folder)) ?? []).filter { $0.hasSuffix(".backup") }
        guard let name = names.contains(Self.name) ? Self.name : names.first else { return .none }
        guard names.count == 1 || name == Self.name else {
            let next = "Leave one, or call it \(Self.name)"
            return wrong(name, "there is more than one backup", next)
        }
        guard let bytes = Files.start(of: "\(folder)/\(name)", limit: BackupFile.byteMax + 1) else {
            return wrong(name, "it cannot be read", "Save it again")
        }
        guard !isTaken(name, bytes), bytes.contains(where: { $0 != 0 }) else {
            return .taken(name)
        }
        let passphrase = Files.start(of: "\(folder)/\(Self.passphraseName)", limit: 4_096)
            .map { String(decoding: CardSecrets.content(of: $0), as: UTF8.self) }
        do throws(ControlFailure) {
            let cost = Self.logCostMax
            return .found(
                file: name,
                bytes,
                try BackupFile(bytes, passphrase: passphrase, logCostMax: cost)
            )
        } catch {
            let next = "Put the right file here, and its passphrase into \(Self.passphraseName)"
            return wrong(name, "nothing is restored: \(error.message)", next)
        }
    }

    private func wrong(_ name: String, _ words: String, _ next: String) -> Finding {
        .wrong(ProvisionProblem(PlainText.shown(name), words, next: next))
    }

    /// What a person reads about a backup that was restored.
    static func news(of backup: BackupFile, in name: String, isSealed: Bool) -> String {
        let left = backup.leftOut.map { PlainText.shown($0) }.joined(separator: ", ")
        let (file, station) = (PlainText.shown(name), PlainText.shown(backup.name))
        return "\(file): the backup of \(station) is restored, and removed from here"
            + (isSealed ? " with its passphrase." : ".")
            + (left.isEmpty ? "" : " It was made without: \(left).")
    }

    /// Hands the parts to the programs, which take them when they start.
    ///
    /// - Parameter store: The store's folder, within the system.
    static func put(_ backup: BackupFile, root: String, store: String) throws {
        if let content = backup.content(of: .station) {
            let part = try ControlCodec.message(StationPart.self, from: content)
            let folder = PrivateFolder(root + store, ownerNamed: "roost")
            try folder.replace(StationPart.file, with: Array(content.utf8))
            try folder.replace("settings.json", with: Array(part.settings.utf8))
        }
        if let content = backup.content(of: .courier) {
            let path = "\(root)/var/lib/roost-courier"
            try put(courier: content, PrivateFolder(path, ownerNamed: PrivateFolder.courier))
        }
        if let content = backup.content(of: .camera) {
            try PrivateFolder("\(root)/var/lib/roost-eyes", ownerNamed: "roost-eyes")
                .replace("settings.json", with: Array(content.utf8))
        }
        if let content = backup.content(of: .dashboard) {
            try PrivateFolder("\(root)/var/lib/roost-web", ownerNamed: "roost-web")
                .replace("roost-restore-people.json", with: Array(content.utf8))
        }
    }

    /// Phones and browsers go into a file of their own, which the courier encrypts at its start.
    private static func put(courier content: String, _ folder: PrivateFolder) throws {
        var settings = content
        if case .object(var root) = try JSONParser.parse(Array(content.utf8)),
            let push = root.removeValue(forKey: "push")
        {
            let kept = JSONValue.object(["push": push]).text
            try folder.replace("restore-subscribers.json", with: Array(kept.utf8))
            settings = JSONValue.object(root).text
        }
        try folder.replace("settings.json", with: Array(settings.utf8))
    }
}
