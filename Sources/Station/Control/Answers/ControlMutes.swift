import Configuration
import ControlProtocol
import Core
import HardwareIO

/// Carries out `mute`, `unmute` and `mode`, and shows the mutes of a device.
struct ControlMutes {
    let station: StationContext
    let store: StoreClient

    /// Carries out a request to mute, and records the user.
    ///
    /// Only channels with readings and motion sensors can be muted, so that a wrong name is
    /// noticed.
    ///
    /// - Throws: `ControlFailure`.
    func change(_ request: ControlRequest, by asker: ControlAsker) async throws {
        try changeMutes(request)
        var details = [Event.Detail("of", request.device ?? "")]
        if let seconds = request.seconds { details.append(Event.Detail("seconds", "\(seconds)")) }
        details += asker.details
        let isMute = request.command == .mute
        station.recorder.record(
            Event(
                at: station.clock.now,
                source: "control",
                kind: .plain(isMute ? .muted : .unmuted),
                severity: .notice,
                details: details
            )
        )
        try await keep()
    }

    /// Carries out a request for a mode, and records the user.
    ///
    /// - Throws: `ControlFailure`.
    func changeMode(_ request: ControlRequest, by asker: ControlAsker) async throws {
        let mode: StationMode
        do throws(ModeProblem) {
            mode = try StationMode.asked(
                request.mode,
                name: request.name,
                seconds: request.seconds,
                isPrivate: request.isPrivate ?? false,
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
    private func keep() async throws {
        do {
            try await store.settleMutes()
        } catch {
            throw ControlFailure(
                code: .store,
                message: "done, but a restart forgets it; the store: \(error)"
            )
        }
    }

    private func changeMutes(_ request: ControlRequest) throws(ControlFailure) {
        guard let target = request.device else {
            throw ControlFailure(
                code: .badRequest,
                message: "device is a name, or a channel as in balcony/pm25"
            )
        }
        guard request.command == .mute else {
            guard station.mutes.unmute(target) else {
                let muted = station.mutes.current.map(\.target).joined(separator: ", ")
                throw ControlFailure(
                    code: .notFound,
                    message: "\(target) is not muted; "
                        + (muted.isEmpty ? "nothing is" : "muted: \(muted)")
                )
            }
            return
        }
        guard request.seconds.map({ $0 >= 1 }) ?? true else {
            throw ControlFailure(code: .badRequest, message: "seconds is 1 at least")
        }
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
        let length = request.seconds.map { Duration.milliseconds(Int64(min($0, longest) * 1_000)) }
        guard station.mutes.mute(target, for: length) else {
            throw ControlFailure(
                code: .busy,
                message: "\(MuteList.countMax) things are muted; unmute one first"
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
