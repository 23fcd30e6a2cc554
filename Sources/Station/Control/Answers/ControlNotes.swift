import ControlProtocol
import Core
import HardwareIO
import Store

/// Carries out `note` and `markDose`.
struct ControlNotes {
    let station: StationContext
    /// The time as far as it is trusted; nil while the clock was never set.
    let now: WallTime?

    /// Records what a person noticed.
    ///
    /// - Throws: `ControlFailure` `bad-request`, `not-found`.
    func write(_ note: WriteNote, by asker: ControlAsker) throws(ControlFailure) {
        try demandKnown(note.device)
        try demandPast(note.time)
        record(
            .plain(.note),
            by: asker,
            Event.Detail("text", note.text),
            note.device.map { Event.Detail("channel", $0) },
            note.time.map { Event.Detail("at", $0) }
        )
    }

    /// Records that the dose of a device is counted from now on.
    ///
    /// - Throws: `ControlFailure` `not-found`.
    func markDose(of device: String, by asker: ControlAsker) throws(ControlFailure) {
        try demandKnown(device)
        record(.doseMarked(channel: device), by: asker)
    }

    private func record(
        _ kind: EventKind,
        by asker: ControlAsker,
        _ first: Event.Detail? = nil,
        _ others: Event.Detail?...
    ) {
        let author = asker.actor ?? asker.peer.map { "user \($0.userID)" }
        let details = [first, author.map { Event.Detail("author", $0) }] + others
        station.recorder.record(
            Event(
                at: station.clock.now,
                source: "notes",
                kind: kind,
                severity: .notice,
                details: details.compactMap(\.self)
            )
        )
    }

    /// - Throws: `ControlFailure` `not-found` for what is no device or channel here.
    private func demandKnown(_ target: String?) throws(ControlFailure) {
        guard let target else { return }
        let channels = station.recorder.channels.map(\.channel.description)
        let devices = station.devices.arrivals.map(\.name)
        let device = target.split(separator: "/", maxSplits: 1).first.map(String.init) ?? ""
        let own = channels.filter { $0.hasPrefix(device + "/") }
        // A device that has not measured yet has no channels that could be compared.
        let isKnown =
            devices.contains(target) || own.contains(target)
            || devices.contains(device) && own.isEmpty
        guard !isKnown else { return }
        let known = (devices + channels).sorted().joined(separator: ", ")
        throw ControlFailure(
            code: .notFound,
            message: "\(PlainText.shown(target, limit: 200)) is no device or channel here; "
                + (known.isEmpty ? "there is none yet" : "there are: \(known.prefix(400))")
        )
    }

    /// - Throws: `ControlFailure` `bad-request` for a time that is still to come.
    private func demandPast(_ text: String?) throws(ControlFailure) {
        guard let text, let time = WallTime(iso8601: text), let now,
            // The clocks of two computers are a little apart.
            time.nanoseconds > now.nanoseconds + 60_000_000_000
        else { return }
        throw .badRequest(
            "time is \(text), and now it is \(now.iso8601): a note is of what was"
        )
    }
}
