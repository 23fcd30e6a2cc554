import ControlProtocol
import Core
import HardwareIO

extension DetectionMachine {
    /// All plugged-in adapters that are not configured, then all known devices that are absent.
    func list(at now: MonotonicInstant) -> [FoundReport] {
        let present = sortedPaths.compactMap { ports[$0] }.filter { $0.standing != .claimed }
        let here = Set(present.compactMap(\.adopted))
        let away = registry.records.filter { record in
            !here.contains(record.key) && isOwnEntry(record.value)
                && !present.contains { $0.standing == .ignored(identity: record.key) }
        }
        return present.map { report($0, at: now) }
            + away.sorted { $0.key < $1.key }.map { report($0.key, $0.value, at: now) }
    }

    /// Absent devices that are not ignored, and faulty adapters; empty while detection is off.
    var missing: [StationFacts.Missing] {
        guard isOn else { return [] }
        let present = sortedPaths.compactMap { ports[$0] }.filter { $0.standing != .claimed }
        let here = Set(present.compactMap(\.adopted))
        let away = registry.records.compactMap { identity, record -> StationFacts.Missing? in
            guard let name = record.name, isOwnEntry(record), !record.isIgnored,
                !here.contains(identity)
            else { return nil }
            return StationFacts.Missing(
                subject: name,
                isAdapter: false,
                since: leftAt[identity],
                words: identity
            )
        }
        let faulty = present.compactMap { port -> StationFacts.Missing? in
            guard case .faulty(let why, _) = port.standing else { return nil }
            return StationFacts.Missing(
                subject: port.node,
                isAdapter: true,
                since: port.since,
                words: why
            )
        }
        return away + faulty
    }

    /// Whether the device has a name, and no device of the configuration has the same.
    private func isOwnEntry(_ record: DeviceRecord) -> Bool {
        record.name.map { !takenNames.contains($0) } ?? false
    }

    private func report(_ port: Port, at now: MonotonicInstant) -> FoundReport {
        let (state, why) = text(for: port, at: now)
        let identity = identity(of: port)
        let record = record(identity)
        return FoundReport(
            state: state,
            why: why,
            name: record?.name,
            identity: identity,
            profile: record?.profile,
            node: port.node,
            usb: port.usb.isEmpty ? nil : port.usb,
            path: port.device.devpath
        )
    }

    private func report(
        _ identity: String,
        _ record: DeviceRecord,
        at now: MonotonicInstant
    ) -> FoundReport {
        let gone = leftAt[identity].map { "unplugged \(Int($0.duration(to: now).inSeconds)) s ago" }
        return FoundReport(
            state: record.isIgnored ? "ignored" : "absent",
            why: gone ?? "not seen since the station started",
            name: record.name,
            identity: identity,
            profile: record.profile,
            node: nil,
            usb: nil,
            path: nil
        )
    }

    /// Describes when the adapter is probed again; empty when no instant lies ahead.
    private func again(_ instant: MonotonicInstant?, at now: MonotonicInstant) -> String {
        guard let instant, now < instant else { return "" }
        let time = now.duration(to: instant).wholeSeconds
        return "; looked at again in \(time), or by roost devices adopt"
    }

    private func text(for port: Port, at now: MonotonicInstant) -> (String, String) {
        switch port.standing {
        case .found(let until, let why):
            if !isOn { return ("found", "detection is off") }
            return ("found", (why.isEmpty ? "waits for its turn" : why) + again(until, at: now))
        case .probing:
            let since = Int(port.since.duration(to: now).inSeconds)
            return ("probing", "for \(since) s; fits \(candidates(for: port).count) profiles")
        case .adopted:
            if port.forced != nil { return ("adopted", "chosen by a person") }
            let isSensor = port.device.sensorName != nil
            return ("adopted", isSensor ? "known by its driver" : "proved by a probe")
        case .ignored: return ("ignored", "a person chose that; roost devices adopt ends it")
        case .unknown(let why, _): return ("unknown", why)
        case .faulty(let why, let retryAt): return ("faulty", why + again(retryAt, at: now))
        case .claimed: return ("claimed", "configured")
        }
    }
}

extension Duration {
    /// In seconds, rounded up: `17 s`.
    var wholeSeconds: String { "\(Int(inSeconds.rounded(.up))) s" }
}
