import ControlProtocol
import Core
import FileIO
import HardwareIO
import Profiles
import Synchronization

/// The camera's configuration: `eyes.json`, and behind it what the owner set while it ran.
///
/// A change is in use only once it is on the card. Settings that cannot be used keep the camera
/// off, as they may hold masks, and are never written over by a change. What reads or writes
/// blocks, and belongs on one thread, one call after another.
package final class EyesSettings: Sendable {
    private struct State {
        var own = EyesOverlay()
        /// What was before the last change; nil before the first.
        var former: EyesOverlay?
        var trouble: String?
        var inUse: EyesConfiguration?
        var version = 0
    }

    private let file: [String: JSONValue]
    /// Path of `eyes.json`.
    private let path: String
    private let folder: String
    private let state = Mutex(State())
    /// Raised at each change of what is in use; one task waits for it.
    package let hasChanged = Signal()

    /// - Parameters:
    ///   - file: What `eyes.json` has; empty where there is none.
    ///   - path: Its path.
    ///   - folder: Has the owner's settings.
    package init(_ file: [String: JSONValue], path: String, folder: String) {
        (self.file, self.path, self.folder) = (file, path, folder)
    }

    /// Reads `eyes.json` by itself.
    ///
    /// - Returns: Its values, and their configuration; nil where it names no camera, so that the
    ///   owner chooses one.
    /// - Throws: `ConfigurationError` with all mistakes at once.
    package static func read(
        _ bytes: [UInt8],
        file: String
    ) throws(ConfigurationError) -> (values: [String: JSONValue], alone: EyesConfiguration?) {
        let root = try EyesConfiguration.parse(bytes, file: file)
        guard case .object(let values) = root else {
            throw ConfigurationError(file: file, message: "no object, but \(root.shown)")
        }
        return (values, try EyesOverlay().configuration(behind: values, named: file))
    }

    /// What is in use, nil while the camera is off, and a number that changes with it.
    package var inUse: (configuration: EyesConfiguration?, version: Int) {
        state.withLock { ($0.inUse, $0.version) }
    }

    /// Why the owner's settings are not used; nil while they are.
    package var trouble: String? { state.withLock { $0.trouble } }

    /// The configuration with its defaults where it is off, for what is shown meanwhile.
    package var shown: EyesConfiguration {
        get throws(ConfigurationError) {
            if let inUse = inUse.configuration { return inUse }
            var file = file
            if file["command"] == nil, file["camera"] == nil { file["camera"] = .object([:]) }
            return try EyesConfiguration(.object(file), file: path)
        }
    }

    // MARK: - Reading

    /// Reads what the owner set; called once, before anything begins.
    package func load() {
        do {
            let own = try read(EyesOverlay.name) ?? EyesOverlay()
            let configuration = try own.configuration(behind: file)
            state.withLock { ($0.own, $0.inUse) = (own, configuration) }
        } catch {
            let reason = PlainText.shown("\(error)", limit: 400)
            state.withLock {
                $0.trouble = "the camera is off, as its settings cannot be used: \(reason)"
            }
        }
        // A copy that cannot be read is none: it only takes a change back.
        if let former = try? read(EyesOverlay.last) { state.withLock { $0.former = former } }
    }

    private func read(_ name: String) throws -> EyesOverlay? {
        let limit = EyesOverlay.byteLimit
        let bytes = try Files.readIfThere("\(folder)/\(name)", limit: limit)
        return try bytes.map { try EyesOverlay($0, file: name) }
    }

    // MARK: - Changes

    /// Puts other settings in place of the owner's.
    ///
    /// - Throws: `ControlFailure`: nothing was changed.
    package func change(_ question: ChangeCamera) throws(ControlFailure) {
        try demand(question.tag)
        if let trouble {
            throw ControlFailure(
                code: .store,
                message: "\(trouble); they are not written over: mend or remove "
                    + "\(folder)/\(EyesOverlay.name), or take the last change back"
            )
        }
        let next = try checked(question.settings)
        try replace(with: next.own, next.configuration)
    }

    /// Brings back what was before the last change; settings that cannot be used are put aside.
    ///
    /// - Throws: As `change`.
    package func undo(_ question: UndoCamera) throws(ControlFailure) {
        try demand(question.tag)
        let (former, isInTrouble) = state.withLock { ($0.former, $0.trouble != nil) }
        guard let former else {
            throw ControlFailure(code: .notFound, message: "there is no change to take back")
        }
        let configuration: EyesConfiguration?
        do { configuration = try former.configuration(behind: file) } catch {
            throw Self.refusal(error)
        }
        if isInTrouble { try setAside() }
        try replace(with: former, configuration)
    }

    /// The configuration with other settings of the owner, for a trial.
    ///
    /// - Throws: `ControlFailure` that names the setting, or the trouble of those in use.
    package func tried(_ settings: String?) throws(ControlFailure) -> EyesConfiguration? {
        // What cannot be used may hold masks.
        if let trouble { throw ControlFailure(code: .store, message: trouble) }
        guard let settings else { return inUse.configuration }
        return try checked(settings).configuration
    }

    /// `eyes.json` with what the owner has set, for another card.
    ///
    /// - Throws: `ControlFailure` for settings that cannot be used.
    package func exported() throws(ControlFailure) -> ExportedFile {
        if let trouble { throw ControlFailure(code: .store, message: trouble) }
        let own = state.withLock { $0.own }
        let (merged, choosesCamera) = (own.behind(file), own.choosesCamera(behind: file))
        do throws(ConfigurationError) {
            return try ExportedCamera(merged, choosesCamera: choosesCamera).file
        } catch { throw Self.refusal(error) }
    }

    /// What the owner has set, for a backup.
    ///
    /// - Throws: `ControlFailure` `store` for settings that cannot be used.
    package func backup() throws(ControlFailure) -> BackupPartReport {
        if let trouble { throw ControlFailure(code: .store, message: trouble) }
        return BackupPartReport(content: state.withLock { $0.own.text })
    }

    /// Puts a backup in place of what the owner has set; damaged ones are put aside.
    ///
    /// What `eyes.json` sets counts more, and is said.
    ///
    /// - Throws: As `change`.
    package func restore(_ question: RestorePart) throws(ControlFailure) -> RestoreReport {
        let (own, isInTrouble) = state.withLock { ($0.own, $0.trouble != nil) }
        let restored: RestoredCamera
        do {
            restored = try RestoredCamera(question.content, over: own, behind: file) { key in
                isFixed(key) ? "\(path) has the say about it" : nil
            }
        } catch { throw Self.refusal(error) }
        guard !question.isTrial, isInTrouble || restored.next != own else {
            return restored.report
        }
        if isInTrouble { try setAside() }
        try replace(with: restored.next, restored.configuration)
        return restored.report
    }

    private func demand(_ tag: String?) throws(ControlFailure) {
        guard let tag, tag != state.withLock({ $0.own.tag }) else { return }
        throw ControlFailure(
            code: .conflict,
            message: "the settings of the camera were changed meanwhile; look at them again"
        )
    }

    private func checked(
        _ text: String
    ) throws(ControlFailure) -> (own: EyesOverlay, configuration: EyesConfiguration?) {
        do {
            let own = try EyesOverlay(Array(text.utf8))
            let before = state.withLock { $0.own.leaves }
            for (key, value) in own.leaves.sorted(by: { $0.key < $1.key })
            where before[key] != value && isFixed(key) {
                throw ControlFailure(
                    code: .conflict,
                    message: "\(key) is set in \(path), which counts; change it there",
                    pointer: ConfigurationProblem.pointer(key)
                )
            }
            let configuration = try own.configuration(behind: file)
            if let lack = configuration?.cover.lack, before["covers"] != own.leaves["covers"] {
                throw ControlFailure(
                    code: .badRequest,
                    message: "\(lack)",
                    pointer: ConfigurationProblem.pointer("covers")
                )
            }
            return (own, configuration)
        } catch let error as ConfigurationError {
            throw Self.refusal(error)
        } catch let failure as ControlFailure {
            throw failure
        } catch {
            throw ControlFailure(code: .internal, message: "\(error)")
        }
    }

    /// Whether `eyes.json` sets this, so that what the owner says counts nothing.
    ///
    /// A camera of the file is there without a device, too: then it is any.
    private func isFixed(_ key: String) -> Bool {
        EyesOverlay.leaves(file)[key] != nil || isProgram(key)
            || key == "camera.device" && file["camera"] != nil
    }

    /// Whether a program of `eyes.json` has the place of this setting; one for pictures alone can
    /// give no live picture.
    private func isProgram(_ key: String) -> Bool {
        guard file["command"] != nil else { return false }
        return key.hasPrefix("camera.") || key.hasPrefix("live.") && file["live"] == nil
    }

    private static func refusal(_ error: ConfigurationError) -> ControlFailure {
        let place = error.problems.first?.place ?? ""
        return ControlFailure(
            code: .badRequest,
            message: error.problems.map(\.description).joined(separator: "; "),
            pointer: place.isEmpty ? nil : ConfigurationProblem.pointer(place)
        )
    }

    /// Settings that could not be used are no way back: the copy then stays as it was.
    private func replace(
        with next: EyesOverlay,
        _ configuration: EyesConfiguration?
    ) throws(ControlFailure) {
        let before = state.withLock { $0.trouble == nil ? $0.own : nil }
        do throws(FileError) {
            if let before { try write(EyesOverlay.last, before) }
            try write(EyesOverlay.name, next)
        } catch {
            throw ControlFailure(code: .store, message: "not changed: \(error)")
        }
        state.withLock { state in
            (state.own, state.trouble) = (next, nil)
            if let before { state.former = before }
            guard state.inUse != configuration else { return }
            state.inUse = configuration
            state.version += 1
        }
        hasChanged.raise()
    }

    private func write(_ name: String, _ overlay: EyesOverlay) throws(FileError) {
        try Files.replace("\(folder)/\(name)", with: overlay.bytes, mode: 0o640)
    }

    /// Keeps what cannot be used under another name, before it is written over.
    private func setAside() throws(ControlFailure) {
        do throws(FileError) {
            let limit = 1 << 20
            let bytes = try Files.readIfThere("\(folder)/\(EyesOverlay.name)", limit: limit)
            guard let bytes else { return }
            try Files.replace("\(folder)/\(EyesOverlay.damaged)", with: bytes, mode: 0o640)
        } catch {
            throw ControlFailure(code: .store, message: "not changed: \(error)")
        }
    }

    // MARK: - Report

    /// Every setting with its value and where that comes from.
    ///
    /// - Parameter cameras: Those that are plugged in.
    package func report(cameras: [EyesReport.Camera]) -> CameraSettingsReport {
        let state = state.withLock { $0 }
        let merged = state.own.behind(file)
        let (given, own) = (EyesOverlay.leaves(merged), state.own.leaves)
        let hasCamera = state.own.choosesCamera(behind: file)
        var standard = (try? EyesConfiguration.standard.leaves) ?? [:]
        // The size of the live picture follows that of the pictures where parts are covered.
        for key in ["live.width", "live.height"] {
            standard[key] = state.inUse?.leaves[key] ?? standard[key]
        }
        let settings = EyesOverlay.fields.map { field in
            let key = field.key
            var value = given[key] ?? standard[key] ?? .null
            if key == "camera.device", isProgram(key) || !hasCamera { value = .null }
            if key == "live.isOn", given[key] == nil { value = .bool(merged["live"] != nil) }
            var setting = CameraSettingsReport.Setting(
                key,
                EntryField.Kind(rawValue: field.kind.rawValue) ?? .text,
                value.text,
                isFixed(key) ? .file : own[key] != nil ? .ui : .default
            )
            (setting.low, setting.high) = (field.bounds?.lowerBound, field.bounds?.upperBound)
            setting.isWhole = field.isWhole ? true : nil
            return setting
        }
        var report = CameraSettingsReport(
            tag: state.own.tag,
            isOn: state.inUse != nil,
            canUndo: state.former.map { $0 != state.own || state.trouble != nil } ?? false,
            file: (path, file["command"] != nil),
            trouble: state.trouble,
            own: state.own.text
        )
        report.settings = settings
        report.cameras = cameras
        report.coverTrouble = state.inUse?.coverTrouble
        return report
    }
}
