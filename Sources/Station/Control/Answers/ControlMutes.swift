import Configuration
import ControlProtocol
import Core
import HardwareIO

/// Carries out `mute`, `unmute` and `mode`, and shows the mutes of a device.
struct ControlMutes {
    let station: StationContext
    let store: StoreClient

    /// Leaves values out for a while.
    ///
    /// Only channels with readings and motion sensors can be muted, so that a wrong name is
    /// noticed.
    ///
    /// - Throws: `ControlFailure`.
    func mute(_ question: MuteDevice, by asker: ControlAsker) async throws {
        let target = question.device
        let channels = station.recorder.channels.map(\.channel)
        let sensors = station.leds.motionSensors
        let isKnown =
            sensors.contains(target)
            || channels.contains { Mute(target: target, end: nil).covers($0) }
        guard isKnown else {
            let known = (channels.map(\.description) + sensors).sorted().joined(separator: ", ")
            throw ControlFailure(
                code: .notFound,
                message: "\(PlainText.shown(target, limit: 200)) has no readings; "
                    + (known.isEmpty ? "nothing has measured yet" : "there are: \(known)")
            )
        }
        let longest = MuteList.longest.inSeconds
        let length = question.seconds.map { Duration.milliseconds(Int64(min($0, longest) * 1_000)) }
        guard station.mutes.mute(target, for: length) else {
            throw ControlFailure(
                code: .busy,
                message: "\(MuteList.countMax) things are muted; unmute one first"
            )
        }
        let seconds = question.seconds.map { [Event.Detail("seconds", "\($0)")] } ?? []
        try await keep(.muted, [Event.Detail("of", target)] + seconds, by: asker)
    }

    /// Ends a mute.
    ///
    /// - Throws: `ControlFailure`.
    func unmute(_ target: String, by asker: ControlAsker) async throws {
        guard station.mutes.unmute(target) else {
            let muted = station.mutes.current.map(\.target).joined(separator: ", ")
            throw ControlFailure(
                code: .notFound,
                message: "\(target) is not muted; "
                    + (muted.isEmpty ? "nothing is" : "muted: \(muted)")
            )
        }
        try await keep(.unmuted, [Event.Detail("of", target)], by: asker)
    }

    private func keep(
        _ kind: EventKind.Plain,
        _ details: [Event.Detail],
        by asker: ControlAsker
    ) async throws {
        station.recorder.record(
            Event(
                at: station.clock.now,
                source: "control",
                kind: .plain(kind),
                severity: .notice,
                details: details + asker.details
            )
        )
        try await keep()
    }

    /// Changes the mode, and records the user.
    ///
    /// - Throws: `ControlFailure`.
    func change(_ question: ChangeMode, by asker: ControlAsker) async throws {
        let mode: StationMode
        do throws(ModeProblem) {
            mode = try StationMode.asked(
                question.mode,
                name: question.name,
                seconds: question.seconds,
                isPrivate: question.isPrivate ?? false,
                at: station.clock.now
            )
        } catch {
            throw ControlFailure(code: .badRequest, message: error.text)
        }
        station.modes.change(to: mode, in: station.bootID, by: station.clock)
        let details = [Event.Detail("mode", mode.text)]
        asker.record(.modeAsked, details, at: station.clock.now, in: station.recorder)
        try await keep()
    }

    /// Stores what a person asked for, so that it outlives the process.
    ///
    /// - Throws: `ControlFailure` `not-kept`.
    private func keep() async throws {
        do {
            try await store.settleMutes()
        } catch {
            throw ControlFailure(
                code: .notKept,
                message: "done, but a restart forgets it; the store: \(error)"
            )
        }
    }

    /// A report with the mutes of its device.
    func shown(_ report: DeviceReport) -> DeviceReport {
        var report = report
        report.mutes = station.mutes.current.compactMap { mute in
            guard mute.target == report.name || mute.target.hasPrefix(report.name + "/") else {
                return nil
            }
            let endsIn = mute.end.flatMap { end in
                end.wall == nil ? max(0, -end.instant.age(at: station.clock.now)) : nil
            }
            return MuteReport(
                target: mute.target,
                endTime: mute.end?.wall?.iso8601,
                endsInSeconds: endsIn
            )
        }
        return report
    }
}
