import Configuration
import ControlProtocol
import Core
import HardwareIO
import Profiles

/// Carries out `settings`, `set`, `configure`, `remove` and `record`.
struct ControlSettings {
    let station: StationState

    private var configuration: StationConfiguration { station.configuration }
    private var devices: DeviceBranch { DeviceBranch(station: station) }

    /// Every setting, with its value and where that comes from.
    var report: SettingsReport {
        let overlay = station.settings.overlay
        return SettingsReport(
            tag: overlay.tag,
            settings: StationSetting.all.map { $0.report(configuration, overlay) }
        )
    }

    /// A device's report with what a person can change of it.
    func shown(_ report: DeviceReport) -> DeviceReport {
        var report = report
        let configuration = configuration
        report.origin = station.origin(of: report.name)?.rawValue
        report.title = configuration.titles[report.name]
        report.records = !configuration.unrecorded.contains(report.name)
        report.hasFixedInterval = configuration.fixedIntervals.contains(report.name)
        (report.shows, report.follows) = ControlLamps(station: station).shown(report.name)
        report.resets = configuration.devices.first { $0.name == report.name }?.resets
        return report
    }

    // MARK: Changes

    /// Changes settings by a merge patch; null takes one back.
    ///
    /// - Throws: `ControlFailure`; nothing is changed then.
    func set(_ question: ChangeSettings, by asker: ControlAsker) async throws {
        let patch = try Self.object(question.patch, "patch", as: #"{"zone": "Europe/Berlin"}"#)
        for key in patch.keys.sorted() where StationSetting(key) == nil {
            let known = StationSetting.all.map(\.key)
            let nearest = Spelling.nearest(to: key, among: known).map { "; did you mean \($0)?" }
            throw ControlFailure(
                code: .unknownField,
                message: "there is no setting \(PlainText.shown(key)), but "
                    + known.joined(separator: ", ") + (nearest ?? ""),
                pointer: "/" + PlainText.shown(key)
            )
        }
        let configuration = configuration
        let locked = patch.keys.sorted().first { key in
            patch[key] != .null && StationSetting(key)?.isLocked(configuration) == true
        }
        if let locked {
            throw ControlFailure(
                code: .conflict,
                message: "\(locked) is set in \(configuration.file), which counts; change it there",
                pointer: "/\(locked)"
            )
        }
        try await change(asker, question.tag) { overlay throws(ControlFailure) in
            overlay.patched(by: patch)
        }
    }

    /// Reads a field of a question that holds an object as JSON text.
    static func object(
        _ text: String,
        _ field: String,
        as example: String
    ) throws(ControlFailure) -> [String: JSONValue] {
        let bytes = Array(text.utf8)
        do throws(JSONParser.Fault) {
            if case .object(let fields) = try JSONParser.parse(bytes) { return fields }
        } catch {
            let words = JSONParser.text(for: error, in: bytes)
            throw .badRequest("\(field) is not JSON: \(words)")
        }
        throw .badRequest("\(field) is an object, as \(example)")
    }

    /// Changes what the settings say of an alert rule.
    func change(
        rule: String,
        by asker: ControlAsker,
        _ make: (StationOverlay) throws(ControlFailure) -> StationOverlay
    ) async throws {
        try await change(asker, nil, at: .rule(rule), make)
    }

    /// Replaces them all by those of a backup; what does not count here is said by its problems.
    func restore(_ overlay: StationOverlay, by asker: ControlAsker) async throws {
        let changes = try await station.settings.change(
            in: configuration.store?.folder,
            { _ in overlay },
            then: { devices.follow($0) }
        )
        for change in changes { record(change, asker) }
    }

    /// Adds a device on the network or on pins, or changes what may be changed of a device.
    func configure(_ question: ConfigureDevice, by asker: ControlAsker) async throws {
        let name = question.device
        try Self.demandName(name)
        var fields: [String: JSONValue] = [:]
        if let seconds = question.seconds { fields["intervalSeconds"] = .number(seconds) }
        if let title = question.title { fields["title"] = title.isEmpty ? .null : .string(title) }
        if let isOn = question.isOn { fields["record"] = isOn ? .null : .bool(false) }
        if let address = question.address {
            fields["address"] = .string(address.contains("://") ? address : "http://" + address)
        }
        if let type = question.profile { fields["type"] = .string(type) }
        fields.merge(try ControlLamps(station: station).fields(of: question)) { _, lamp in lamp }
        // Before anything is looked at: another owner may change it while the disk is read.
        let lines = try await ControlPins(station: station).fields(of: question)
        fields.merge(lines) { _, line in line }
        fields.merge(try await ControlPins(station: station).resets(question)) { $1 }
        let origin = station.origin(of: name)
        let hasPlace = question.address != nil || question.line != nil || question.lines != nil
        if origin == nil, question.profile == nil || !hasPlace { throw unknown(name) }
        let does = question.shows != nil || question.follows != nil || question.resets != nil
        let describesIt = hasPlace || question.profile != nil || does
        if describesIt, let origin, origin != .owner {
            throw ControlFailure(
                code: .conflict,
                message: origin == .file
                    ? "\(name) is configured in \(configuration.file); change it there, then "
                        + "`sudo systemctl reload roostd`"
                    : "\(name) is a device that was found, and has no address",
                pointer: Self.place(of: question)
            )
        }
        if question.isNew == true, origin != nil {
            throw ControlFailure(
                code: .conflict,
                message: "there is a device \(name) already; choose another name",
                pointer: "/name"
            )
        }
        try await change(asker, question.tag, at: .device(name)) { overlay throws(ControlFailure) in
            overlay.patched(by: ["devices": .object([name: .object(fields)])])
        }
    }

    /// Adds a part on a bus that is read without a driver, under a name that is free.
    func add(_ profile: String, at port: String, by asker: ControlAsker) async throws {
        let parts = profile.split(separator: "-").map(String.init)
        let base = parts.dropFirst().filter { $0 != "direct" }.joined(separator: "-")
        let names = [base] + (2...99).map { "\(base)-\($0)" }
        let name = names.first { station.origin(of: $0) == nil } ?? base
        let fields: [String: JSONValue] = ["type": .string(profile), "port": .string(port)]
        try await change(asker, nil, at: .device(name)) { overlay throws(ControlFailure) in
            overlay.patched(by: ["devices": .object([name: .object(fields)])])
        }
    }

    /// Gives a device that the owner added another name; what it has measured goes with it.
    func rename(_ old: String, to name: String, by asker: ControlAsker) async throws {
        guard station.origin(of: name) == nil else {
            throw ControlFailure(
                code: .conflict,
                message: "there is a device \(name) already; choose another name",
                pointer: "/name"
            )
        }
        let make = { (overlay: StationOverlay) throws(ControlFailure) -> StationOverlay in
            let fields = overlay.device(old)
            return overlay.patched(by: ["devices": .object([old: .null, name: .object(fields)])])
                .following(old, as: name)
        }
        try await change(asker, nil, at: .device(name), carrying: old, make)
        await devices.keepMutes(of: name)
    }

    /// Removes a device that the owner added; what it measured stays.
    func remove(_ name: String, by asker: ControlAsker) async throws {
        try Self.demandName(name)
        switch station.origin(of: name) {
        case .owner: break
        case .file:
            throw ControlFailure(
                code: .conflict,
                message: "\(name) is configured in \(configuration.file); remove it there, then "
                    + "`sudo systemctl reload roostd`"
            )
        case .found:
            throw ControlFailure(
                code: .conflict,
                message: "\(name) was found by itself; use `roost devices forget` or "
                    + "`roost devices ignore`"
            )
        case nil: throw unknown(name)
        }
        try await change(asker, nil) { overlay throws(ControlFailure) in
            overlay.patched(by: ["devices": .object([name: .null])]).following(name, as: nil)
        }
    }

    /// Keeps the values of a device, or only shows them.
    func record(_ question: RecordDevice, by asker: ControlAsker) async throws {
        let name = question.device
        try Self.demandName(name)
        let measures = configuration.devices.first { $0.name == name }
            .map { $0.sampleInterval(isContinuous: false) != nil }
        guard let origin = station.origin(of: name) else { throw unknown(name) }
        guard measures ?? (origin == .found) else {
            throw ControlFailure.badRequest(
                "\(name) has no values that could be kept; its events are always kept"
            )
        }
        try await change(asker, question.tag, at: .device(name)) { overlay throws(ControlFailure) in
            let value: JSONValue = question.isOn ? .null : .bool(false)
            return overlay.patched(by: [
                "devices": .object([name: .object(["record": value])])
            ])
        }
    }

    /// Moves what is kept of a detected device to its new name, or drops it.
    func follow(_ old: String, to name: String?, by asker: ControlAsker) async throws {
        let before = station.settings.overlay
        guard !before.device(old).isEmpty || before.following(old, as: name) != before else {
            return
        }
        try await change(asker, nil) { overlay throws(ControlFailure) in
            let fields = JSONValue.object(overlay.device(old))
            let moved = name.map { [old: JSONValue.null, $0: fields] } ?? [old: .null]
            return overlay.patched(by: ["devices": .object(moved)]).following(old, as: name)
        }
    }

    // MARK: Parts

    /// The field of a question that only a device which was added has.
    private static func place(of question: ConfigureDevice) -> String {
        if question.address != nil { return "/address" }
        if question.line != nil || question.lines != nil { return "/line" }
        if question.shows != nil { return "/shows" }
        if question.resets != nil { return "/resets" }
        return question.follows != nil ? "/follows" : "/address"
    }

    private static func demandName(_ name: String) throws(ControlFailure) {
        guard !PlainName.fits(name) else { return }
        throw .badRequest("device is a name of \(PlainName.form)", at: "/name")
    }

    private func unknown(_ name: String) -> ControlFailure {
        ControlFailure(
            code: .notFound,
            message: "there is no device \(PlainText.shown(name)); `roost devices` lists them, and "
                + "a new one needs its type, and its address or its line"
        )
    }

    /// The part of the settings that a question is about: mistakes are named within it.
    private enum Subject {
        case device(String)
        case rule(String)
    }

    private func change(
        _ asker: ControlAsker,
        _ tag: String?,
        at subject: Subject? = nil,
        carrying former: String? = nil,
        _ make: (StationOverlay) throws(ControlFailure) -> StationOverlay
    ) async throws {
        let changes = try await station.settings.change(
            in: configuration.store?.folder,
            { overlay throws(ControlFailure) in
                if let tag, tag != overlay.tag {
                    throw ControlFailure(
                        code: .precondition,
                        message: "the settings were changed meanwhile, and stay so; read them again"
                    )
                }
                let next = try make(overlay)
                try check(next, after: overlay, subject)
                return next
            },
            then: { next in
                // Only once the new name is on the card, and before the device begins anew: its
                // first sample under that name would begin another record.
                if let former, case .device(let device)? = subject {
                    devices.carryPast(of: former, to: device)
                }
                devices.follow(next)
            }
        )
        for change in changes { record(change, asker) }
    }

    /// Refuses what would not count, and names its place.
    private func check(
        _ next: StationOverlay,
        after overlay: StationOverlay,
        _ subject: Subject?
    ) throws(ControlFailure) {
        if next.devices.count > StationOverlay.deviceLimit {
            throw ControlFailure(
                code: .busy,
                message: "\(StationOverlay.deviceLimit) devices have settings; remove one first"
            )
        }
        let before = Set(station.problems(of: overlay))
        guard let first = station.problems(of: next).first(where: { !before.contains($0) }) else {
            return
        }
        let place = Place(first.place, in: subject)
        var message = first.message
        if case .device(let device)? = subject, let other = place.device, other != device {
            // If two devices have one place, the one whose name sorts second is reported.
            switch place.key {
            case "address": message = "is the address of \(other) too"
            case "line", "red", "yellow", "green": message = UsedLine.conflict(with: other)
            default: break
            }
        }
        let key = place.key
        let hint = first.suggestion.map { "; did you mean \($0)?" } ?? ""
        let isLocked = first.message.hasPrefix("is set in ")
        throw ControlFailure(
            code: isLocked ? .conflict : .badRequest,
            message: (key.isEmpty ? "" : "\(key): ") + message + hint,
            pointer: ConfigurationProblem.pointer(key),
            key == "position" && !isLocked ? .position : nil
        )
    }

    /// Splits `devices.board.address` into a device and a key; any other place is only a key, that
    /// of a rule within it.
    private struct Place {
        let device: String?
        let key: String

        init(_ text: String, in subject: Subject?) {
            if case .rule(let id)? = subject, text.hasPrefix("alerts.rules.\(id)") {
                (device, key) = (nil, String(text.dropFirst("alerts.rules.\(id).".count)))
                return
            }
            let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
            guard parts.count == 2, parts[0] == "devices" else {
                (device, key) = (nil, text)
                return
            }
            // A name may hold dots, and no key does.
            let end = parts[1].lastIndex(of: ".") ?? parts[1].endIndex
            device = String(parts[1][..<end])
            key = String(parts[1][end...].dropFirst())
        }
    }

    private func record(_ change: StationOverlay.Change, _ asker: ControlAsker) {
        station.context.recorder.record(
            Event(
                at: station.context.clock.now,
                source: "settings",
                kind: .plain(.settingsChanged),
                severity: .notice,
                details: [
                    Event.Detail("setting", change.key),
                    Event.Detail("before", change.before ?? "default"),
                    Event.Detail("now", change.after ?? "default"),
                ] + asker.details
            )
        )
    }
}
