import ControlProtocol
import Core
import HardwareIO
import Logging
import Profiles

/// The courier's configuration: `courier.json`, and behind it what the owner added on the page.
///
/// The file wins: an entry of its id is left out, and counts again once the file has none. A change
/// is in use only when it is on the card.
actor CourierSettings {
    /// An entry as it is given.
    private struct Given {
        let section: EntrySection
        let entry: String
        let secrets: [String: String]
        let asker: QuestionAsker

        init(
            _ section: EntrySection,
            _ entry: String,
            _ secrets: [String: String]?,
            _ asker: QuestionAsker
        ) {
            (self.section, self.entry) = (section, entry)
            (self.secrets, self.asker) = (secrets ?? [:], asker)
        }
    }

    private let files: (any CourierFiles)?
    let presets: PresetCatalog
    private let logger: Logger
    private let turn: TaskLock
    private nonisolated let secrets: OwnSecrets
    private(set) var file: CourierConfiguration
    private(set) var overlay = CourierOverlay()
    /// What was before the last change, and the entry that it was of; nil before the first.
    private var former: (id: String, overlay: CourierOverlay)?
    /// Why the settings could not be read, without its full stop; nil when they could.
    private(set) var trouble: String?

    /// - Parameters:
    ///   - file: As the file has it.
    ///   - world: Its `files` keep the changes; nil there refuses each.
    init(
        _ file: CourierConfiguration,
        _ secrets: OwnSecrets,
        in world: CourierDependencies
    ) {
        (self.file, self.secrets, files) = (file, secrets, world.files)
        (presets, logger, turn) = (world.presets, world.logger, TaskLock(world.clock))
    }

    /// The configuration in use, and the owner's entries that are left out, with their reasons.
    var merged: (configuration: CourierConfiguration, leftOut: [CourierReport.LeftOut]) {
        var configuration = file
        var leftOut: [CourierReport.LeftOut] = []
        for id in overlay.entries.keys.sorted() {
            do throws(ControlFailure) {
                try configuration.add(id, overlay, presets)
            } catch {
                leftOut.append(.init(id: id, sentence: error.message))
            }
        }
        return (configuration, leftOut)
    }

    // MARK: Reading

    /// Reads what the owner set; called before the first entry begins.
    ///
    /// - Throws: `CancellationError`. Settings that cannot be read are `trouble`.
    func load() async throws {
        guard let files else { return }
        do {
            overlay = try await read(CourierOverlay.name, files)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            let reason = "the settings of the page cannot be read: \(error)"
            do {
                overlay = try await read(CourierOverlay.last, files)
                trouble = "\(reason); those before the last change are used"
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                trouble = "\(reason), nor those before; add the targets again"
            }
            logger.error("settings not read", metadata: ["why": "\(trouble ?? "")"])
        }
        secrets.set(overlay.named)
    }

    private func read(
        _ name: String,
        _ files: any CourierFiles
    ) async throws -> CourierOverlay {
        let bytes = try await files.read(name, limit: CourierOverlay.byteLimit)
        return try bytes.map { try CourierOverlay($0) } ?? CourierOverlay()
    }

    /// Uses another content of `courier.json`.
    func reload(_ file: CourierConfiguration) { self.file = file }

    // MARK: Changes

    /// Adds or replaces an entry.
    ///
    /// - Throws: `ControlFailure`: nothing was changed. `CancellationError`.
    func configure(
        _ question: ConfigureEntry,
        by asker: QuestionAsker
    ) async throws -> EntryChange {
        try await turn.run {
            try await readAgain()
            let given = Given(question.section, question.entry, question.secrets, asker)
            let next = try checked(question.target, given)
            return try await replace(with: next, [question.target])[0]
        }
    }

    /// Removes an entry that was added.
    ///
    /// - Throws: As `configure`.
    func remove(_ id: String) async throws -> EntryChange {
        try await turn.run {
            try await readAgain()
            guard overlay.entries[id] != nil else {
                if file.hasEntry(id) { throw locked(id) }
                throw unknown(id)
            }
            var next = overlay
            next.remove(id)
            return try await replace(with: next, [id])[0]
        }
    }

    /// Brings an entry back as it was before its last change, with its secrets.
    ///
    /// - Throws: As `configure`.
    func undo(_ id: String) async throws -> EntryChange {
        try await turn.run {
            try await readAgain()
            guard let former, former.id == id else {
                let message = "the last change is not one of \(PlainText.shown(id))"
                throw ControlFailure(code: .notFound, message: message)
            }
            guard !file.hasEntry(id) else { throw locked(id) }
            return try await replace(with: former.overlay, [id])[0]
        }
    }

    /// Puts the entries of a backup in place of those that were added.
    ///
    /// - Throws: As `configure`.
    func restore(
        _ content: String,
        isTrial: Bool,
        by asker: QuestionAsker
    ) async throws -> (report: RestoreReport, changes: [EntryChange]) {
        try await turn.run {
            try await readAgain()
            let restored = try RestoredEntries(content, over: overlay, file, presets)
            // The author of the file could send a secret of the administrator away.
            for (id, entry) in restored.next.entries where restored.changed.contains(id) {
                try demandOwnSecrets(entry.fields, of: id, by: asker)
            }
            guard !isTrial, !restored.changed.isEmpty else { return (restored.report, []) }
            return (restored.report, try await replace(with: restored.next, restored.changed))
        }
    }

    /// What a backup has of the entries that were added.
    func backup(secrets: Bool) -> BackupPartReport {
        RestoredEntries.part(of: overlay, secrets: secrets)
    }

    private func replace(with next: CourierOverlay, _ ids: [String]) async throws -> [EntryChange] {
        guard let files else {
            let message = "this courier has no folder for settings; see --state"
            throw ControlFailure(code: .notOffered, message: message)
        }
        let bytes = next.bytes
        guard bytes.count <= CourierOverlay.byteLimit else {
            let message = "more settings than \(CourierOverlay.byteLimit >> 10) KiB"
            throw ControlFailure(code: .tooLarge, message: message)
        }
        do {
            try await keepFormer(files, changing: ids)
            try await files.replace(CourierOverlay.name, bytes)
        } catch let error as CourierFilesError {
            throw ControlFailure(code: .store, message: "not changed: \(error)")
        }
        let before = overlay
        former = ids.count == 1 ? (ids[0], before) : nil
        (overlay, trouble) = (next, nil)
        secrets.set(next.named)
        return ids.map { id in
            let (before, now) = (before.entries[id], next.entries[id])
            return EntryChange(
                section: (now ?? before)?.section ?? .targets,
                id: id,
                before: before?.type ?? "default",
                now: now?.type ?? "default",
                isRemoval: now == nil
            )
        }
    }

    /// Tries once more to read settings that could not be read, before they are replaced.
    private func readAgain() async throws {
        guard trouble != nil, let files else { return }
        do {
            (overlay, trouble) = (try await read(CourierOverlay.name, files), nil)
            secrets.set(overlay.named)
        } catch is ConfigurationError {
            // Damaged: what is used is in `overlay`.
        } catch let error as CourierFilesError {
            throw ControlFailure(code: .store, message: "not changed: \(error)")
        }
    }

    /// Keeps the content before a change, without secrets of what changes; a damaged one too.
    private func keepFormer(_ files: any CourierFiles, changing ids: [String]) async throws {
        if trouble != nil {
            let bytes = try await files.read(CourierOverlay.name, limit: CourierOverlay.byteLimit)
            try await files.replace(CourierOverlay.damaged, bytes ?? [])
        }
        let former = ids.reduce(overlay) { $0.withoutSecrets(of: $1) }
        try await files.replace(CourierOverlay.last, former.bytes)
    }

    // MARK: Checks

    /// Returns the overlay with a new or changed entry.
    ///
    /// - Throws: `ControlFailure` that names the field as `/entry/url` or `/secrets/token`.
    private func checked(_ id: String, _ change: Given) throws(ControlFailure) -> CourierOverlay {
        guard !file.hasEntry(id) else { throw locked(id) }
        var (fields, given) = (try Self.fields(change.entry), change.secrets)
        try demandOwnSecrets(fields, of: id, by: change.asker)
        if case .string(let type)? = fields["type"] {
            // As a person types it: `topic=balcony`.
            for key in EntryKinds.secretKeys(of: type, in: change.section, presets) {
                guard case .string(let text)? = fields[key], given[key] == nil else { continue }
                (given[key], fields[key]) = (text, nil)
            }
        }
        var kept = overlay.secrets[id, default: [:]].filter { given[$0.key] == nil }
        for key in kept.keys where fields[key] != nil { kept[key] = nil }
        fields = fields.filter { $0.value != .null }
        let former = overlay.entries[id]?.fields ?? [:]
        if former["type"] != fields["type"] { kept = [:] }
        // An address may be a secret itself.
        let isMoved = former["url"] != fields["url"] || given["url"] != nil
        if isMoved, let key = kept.keys.first(where: { $0 != "url" }) {
            throw .badRequest(
                "give it again: the address has changed, and no secret goes to another server "
                    + "unasked",
                at: "/secrets/\(key)"
            )
        }
        for (key, text) in given.sorted(by: { $0.key < $1.key }) {
            guard !text.isEmpty else { throw .badRequest("is empty", at: "/secrets/\(key)") }
            kept[key] = Secret(text)
        }
        let entry = CourierOverlay.Entry(section: change.section, fields: fields)
        var next = overlay
        next.set(id, entry, kept)
        var configuration = file
        for other in next.entries.keys.sorted() where other != id {
            // One that is left out is reported, and hinders no other.
            do throws(ControlFailure) { try configuration.add(other, next, presets) } catch {
                continue
            }
        }
        try configuration.add(id, next, presets)
        return next
    }

    /// Refuses names of secrets, whose values would go to any server.
    ///
    /// Only root may name one of the administrator, as root could write `courier.json`; an entry
    /// may keep what it has at the same address.
    private func demandOwnSecrets(
        _ fields: [String: JSONValue],
        of id: String,
        by asker: QuestionAsker
    ) throws(ControlFailure) {
        let former = overlay.entries[id]?.fields ?? [:]
        for (key, value) in fields.sorted(by: { $0.key < $1.key }) {
            guard case .object(let inner) = value, inner["secret"] != nil else { continue }
            let isKept = former[key] == value && former["url"] == fields["url"]
            let isForeign = asker.user != .root && !isKept
            guard isForeign || CourierConfiguration.isOwnSecret(value) else { continue }
            throw .badRequest("give the value of a secret, and not its name", at: "/entry/\(key)")
        }
    }

    private static func fields(_ text: String) throws(ControlFailure) -> [String: JSONValue] {
        let bytes = Array(text.utf8)
        let value: JSONValue
        do throws(JSONParser.Fault) { value = try JSONParser.parse(bytes) } catch {
            let reason = JSONParser.text(for: error, in: bytes)
            throw .badRequest("is not JSON: \(reason)", at: "/entry")
        }
        guard case .object(var fields) = value else {
            throw .badRequest("is an object, such as {\"type\": \"ntfy\"}", at: "/entry")
        }
        fields["id"] = nil
        return fields
    }

    private nonisolated func locked(_ id: String) -> ControlFailure {
        ControlFailure(
            code: .conflict,
            message: "\(id) is set in courier.json, which counts; change it there",
            pointer: "/id"
        )
    }

    private func unknown(_ id: String) -> ControlFailure {
        let known = merged.configuration.entries.map(\.id).joined(separator: ", ")
        return ControlFailure(
            code: .notFound,
            message: "there is no \(PlainText.shown(id)); there are "
                + (known.isEmpty ? "no targets" : known),
            pointer: "/target"
        )
    }

    // MARK: Reports

    private func origin(of id: String) -> SettingReport.Origin { file.hasEntry(id) ? .file : .ui }

    /// Adds to a report what the owner set: origins, what is not in use, what cannot be read.
    ///
    /// - Parameter cardTrouble: Why a card's backup is not restored; nil where it is.
    func completed(_ report: CourierReport, cardTrouble: String?) -> CourierReport {
        var report = report
        for index in report.targets.indices {
            report.targets[index].origin = origin(of: report.targets[index].id)
        }
        for index in report.receivers.indices {
            report.receivers[index].origin = origin(of: report.receivers[index].id)
        }
        (report.leftOut, report.settingsTrouble) = (merged.leftOut, trouble ?? cardTrouble)
        return report
    }

    /// Returns the options of an entry, without values of secrets.
    ///
    /// - Throws: `ControlFailure` `not-found`.
    func report(of id: String) throws(ControlFailure) -> EntryReport {
        guard let entry = merged.configuration.entries.first(where: { $0.id == id }),
            let section = entry.section, case .object(var fields) = entry.source
        else {
            // One that is left out is still there to be mended.
            guard let own = overlay.entries[id] else { throw unknown(id) }
            return EntryReport(
                id: id,
                section: own.section,
                origin: .ui,
                entry: JSONValue.object(own.fields).text
            )
        }
        fields["id"] = nil
        return EntryReport(
            id: id,
            section: section,
            origin: origin(of: id),
            entry: JSONValue.object(fields).text
        )
    }

    /// Returns the configuration that a trial is of, with the secrets that it names.
    ///
    /// - Throws: `ControlFailure` as `configure`; nothing is changed.
    func trial(
        _ question: TryEntry,
        by asker: QuestionAsker
    ) throws(ControlFailure) -> (entry: ConnectorEntry, secrets: any SecretSource) {
        var configuration = merged.configuration
        guard let section = question.section, let text = question.entry else {
            guard let entry = configuration.entries.first(where: { $0.id == question.target })
            else { throw unknown(question.target) }
            return (entry, secrets)
        }
        let given = Given(section, text, question.secrets, asker)
        let next = try checked(question.target, given)
        configuration = file
        try configuration.add(question.target, next, presets)
        guard let entry = configuration.entries.first(where: { $0.id == question.target }) else {
            throw unknown(question.target)
        }
        let own = OwnSecrets(before: secrets)
        own.set(next.named)
        return (entry, own)
    }
}
