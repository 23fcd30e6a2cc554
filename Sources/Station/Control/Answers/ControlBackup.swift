import Configuration
import ControlProtocol
import Core
import Profiles

/// Carries out `back-up` and `restore`: settings, rules, names of devices, hours of lasers.
struct ControlBackup: Sendable {
    let station: StationState
    let settings: ControlSettings

    private var lasers: LaserHours { station.context.lasers }

    /// The station's part; it has no secrets.
    func part() async throws -> BackupPartReport {
        let content = StationPart(
            settings: String(decoding: station.settings.overlay.text, as: UTF8.self),
            names: try await names(),
            laserSeconds: lasers.seconds
        )
        return BackupPartReport(content: try ControlCodec.line(content))
    }

    private func names() async throws -> [String: String] {
        try await station.store.settings().filter { $0.key.hasPrefix(DeviceRegistry.keyPrefix) }
    }

    /// - Throws: `ControlFailure`; nothing is changed for a content that cannot be read.
    func restore(_ question: RestorePart, by asker: ControlAsker) async throws -> RestoreReport {
        let content: StationPart
        let next: StationOverlay
        do {
            content = try ControlCodec.message(StationPart.self, from: question.content)
            next = try StationOverlay.read(Array(content.settings.utf8), file: "settings")
        } catch {
            throw ControlFailure.badRequest("the part of roostd cannot be read: \(error)")
        }
        guard content.names.keys.allSatisfy({ $0.hasPrefix(DeviceRegistry.keyPrefix) }) else {
            throw ControlFailure.badRequest("the part of roostd has names of no device")
        }
        guard content.laserSeconds.values.allSatisfy(LaserHours.secondsRange.contains) else {
            throw ControlFailure.badRequest("the part of roostd has hours of no laser")
        }
        guard station.store.isOpen, lasers.isLoaded else {
            throw ControlFailure(code: .busy, message: "the station is just starting: try again")
        }
        let before = try await names()
        let report = report(from: before, to: next, content)
        guard !question.isTrial else { return report }
        try await settings.restore(next, by: asker)
        // Names are in use when the station starts next: detection reads them once.
        try await RestoredRecords(store: station.store, context: station.context).apply(content)
        return report
    }

    private func report(
        from names: [String: String],
        to next: StationOverlay,
        _ content: StationPart
    ) -> RestoreReport {
        let before = station.settings.overlay
        var items = Self.items(.setting, before.plain, next.plain)
        for index in items.indices {
            guard case .string(let text)? = next.fields[items[index].name] else { continue }
            items[index].value = text
        }
        items += Self.items(.rule, before.rules, next.rules)
        items += Self.items(.device, before.devices, next.devices)
        mark(&items, next)
        for (key, value) in content.names.sorted(by: { $0.key < $1.key }) where names[key] != value
        {
            var item = RestoreReport.Item(
                .device,
                String(key.dropFirst(DeviceRegistry.keyPrefix.count)),
                names[key] == nil ? .added : .changed
            )
            item.next = "its name is in use when the station starts next"
            items.append(item)
        }
        let seconds = lasers.seconds
        items += content.laserSeconds.keys.sorted().map { part in
            let (before, after) = (seconds[part], content.laserSeconds[part] ?? 0)
            guard let before else { return RestoreReport.Item(.laser, part, .added) }
            return RestoreReport.Item(.laser, part, before < after ? .changed : .same)
        }
        return RestoreReport(items)
    }

    private static func items(
        _ kind: RestoreReport.Kind,
        _ before: [String: JSONValue],
        _ next: [String: JSONValue]
    ) -> [RestoreReport.Item] {
        Set(before.keys).union(next.keys).sorted().compactMap {
            RestoreReport.Item(kind, $0, before[$0], next[$0])
        }
    }

    /// Says which of the settings do not count here, such as those of the configuration file.
    private func mark(_ items: inout [RestoreReport.Item], _ next: StationOverlay) {
        for problem in station.problems(of: next) {
            let index = items.firstIndex { item in
                let place =
                    switch item.kind {
                    case .rule: "alerts.rules.\(item.name)"
                    case .device: "devices.\(item.name)"
                    default: item.name
                    }
                return problem.place == place || problem.place.hasPrefix(place + ".")
            }
            if let index { items[index].next = "\(problem.place): \(problem.message)" }
        }
    }
}

extension StationOverlay {
    /// Settings that are neither devices nor rules.
    fileprivate var plain: [String: JSONValue] {
        fields.filter { $0.key != "devices" && $0.key != "alerts" }
    }
}
