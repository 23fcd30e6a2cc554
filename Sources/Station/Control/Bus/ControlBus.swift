import Configuration
import ControlProtocol
import Core
import Devices
import HardwareIO
import Profiles

/// Carries out `buses`, `usePart` and `forgetPart`.
struct ControlBus: Sendable {
    /// The longest look; a bus that hangs costs a second at each question.
    static let lookLimit: Duration = .seconds(20)
    /// How long the service of root may need for its answer, drivers that load included.
    static let bindLimit: Duration = .seconds(15)
    private static let bindPause: Duration = .milliseconds(250)

    let station: StationState
    let settings: ControlSettings

    private var platform: any Platform { station.context.platform }
    private var clock: any NodeClock { station.context.clock }
    private var profiles: [Profile] { station.detection.catalog.profiles }

    /// Looks at all buses.
    ///
    /// - Throws: `ControlFailure`; `CancellationError`.
    func look() async throws -> BusReport { try await summary().report }

    private func summary() async throws -> BusSummary {
        guard let pass = station.context.busTurn.pass() else {
            throw ControlFailure(
                code: .busy,
                message: "an earlier look at the buses has not come back; a bus hangs, or it "
                    + "takes a moment"
            )
        }
        let (platform, profiles, clock) = (platform, profiles, clock)
        let devices = BusSummary.devices(station.effective)
        let list = try await list()
        let seen = try await clock.run(
            {
                try await platform.onBus {
                    defer { pass.end() }
                    let buses = platform.buses
                    return buses.list().map { entry in
                        let own = devices.keys.compactMap { Self.address($0, on: entry) }
                        return BusLook.look(at: entry, of: buses, profiles, without: Set(own))
                    }
                }
            },
            unless: { try await clock.sleep(for: Self.lookLimit) }
        )
        guard let sights = seen else {
            throw ControlFailure(
                code: .unreachable,
                message: "a bus hangs: it did not answer in 20 s; pull the parts off one by one, "
                    + "or switch the power off and on"
            )
        }
        return BusSummary(sights: sights, list: list, devices: devices, profiles: profiles)
    }

    /// The address of a device that is read without a driver on this bus.
    private static func address(_ path: String, on entry: I2CBusEntry) -> UInt8? {
        guard case .address("/dev/i2c-\(entry.number)", let address)? = BusPlace(path) else {
            return nil
        }
        return address
    }

    // MARK: Changes

    /// Gives a part its driver, or reads it without one.
    func use(_ question: UsePart, by asker: ControlAsker) async throws -> BusReport {
        let summary = try await summary()
        let (number, part) = try Self.place(question, in: summary)
        let address = ForgetPart(question.address).number
        if part?.state == .bound || part?.state == .direct {
            throw ControlFailure(
                code: .conflict,
                message: "\(question.address) is in use already: \(part?.sentence ?? "")",
                pointer: "/address",
                .busTaken
            )
        }
        let choice = try BusChoice(question.name, at: part, profiles)
        switch choice {
        case .direct(let profile):
            try await settings.add(
                profile.id,
                at: BusSummary.port(bus: number, address),
                by: asker
            )
            if part?.isListed == true {
                let list = summary.list.removing(bus: number, address: address)
                _ = try await write(list, bus: number, address)
            }
            let outcome = BusReport.Outcome(
                .direct,
                address: question.address,
                name: profile.id,
                sentence: "\(profile.name) is read without a driver from now on"
            )
            return try await report(outcome)
        case .kernel(let name, let profile):
            let part = BusPart(bus: number, address: address, name: name)
            let list = summary.list.adding(part)
            guard list.parts.count <= BusPartList.limit else {
                throw ControlFailure(
                    code: .conflict,
                    message: "the list has \(BusPartList.limit) parts; forget one first",
                    .busFull
                )
            }
            record(.partUseAsked, part, by: asker)
            let line = try await write(list, bus: number, address)
            record(line, part)
            return try await report(Self.outcome(line, part, profile))
        }
    }

    /// Takes a part's driver away again, or stops reading it without one.
    func forget(_ question: ForgetPart, by asker: ControlAsker) async throws -> BusReport {
        let address = question.number
        let list = try await list()
        let listed = list.parts.filter { $0.address == address }
            .filter { question.bus == nil || $0.bus == question.bus }
        guard listed.count <= 1 else {
            throw Self.ambiguous(listed.map(\.bus), question.address)
        }
        guard let part = listed.first else {
            return try await forgetDirect(question, by: asker)
        }
        record(.partForgetAsked, part, by: asker)
        _ = try await write(list.removing(bus: part.bus, address: address), bus: part.bus, address)
        return try await report(
            BusReport.Outcome(
                .forgotten,
                address: question.address,
                name: part.name,
                sentence: "\(part.name) at \(question.address) is not used any more; what it "
                    + "measured stays"
            )
        )
    }

    private func forgetDirect(
        _ question: ForgetPart,
        by asker: ControlAsker
    ) async throws -> BusReport {
        let found = BusSummary.devices(station.effective).first { path, _ in
            guard case .address(let bus, question.number)? = BusPlace(path) else { return false }
            return question.bus.map { bus == "/dev/i2c-\($0)" } ?? true
        }
        guard let found else {
            throw ControlFailure(
                code: .notFound,
                message: "\(question.address) is not on the list; what a line of config.txt has "
                    + "bound is taken back there",
                pointer: "/address",
                .busNothing
            )
        }
        try await settings.remove(found.value, by: asker)
        return try await report(
            BusReport.Outcome(
                .forgotten,
                address: question.address,
                name: found.value,
                sentence: "\(found.value) is not read any more; what it measured stays"
            )
        )
    }

    private func list() async throws -> BusPartList {
        let platform = platform
        do {
            return try await platform.onDisk {
                BusPartList(reading: try platform.buses.readList() ?? [])
            }
        } catch let error as StorageError {
            throw ControlFailure(code: .store, message: "the list of parts: \(error)")
        }
    }

    /// Writes the list, and waits for what root does with it.
    ///
    /// - Returns: What the result says of the address; nil where no answer came, or none about it.
    private func write(
        _ list: BusPartList,
        bus: Int,
        _ address: UInt8
    ) async throws -> BusAnswered {
        let (platform, bytes) = (platform, list.bytes)
        do {
            try await platform.onDisk { try platform.buses.writeList(bytes) }
        } catch let error as StorageError {
            throw ControlFailure(code: .store, message: "not kept; \(error)")
        }
        let (sum, end) = (CRC32.checksum(bytes), clock.now.advanced(by: Self.bindLimit))
        while clock.now < end {
            let result = try await platform.onDisk { platform.buses.readResult() }
            if let result = result.flatMap({ BusResult(reading: $0) }), result.list == sum {
                return BusAnswered(line: result.line(bus: bus, address: address), isDone: true)
            }
            try await clock.sleep(for: Self.bindPause)
        }
        return BusAnswered(line: nil, isDone: false)
    }

    private func report(_ outcome: BusReport.Outcome) async throws -> BusReport {
        var report = try await look()
        report.outcome = outcome
        return report
    }
}

/// What the service of root said of one part.
private struct BusAnswered {
    let line: BusResult.Line?
    /// Whether it said anything.
    let isDone: Bool
}

extension ControlBus {
    /// The bus that a question means, and what a look saw at its address.
    private static func place(
        _ question: UsePart,
        in summary: BusSummary
    ) throws(ControlFailure) -> (bus: Int, part: BusReport.Part?) {
        let report = summary.report
        if let why = report.why {
            throw ControlFailure(code: .notFound, message: why + "; " + (report.nextStep ?? ""))
        }
        let usable = report.buses.filter { bus in
            bus.state != .left && (question.bus == nil || bus.number == question.bus)
        }
        guard !usable.isEmpty else {
            throw ControlFailure(
                code: .notFound,
                message: "there is no such bus for sensors; `roost bus` lists them",
                pointer: "/bus"
            )
        }
        func part(_ bus: BusReport.Bus) -> BusReport.Part? {
            bus.parts.first { $0.address == question.address }
        }
        let answering = usable.filter { part($0) != nil }
        let chosen = answering.isEmpty ? usable : answering
        guard chosen.count == 1, let bus = chosen.first else {
            throw ambiguous(chosen.map(\.number), question.address)
        }
        switch bus.state {
        case .seen, .partly: break
        case .left, .noDevice, .noAccess, .hangs, .everywhere, .fails:
            throw ControlFailure(
                code: .conflict,
                message: (bus.why ?? "") + (bus.nextStep.map { "; next: \($0)" } ?? ""),
                pointer: "/bus"
            )
        }
        return (bus.number, part(bus))
    }

    private static func ambiguous(_ buses: [Int], _ address: String) -> ControlFailure {
        ControlFailure(
            code: .conflict,
            message: "\(address) can be on several buses; say which: --bus "
                + buses.map { "\($0)" }.joined(separator: "|"),
            pointer: "/bus",
            .busWhich
        )
    }

    private static func outcome(
        _ answered: BusAnswered,
        _ part: BusPart,
        _ profile: Profile
    ) -> BusReport.Outcome {
        let (address, name) = (BusPart.text(part.address), part.name)
        func outcome(
            _ state: BusReport.Outcome.State,
            _ sentence: String,
            _ next: String? = nil
        ) -> BusReport.Outcome {
            BusReport.Outcome(
                state,
                address: address,
                name: name,
                sentence: "\(name) at \(address) " + sentence,
                nextStep: next
            )
        }
        guard answered.isDone, let line = answered.line else {
            return outcome(
                .waiting,
                "is on the list, and nothing on this computer has bound it",
                "`systemctl status roost-bus.path roost-bus.service`; without these units: echo "
                    + "\(name) \(address) | sudo tee "
                    + "/sys/bus/i2c/devices/i2c-\(part.bus)/new_device"
            )
        }
        switch line.outcome {
        case .bound: return outcome(.bound, "has the kernel's driver \(line.other ?? "")")
        case .undriven:
            let direct = profile.i2c?.direct
            var undriven = outcome(
                .undriven,
                "has no driver: this kernel has none, or it refused the part",
                direct.map { "`roost bus use \(address) --as \($0)` reads it without one" }
                    ?? "`sudo dmesg | tail` may say why"
            )
            undriven.direct = direct
            return undriven
        case .taken: return outcome(.taken, "finds its address taken by \(line.other ?? "a part")")
        case .noBus: return outcome(.noBus, "has no bus i2c-\(part.bus)")
        case .unknown: return outcome(.unknown, "is no name that a shipped profile has")
        case .failed: return outcome(.failed, "was refused by the kernel", "`sudo dmesg | tail`")
        }
    }

    // MARK: Events

    private func record(_ kind: EventKind.Plain, _ part: BusPart, by asker: ControlAsker) {
        asker.record(kind, details(part), at: clock.now, in: station.context.recorder)
    }

    private func details(_ part: BusPart) -> [Event.Detail] {
        [
            Event.Detail("part", part.name),
            Event.Detail("node", "/sys/bus/i2c/devices/\(part.folder)"),
        ]
    }

    private static func reason(_ outcome: BusResult.Outcome) -> String {
        switch outcome {
        case .bound: ""
        case .undriven: "no driver took it"
        case .taken: "another part has its address"
        case .noBus: "there is no such bus"
        case .unknown: "no shipped profile has this name"
        case .failed: "the kernel refused it"
        }
    }

    /// Records what root did.
    private func record(_ answered: BusAnswered, _ part: BusPart) {
        let line = answered.line
        let isBound = line?.outcome == .bound
        let reason = line.map { Self.reason($0.outcome) } ?? "roost-bus.service did not answer"
        let driver = Event.Detail("driver", line?.other ?? "")
        let how = isBound ? driver : Event.Detail("reason", reason)
        station.context.recorder.record(
            Event(
                at: clock.now,
                source: "control",
                kind: .plain(isBound ? .partBound : .partNotBound),
                severity: isBound ? .info : .warning,
                details: details(part) + [how]
            )
        )
    }
}
