import ControlProtocol

/// Whether a station on trial is as good as it was before the update.
package enum TrialJudge {
    package enum Verdict: Hashable, Sendable {
        case good
        /// Not yet, and why.
        case waits(String)
    }

    /// A station that restarts again and again never runs for so long.
    package static let settlingSeconds = 60.0

    /// How the station is before an update.
    ///
    /// - Parameters:
    ///   - status: What it says.
    ///   - remote: Devices that are in the network: what becomes of them is not the update's.
    /// - Returns: What is to be compared later.
    package static func baseline(_ status: StatusReport, remote: Set<String>) -> UpdateBaseline {
        let fresh = status.channels.filter { channel in
            channel.latest?.value != nil && !channel.isStale && channel.intervalSeconds != nil
                && !remote.contains(device(of: channel.channel))
        }
        return UpdateBaseline(
            reasons: (status.health?.reasons ?? status.faults.map(\.id)).sorted(),
            channels: fresh.map(\.channel).sorted(),
            hasStore: status.store != nil
        )
    }

    private static func device(of channel: String) -> String {
        String(channel.prefix { $0 != "/" })
    }

    /// - Parameters:
    ///   - status: What the station on trial says.
    ///   - before: How it was; nil where it was not asked, or did not answer.
    /// - Returns: Whether it is good.
    package static func verdict(_ status: StatusReport, before: UpdateBaseline?) -> Verdict {
        if let store = status.store {
            guard store.state == .ok || store.state == nil else {
                return .waits("the store is \(store.state.map(\.rawValue) ?? "not open")")
            }
        } else if before?.hasStore == true {
            return .waits("the station has no store, and had one before")
        }
        guard status.uptimeSeconds >= settlingSeconds else {
            return .waits("the station runs for \(Int(status.uptimeSeconds)) s")
        }
        guard let before else { return .good }
        let reasons = status.health?.reasons ?? status.faults.map(\.id)
        let new = reasons.filter { !before.reasons.contains($0) && !isOfNetwork($0, before) }
        if let first = new.sorted().first { return .waits("a fault that was not there: \(first)") }
        let measured = Set(status.channels.filter { hasNewValue($0, status) }.map(\.channel))
        let missing = before.channels.filter { !measured.contains($0) }
        guard missing.isEmpty else { return .waits("no first value of \(missing[0])") }
        return .good
    }

    /// A value that this start measured, not one that the store remembers.
    private static func hasNewValue(_ channel: ChannelReport, _ status: StatusReport) -> Bool {
        guard let age = channel.valueAgeSeconds else { return false }
        return age < status.uptimeSeconds
    }

    /// Whether a reason is of a device that the baseline does not count on.
    ///
    /// Devices in the network come and go by themselves; only a device whose values were fresh and
    /// whose wire ends at the board speaks for the update.
    private static func isOfNetwork(_ reason: String, _ before: UpdateBaseline) -> Bool {
        let parts = reason.split(separator: ":", maxSplits: 1)
        let kinds: Set = ["late", "device-away", "device-unusable", "sensor-silent"]
        guard parts.count == 2, kinds.contains(String(parts[0])) else { return false }
        return !before.channels.contains { device(of: $0) == parts[1] }
    }
}
