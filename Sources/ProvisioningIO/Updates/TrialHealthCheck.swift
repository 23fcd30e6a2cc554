import ControlProtocol

/// Whether a station on trial is as good as it was before the update.
package enum TrialHealthCheck {
    package enum Verdict: Hashable, Sendable {
        case good
        /// The trial goes on, for this reason.
        case waits(String)
        /// More waiting cannot help, for this reason.
        case bad(String)
    }

    /// A station that restarts again and again never runs for so long.
    package static let settlingSeconds = 60.0
    /// Seconds after which it must have run for that long, with its store open or being opened.
    ///
    /// systemd gives a start 60 s; this is room for several on a slow card.
    static let startSecondsMax = 300.0
    /// Seconds that a station has for its first values: twice the interval, within these bounds.
    static let valueSeconds = 300.0...780.0

    /// How the station is before an update.
    ///
    /// - Parameters:
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
    ///   - elapsed: Seconds since it was first asked.
    /// - Returns: Whether it is good.
    package static func verdict(
        _ status: StatusReport,
        before: UpdateBaseline?,
        after elapsed: Double
    ) -> Verdict {
        if let why = trouble(ofStore: status.store, before: before) {
            return unstarted(why, after: elapsed)
        }
        guard status.uptimeSeconds >= settlingSeconds else {
            return unstarted("the station runs for \(Int(status.uptimeSeconds)) s", after: elapsed)
        }
        if status.store?.state == .opening { return .waits("the store is opening") }
        guard let before else { return .good }
        let reasons = status.health?.reasons ?? status.faults.map(\.id)
        let new = reasons.filter { !before.reasons.contains($0) && !isOfNetwork($0, before) }
        let measured = Set(status.channels.filter { hasNewValue($0, status) }.map(\.channel))
        let missing = before.channels.filter { !measured.contains($0) }
        let patience = missing.map { self.patience(for: $0, status) }.min()
        if let patience, status.uptimeSeconds >= patience {
            return .bad("no first value of \(missing[0]) in \(Int(status.uptimeSeconds)) s")
        }
        if let first = new.sorted().first { return .waits("a fault that was not there: \(first)") }
        return missing.isEmpty ? .good : .waits("no first value of \(missing[0])")
    }

    /// The verdict on a station that does not answer, or has not got through its start.
    ///
    /// - Parameters:
    ///   - elapsed: Seconds since it was first asked.
    /// - Returns: `waits` at first; `bad` from `startSecondsMax` on.
    package static func unstarted(_ why: String, after elapsed: Double) -> Verdict {
        elapsed >= startSecondsMax ? .bad(why) : .waits(why)
    }

    /// - Returns: Nil where the store is open, or may still be.
    private static func trouble(
        ofStore store: StoreReport?,
        before: UpdateBaseline?
    ) -> String? {
        guard let store else {
            return before?.hasStore == true ? "the station has no store, and had one before" : nil
        }
        switch store.state {
        case .ok, .opening, nil: return nil
        case .some(let state): return "the store is \(state.rawValue)"
        }
    }

    /// Seconds that the station may run without a value of a channel.
    private static func patience(for channel: String, _ status: StatusReport) -> Double {
        let interval = status.channels.first { $0.channel == channel }?.intervalSeconds
        guard let interval else { return valueSeconds.upperBound }
        return min(max(2 * interval, valueSeconds.lowerBound), valueSeconds.upperBound)
    }

    /// A value that this start measured, not one that the store remembers.
    private static func hasNewValue(_ channel: ChannelReport, _ status: StatusReport) -> Bool {
        guard let age = channel.valueAgeSeconds else { return false }
        return age < status.uptimeSeconds
    }

    /// Whether a reason comes from a device that the baseline leaves out, or from a server.
    ///
    /// Devices in the network come and go by themselves; only a device whose values were fresh and
    /// whose wire ends at the board speaks for the update.
    private static func isOfNetwork(_ reason: String, _ before: UpdateBaseline) -> Bool {
        let parts = reason.split(separator: ":", maxSplits: 1)
        let kinds: Set = [
            "late", "device-away", "device-unusable", "sensor-silent", "sensor-other",
        ]
        if parts.first == "outbox-fails" { return true }
        guard parts.count == 2, kinds.contains(String(parts[0])) else { return false }
        return !before.channels.contains { device(of: $0) == parts[1] }
    }
}
