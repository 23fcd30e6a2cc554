import ControlProtocol
import Core
import HardwareIO
import Store

/// Carries out `note`.
struct ControlNotes {
    /// Bytes of a note at most: an event keeps that much of a detail.
    static let textMax = 120

    let station: StationContext
    /// The time as far as it is trusted; nil while the clock was never set.
    let now: WallTime?

    /// Records what a person noticed, or that the dose of a device is counted from here on.
    ///
    /// - Throws: `ControlFailure` `bad-request`.
    func write(_ request: ControlRequest, by asker: ControlAsker) throws(ControlFailure) {
        if let kind = request.kind { return try mark(kind, request, by: asker) }
        guard let text = request.text, (1...Self.textMax).contains(text.utf8.count),
            ControlAsker.isPlain(text)
        else {
            throw ControlFailure(
                code: .badRequest,
                message: "text is 1 to \(Self.textMax) bytes of UTF-8 without control characters"
            )
        }
        guard request.time.map({ WallTime(iso8601: $0) != nil }) ?? true else {
            throw ControlFailure(
                code: .badRequest,
                message: "time is ISO 8601, as 2026-11-22T04:15:00Z"
            )
        }
        try demandKnown(request.device)
        try demandPast(request.time)
        let author = asker.actor ?? asker.peer.map { "user \($0.userID)" }
        let details = [
            Event.Detail("text", text), author.map { Event.Detail("author", $0) },
            request.device.map { Event.Detail("channel", $0) },
            request.time.map { Event.Detail("at", $0) },
        ]
        station.recorder.record(
            Event(
                at: station.clock.now,
                source: "notes",
                kind: .plain(.note),
                severity: .notice,
                details: details.compactMap(\.self)
            )
        )
    }

    private func mark(
        _ kind: String,
        _ request: ControlRequest,
        by asker: ControlAsker
    ) throws(ControlFailure) {
        guard kind == EventKind.Plain.doseMarked.rawValue, let device = request.device else {
            throw ControlFailure(
                code: .badRequest,
                message: "kind is \(EventKind.Plain.doseMarked.rawValue), of a device"
            )
        }
        try demandKnown(device)
        let author = asker.actor ?? asker.peer.map { "user \($0.userID)" }
        let details = [
            Event.Detail("channel", device), author.map { Event.Detail("author", $0) },
        ]
        station.recorder.record(
            Event(
                at: station.clock.now,
                source: "notes",
                kind: .plain(.doseMarked),
                severity: .notice,
                details: details.compactMap(\.self)
            )
        )
    }

    /// - Throws: `ControlFailure` `unknown-device` for what is no device or channel here.
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
        throw ControlFailure(
            code: .badRequest,
            message: "time is \(text), and now it is \(now.iso8601): a note is of what was"
        )
    }
}
