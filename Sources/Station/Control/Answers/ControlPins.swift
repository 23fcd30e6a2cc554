import Configuration
import ControlProtocol
import Core
import Devices
import HardwareIO
import Profiles

/// Answers `pins` and `tryPin`, and finds the lines that a person names.
struct ControlPins: Sendable {
    let station: StationState

    /// The header as it is now.
    ///
    /// - Throws: `CancellationError`.
    func table() async throws -> PinTable {
        let platform = station.context.platform
        let (chips, canReset) = try await platform.onDisk {
            (platform.gpioChips(), platform.resetProblem == nil)
        }
        let configuration = station.configuration
        let resetting = configuration.devices.filter { $0.resets == true }.map(\.name)
        return PinTable(
            chips: chips,
            board: configuration.board,
            used: configuration.usedLines,
            resetting: Set(resetting),
            canReset: canReset
        )
    }

    /// The entry of the owner's settings for a button that gives the station away.
    ///
    /// - Throws: `ControlFailure` for another part, and where no button can do it.
    func resets(_ question: ConfigureDevice) async throws -> [String: JSONValue] {
        guard let resets = question.resets else { return [:] }
        let (name, platform) = (question.device, station.context.platform)
        let type = question.profile.flatMap { station.detection.catalog.part($0)?.driver ?? $0 }
        let present = station.configuration.devices.first { $0.name == name }
        guard type.map({ $0 == "button" }) ?? (present?.resets != nil) else {
            throw ControlFailure.badRequest(
                "\(PlainText.shown(name)) is no button; only a button gives a station away",
                at: "/resets"
            )
        }
        guard resets else { return ["resets": .null] }
        if let problem = try await platform.onDisk({ platform.resetProblem }) {
            throw ControlFailure(code: .conflict, message: "\(problem)", pointer: "/resets")
        }
        return ["resets": .bool(true)]
    }

    /// The entries of the owner's settings for the lines of a question.
    ///
    /// - Throws: `ControlFailure` for a line that is not there, or that another program has.
    func fields(of question: ConfigureDevice) async throws -> [String: JSONValue] {
        guard question.line != nil || question.lines != nil else { return [:] }
        let table = try await table()
        var fields: [String: JSONValue] = [:]
        if let line = question.line {
            let place = try table.demandFree(line, at: "/line")
            if question.profile == "led" { try Self.demandDrivable(place, at: "/line") }
            fields["line"] = place.setting
        }
        for (key, line) in zip(["red", "yellow", "green"], question.lines ?? []) {
            let place = try table.demandFree(line, at: "/lines")
            try Self.demandDrivable(place, at: "/lines")
            fields[key] = place.setting
        }
        return fields
    }

    /// Refuses to drive the lines by which a board reads the memory of what is on its header.
    private static func demandDrivable(
        _ place: PinPlace,
        at pointer: String
    ) throws(ControlFailure) {
        guard place.pin?.risk == .hatMemory else { return }
        throw ControlFailure(code: .conflict, message: place.pin?.hint ?? "", pointer: pointer)
    }

    // MARK: Trials

    /// Blinks the part on an output, or says what an input reads meanwhile.
    ///
    /// - Throws: `ControlFailure`; `CancellationError`, with the output dark.
    func attempt(_ question: TryPin) async throws -> PinTrialReport {
        let table = try await table()
        let place = try table.place(question.line, at: "/line")
        let taps = station.context.taps
        guard taps.begin() else {
            throw ControlFailure(code: .busy, message: "another pin is being tried; wait 5 s")
        }
        defer { taps.end() }
        let own = place.pin.flatMap { pin in table.used.first { $0.pin == pin } }
        do {
            if let own {
                guard let (lines, index) = taps.lines(of: own) else {
                    throw ControlFailure(
                        code: .conflict,
                        message: "\(own.device) does not have \(place.name) now; "
                            + "`roost devices` says why"
                    )
                }
                return try await PinTrial(clock: station.context.clock).run(lines, index, of: own)
            }
            _ = try table.demandFree(question.line, at: "/line")
            return try await tryFree(place, question)
        } catch let error as GPIOError {
            throw ControlFailure(code: .conflict, message: "\(error)")
        }
    }

    private func tryFree(_ place: PinPlace, _ question: TryPin) async throws -> PinTrialReport {
        let catalog = station.detection.catalog
        guard let type = question.profile, let profile = catalog.part(type) else {
            let known = catalog.profiles.filter { $0.kind == .gpio }.map(\.id).sorted()
            throw ControlFailure.badRequest(
                "say by type which part is on \(place.name): \(known.joined(separator: ", "))",
                at: "/type"
            )
        }
        let request = place.request(profile)
        if case .output = request.direction { try Self.demandDrivable(place, at: "/line") }
        let lines = TappedLines(
            try await station.context.platform.requestLines(request),
            of: request
        )
        defer { lines.release() }
        let trial = PinTrial(clock: station.context.clock)
        var report = try await trial.run(lines, 0, of: nil)
        report.line = place.name
        return report
    }
}

extension ProfileCatalog {
    /// The profile of a part on a pin, by its id or its driver.
    fileprivate func part(_ type: String) -> Profile? {
        profiles.first { $0.kind == .gpio && ($0.id == type || $0.driver == type) }
    }
}
