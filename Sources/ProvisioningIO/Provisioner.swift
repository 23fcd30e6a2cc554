import Backup
import ControlProtocol
import Core
import FileIO
import Glibc
import HardwareIO
import Provisioning

/// Takes what a person put on the boot partition, at each start, each content once.
///
/// It ends in order whatever the files hold: a station without settings is a station.
package struct Provisioner {
    private let boot: BootPartition
    private let root: String
    private let writer: SettingsWriter
    private let reader: ConfigurationReader
    private let cardFaults: [String]
    private let hasOwner: () -> Bool

    private var words = ProvisionWords()
    private var marks: ProvisionMarks
    private var taken: [String] = []
    private var hasNewSettings = false
    /// Contents for the boot partition, once all settings are kept.
    private var masks: [(name: String, bytes: [UInt8])] = []
    private var removals: [String] = []
    /// Notes of backups, which are true once their files are removed.
    private var restored: [String] = []
    /// Removed files whose content had no use.
    private var unused: Set<String> = []

    /// - Parameters:
    ///   - boot: The partition with the files.
    ///   - root: Where the system is; empty for this machine.
    ///   - cardFaults: Faults of the card, a sentence each.
    ///   - hasOwner: Whether the dashboard has an owner: then a code makes no account.
    ///   - reader: Reads configurations.
    package init(
        boot: BootPartition,
        root: String,
        accounts: any AccountTools,
        cardFaults: [String] = [],
        hasOwner: @escaping () -> Bool = { false },
        reader: ConfigurationReader
    ) {
        (self.boot, self.root, self.reader) = (boot, root, reader)
        (self.cardFaults, self.hasOwner) = (cardFaults, hasOwner)
        writer = SettingsWriter(root: root, accounts: accounts)
        marks =
            Files.text("\(root)\(Self.marksPath)", limit: 1 << 16).flatMap {
                try? ControlCodec.message(ProvisionMarks.self, from: $0)
            } ?? ProvisionMarks()
    }

    private static let marksPath = "/etc/roost/provisioned.json"

    /// Whether what is kept here outlives a loss of power.
    private var keepsData: Bool {
        Files.text("\(root)/run/roost-data-on")?.hasPrefix("memory") != true
    }

    package mutating func run() -> ProvisionReport {
        let said = Files.text("\(root)/run/roost-start.said", limit: 1 << 14) ?? ""
        let lines = said.split(separator: "\n").prefix(16)
        words.start = lines.map { PlainText.shown($0, limit: 300) } + cardFaults
        words.problems += WireRun(boot: boot, root: root).problems
        takeFactoryReset()
        let knows = { [writer] name in writer.knowsZone(name) }
        apply(CloudInitFiles.userName) { CloudInitFiles.readUser($0, knowsZone: knows) }
        apply(CloudInitFiles.networkName) { CloudInitFiles.readNetwork($0) }
        apply(ImagerScript.name) { ImagerScript.read($0, knowsZone: knows) }
        apply(StationFile.name) { StationFile.read($0, knowsZone: knows) }
        endInterruptedTry()
        for file in ConfigurationFile.allCases { takeConfiguration(file) }
        for finding in CardSecrets(folder: boot.folder).findings { takeSecret(finding) }
        takeReset()
        takeBackup()
        takeClaim()
        findMisnamed()
        keepMarks()
        removeSecrets()
        say()
        return ProvisionReport(words, taken: taken)
    }

    private func read(_ name: String, limit: Int = PlainLines.byteCountMax) -> [UInt8]? {
        Files.start(of: "\(boot.folder)/\(name)", limit: limit + 1)
    }

    /// The same; says so where the file is there and cannot be read.
    private mutating func told(_ name: String, limit: Int = PlainLines.byteCountMax) -> [UInt8]? {
        if let bytes = read(name, limit: limit) { return bytes }
        var status = stat()
        guard lstat("\(boot.folder)/\(name)", &status) == 0 else { return nil }
        words.problems.append(
            ProvisionProblem(
                name,
                "it cannot be read, and is not used",
                next: "Remove it and save it again as a file; have the drive checked if that fails"
            )
        )
        return nil
    }

    /// Takes the settings of a file, unless this content was taken before.
    private mutating func apply(_ name: String, _ parse: ([UInt8]) -> ProvisionedFile) {
        guard let bytes = told(name) else { return }
        let isStation = name == StationFile.name
        // Wiped for its secret, and not removed: the power was lost in between.
        guard isStation || bytes.isEmpty || bytes.contains(where: { $0 != 0 }) else {
            return removals.append(name)
        }
        let file = parse(bytes)
        words.problems += file.problems
        if !marks.has(name, bytes), !file.settings.isEmpty {
            let problems = writer.apply(file.settings, from: name)
            words.problems += problems
            guard problems.isEmpty else { return }
            marks.record(name, bytes)
            taken.append(name)
            hasNewSettings = true
        }
        if isStation, !file.secrets.isEmpty {
            masks.append((name, StationFile.withoutSecrets(bytes, file.secrets)))
        } else if isStation, file.settings.wireless?.secret == .taken {
            let isKept = access(root + SettingsWriter.wireless, F_OK) == 0
            words.notes.append(StationFile.noteOfMask(isKept: isKept))
        }
        if !isStation, file.settings.hasSecret, file.problems.isEmpty {
            removals.append(name)
        } else if file.hasUnusedSecret || !isStation && file.settings.hasSecret {
            words.notes.append(
                "\(name): a password stands in it while the file is wrong. Correct or remove it."
            )
        }
    }

    private mutating func takeConfiguration(_ file: ConfigurationFile) {
        let (name, limit) = (file.rawValue, ConfigurationFile.byteCountMax)
        guard let bytes = told(name, limit: limit), !marks.has(name, bytes) else { return }
        let mistakes =
            bytes.count > limit
            ? ["it is larger than 1 MiB"] : reader.mistakes(file, "\(boot.folder)/\(name)")
        guard mistakes.isEmpty else {
            words.problems += mistakes.prefix(8).map { file.problem($0) }
            return
        }
        do throws(StorageError) {
            let path = "\(root)/etc/roost/\(name)"
            SettingFile.makeFolder(of: path)
            try WholeFile.write(bytes, to: path, mode: 0o644)
            marks.record(name, bytes)
            taken.append(name)
        } catch { words.problems.append(Self.unkept(name, error)) }
    }

    private static func unkept(_ name: String, _ error: some Error) -> ProvisionProblem {
        ProvisionProblem(
            name,
            "it cannot be kept: \(error)",
            next: "Start the station again; roost doctor says how the card is"
        )
    }

    private mutating func takeSecret(_ finding: CardSecrets.Finding) {
        switch finding {
        case .wrong(let problem): words.problems.append(problem)
        case .wiped(let file):
            // Its removal was under way when the power was lost.
            if marks.files[file] != nil || marks.removed.contains(file) {
                removals.append(file)
            } else {
                words.problems.append(
                    ProvisionProblem(
                        file,
                        "it holds zeros in place of a secret",
                        next: "Save it again, and eject the card before you pull it out"
                    )
                )
            }
        case .secret(let file, let name, let bytes):
            // One that could not be removed is not taken again: it may be changed since.
            guard !marks.has(file, bytes) else { return removals.append(file) }
            let folder = "\(root)/etc/roost/\(CardSecrets.folder)"
            SettingFile.makeFolder(of: folder)
            do throws(FileError) {
                try PrivateFolder(folder, ownerNamed: PrivateFolder.courier)
                    .replace(name.text, with: CardSecrets.content(of: bytes))
                marks.record(file, bytes)
                taken.append(file)
                removals.append(file)
            } catch { words.problems.append(Self.unkept(file, error)) }
        }
    }

    private var resetPath: String { "\(root)/var/lib/roost-web/\(AccountReset.name)" }

    /// Whether the dashboard removes its accounts when it starts next.
    private var isResetDue: Bool { access(resetPath, F_OK) == 0 }

    /// Removes a Wi-Fi of the page that was not proved when the power was lost.
    private mutating func endInterruptedTry() {
        do throws(StorageError) { try NetworkRecords(root: root).endInterrupted() } catch {
            words.problems.append(Self.unkept("Wi-Fi", error))
        }
    }

    private mutating func takeReset() {
        let name = AccountReset.name
        guard let bytes = told(name) else { return }
        // One that stays on the card does not remove the accounts that are made after it.
        guard !marks.has(name, bytes) else { return removals.append(name) }
        do throws(StorageError) {
            try SettingFile.put("", resetPath, mode: 0o644)
            marks.record(name, bytes)
            taken.append(name)
            removals.append(name)
        } catch { words.problems.append(Self.unkept(name, error)) }
    }

    /// Removes what the owner before has left; first, so that the other files are the new owner's.
    private mutating func takeFactoryReset() {
        let name = FactoryReset.cardFile
        guard let bytes = told(name) else { return }
        guard !marks.has(name, bytes) else { return removals.append(name) }
        guard bytes.isEmpty || bytes.contains(where: { $0 != 0 }) else {
            return removals.append(name)
        }
        let text = String(decoding: bytes, as: UTF8.self).lowercased()
            .split { $0.isWhitespace || $0 == "\u{FEFF}" }.joined(separator: " ")
        guard text.isEmpty || text == "history" else {
            let next = "Leave it empty, or write only the word history to remove that, too"
            let problem = "nothing is removed, as it has a text that is not known"
            return words.problems.append(ProvisionProblem(name, problem, next: next))
        }
        do throws(FileError) {
            let store = reader.store(root: root, for: name, &words.problems)
            let reset = FactoryReset(root: root, store: store, journal: reader.journal(root: root))
            for left in try reset.run(history: text == "history") {
                let next = "The rest is removed"
                words.problems.append(ProvisionProblem(name, ForeignText.plain(left), next: next))
            }
            // The files of the owner before do not count again.
            (marks.removed, marks.unused) = ([], nil)
            marks.record(name, bytes)
            taken.append(name)
            removals.append(name)
        } catch { words.problems.append(Self.unkept(name, error)) }
    }

    private mutating func takeBackup() {
        let finding = CardBackup(folder: boot.folder).finding { [marks] in marks.has($0, $1) }
        switch finding {
        case .none: break
        // Its removal was under way when the power was lost.
        case .taken(let name):
            removals += [CardBackup.passphraseName, name].filter { read($0) != nil }
        case .wrong(let problem): words.problems.append(problem)
        case .found(let name, let bytes, let backup):
            do {
                let store = reader.store(root: root, for: name, &words.problems)
                try CardBackup.put(backup, root: root, store: store)
                marks.record(name, bytes)
                taken.append(name)
                let isSealed = read(CardBackup.passphraseName) != nil
                // The passphrase first: alone it opens nothing.
                removals += [CardBackup.passphraseName, name].filter { read($0) != nil }
                restored.append(CardBackup.news(of: backup, in: name, isSealed: isSealed))
            } catch { words.problems.append(Self.unkept(name, error)) }
        }
    }

    private mutating func takeClaim() {
        let name = ClaimCode.name
        guard let bytes = told(name) else { return }
        guard bytes.isEmpty || bytes.contains(where: { $0 != 0 }) else {
            return removals.append(name)
        }
        guard !hasOwner() || isResetDue else {
            unused.insert(name)
            return removals.append(name)
        }
        if let problem = ClaimCode.problem(bytes) { return words.problems.append(problem) }
        do throws(StorageError) {
            let text = String(decoding: bytes, as: UTF8.self)
            // The folder is the dashboard's alone.
            try SettingFile.put(text, "\(root)/var/lib/roost-web/\(name)", mode: 0o644)
            if !marks.has(name, bytes) { taken.append(name) }
            marks.record(name, bytes)
            removals.append(name)
        } catch {
            words.problems.append(
                ProvisionProblem(
                    name,
                    "it cannot be kept: \(error)",
                    next: "Start the station again, or type `sudo roost claim` there"
                )
            )
        }
    }

    private mutating func findMisnamed() {
        let folder = boot.folder
        guard let names = try? Files.names(in: folder) else { return }
        let wrong = names.compactMap { name in
            CardFileNames.problem(name) { access("\(folder)/\($0)", F_OK) == 0 }
        }
        words.problems += wrong.prefix(8)
    }

    private func keepMarks() {
        guard let line = try? ControlCodec.line(marks) else { return }
        _ = try? SettingFile.put(line + "\n", root + Self.marksPath, mode: 0o600)
    }
}

extension ProvisionedSettings {
    /// Whether the file has a password or a hash or key made from one.
    fileprivate var hasSecret: Bool {
        if user?.passwordHash != nil { return true }
        return switch wireless?.secret {
        case .passphrase, .key: true
        case .taken, .none?, nil: false
        }
    }
}

extension Provisioner {
    /// Takes secrets off the boot partition, which every computer can read.
    private mutating func removeSecrets() {
        guard !masks.isEmpty || !removals.isEmpty else { return }
        guard keepsData else {
            words.notes.append(
                "The passwords stay in the files of this partition, as the data partition cannot "
                    + "keep them."
            )
            return
        }
        do throws(StorageError) {
            try boot.writable { () throws(StorageError) in
                for (name, bytes) in masks { try boot.overwrite(bytes, name) }
                for name in removals { try boot.erase(name) }
                rmdir("\(boot.folder)/\(CardSecrets.folder)")
            }
            words.notes += restored
            for (name, bytes) in masks {
                marks.record(name, bytes)
                words.notes.append(StationFile.noteOfMask(isKept: true))
            }
            for name in removals {
                marks.files[name] = nil
                if unused.contains(name) {
                    marks.unused = (marks.unused ?? []).union([name])
                    marks.removed.remove(name)
                } else {
                    marks.unused?.remove(name)
                    marks.removed.insert(name)
                }
            }
            keepMarks()
        } catch {
            words.notes.append(
                "The passwords are taken, and stay in the files of this partition, too, as it "
                    + "cannot be written (\(error)). Remove them by hand."
            )
        }
    }

    /// Notes secrets that were removed from the partition, and writes all messages.
    private mutating func say() {
        for name in marks.removed.sorted() where read(name) == nil {
            guard !name.hasSuffix(".backup"), name != CardBackup.passphraseName else { continue }
            guard name != FactoryReset.cardFile else {
                if !hasOwner() { words.notes.append(FactoryReset.noteOnCard) }
                continue
            }
            guard name != AccountReset.name else {
                if isResetDue || !hasOwner() { words.notes.append(AccountReset.noteOnCard) }
                continue
            }
            words.notes.append(
                "\(name): it was taken into the station and removed, as it was secret."
            )
        }
        for name in (marks.unused ?? []).sorted() where read(name) == nil {
            words.notes.append(
                "\(name): it was not used, as the station has an owner, and removed, as it was "
                    + "secret. To begin anew without the owner, put \(AccountReset.name) "
                    + "here, too, or type `sudo roost claim --reset` there."
            )
        }
        let writer = WordsWriter(boot: boot, root: root)
        // It is not known to be over until the Wi-Fi was tried again, or is another one.
        if !hasNewSettings { words.wireless = writer.text.flatMap(WirelessFinding.line) }
        words = writer.write(words)
    }
}
