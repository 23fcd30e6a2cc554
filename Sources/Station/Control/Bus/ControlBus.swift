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
        let last = try await last()
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
        return BusSummary(
            sights: sights,
            list: list,
            last: last,
            devices: devices,
            profiles: profiles
        )
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
        let turn = try turn()
        defer { turn.end() }
        let summary = try await summary()
        let (number, part) = try Self.place(question, in: summary)
        let address = question.number
        if part?.state == .bound || part?.state == .direct {
            throw ControlFailure(
                code: .conflict,
                message: "\(BusPart.text(address)) is in use already: \(part?.sentence ?? "")",
                pointer: "/address",
                .busTaken
            )
        }
        switch try BusChoice(question.name, at: address, part, profiles) {
        case .direct(let profile):
            let port = BusSummary.port(bus: number, address)
            try await settings.add(profile.id, at: port, by: asker)
            let listed = summary.list.parts.first { $0.bus == number && $0.address == address }
            guard let listed else {
                return try await report(BusAnswered.direct(address, profile))
            }
            let answered = try await change(listed) {
                $0.removing(bus: number, address: address)
            }
            return try await report(answered.handedOver(listed, to: profile))
        case .kernel(let name, let profile):
            let part = BusPart(bus: number, address: address, name: name)
            guard summary.list.adding(part).parts.count <= BusPartList.limit else {
                throw ControlFailure(
                    code: .conflict,
                    message: "the list has \(BusPartList.limit) parts; forget one first",
                    .busFull
                )
            }
            record(.partUseAsked, part, by: asker)
            let answered = try await change(part) { $0.adding(part) }
            record(answered, part)
            return try await report(answered.used(part, profile))
        }
    }

    /// Takes a part's driver away again, or stops reading it without one.
    func forget(_ question: ForgetPart, by asker: ControlAsker) async throws -> BusReport {
        let turn = try turn()
        defer { turn.end() }
        let address = question.number
        let list = try await list()
        let last = try await last()
        func meant(_ parts: [BusPart]) -> [BusPart] {
            parts.filter { $0.address == address }
                .filter { question.bus == nil || $0.bus == question.bus }
        }
        var found = meant(list.parts)
        // What the kernel did not let go of is off the list, and root asks the kernel again.
        if found.isEmpty {
            found = meant(last?.lines.filter { $0.outcome == .kept }.map(\.part) ?? [])
        }
        guard found.count <= 1 else {
            throw Self.ambiguous(found.map(\.bus), BusPart.text(address))
        }
        guard let part = found.first else {
            return try await forgetDirect(question, by: asker)
        }
        record(.partForgetAsked, part, by: asker)
        let answered = try await change(part) { $0.removing(bus: part.bus, address: address) }
        var isForeign = false
        // Before root's answer, what the kernel has can be what root or a person made for the list.
        if answered.isDone, answered.line == nil {
            isForeign = try await known(address, on: part.bus) == part.name
        }
        return try await report(answered.forgotten(part, isForeign: isForeign))
    }

    /// What root did last; nil before its first run in this boot.
    private func last() async throws -> BusResult? {
        let platform = platform
        return try await platform.onDisk { platform.buses.readResult() }
            .flatMap { BusResult(reading: $0) }
    }

    /// The kernel's name of what it has at an address.
    ///
    /// - Parameter bus: nil for any.
    private func known(_ address: UInt8, on bus: Int?) async throws -> String? {
        let platform = platform
        let buses = try await platform.onDisk { platform.buses.list() }
        return buses.filter { bus == nil || $0.number == bus }.flatMap(\.parts)
            .first { $0.address == address }?.name
    }

    /// One change at a time, from the list that it reads to the answer of root: two would take
    /// each other's answers.
    private func turn() throws(ControlFailure) -> BusTurn.Pass {
        if let turn = station.context.busChange.pass() { return turn }
        throw ControlFailure(
            code: .busy,
            message: "another part is being used or forgotten at this moment; ask again in half "
                + "a minute"
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
            let address = BusPart.text(question.number)
            if let name = try await known(question.number, on: question.bus) {
                throw ControlFailure(
                    code: .conflict,
                    message: "\(name) at \(address) is not on the list: \(BusText.elsewhere); "
                        + "next: \(BusText.overlay)",
                    pointer: "/address"
                )
            }
            throw ControlFailure(
                code: .notFound,
                message: address + " is not on the list, and nothing reads it",
                pointer: "/address",
                .busNothing
            )
        }
        try await settings.remove(found.value, by: asker)
        return try await report(
            BusReport.Outcome(
                .forgotten,
                address: BusPart.text(question.number),
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

    /// Changes the list as it is on the card now, and waits for what root does with it.
    ///
    /// - Returns: What the result says of the part's place; without a line where no answer came,
    ///   or none about it.
    private func change(
        _ part: BusPart,
        _ edit: @escaping @Sendable (BusPartList) -> BusPartList
    ) async throws -> BusAnswered {
        let platform = platform
        let written: (bytes: [UInt8], trouble: StorageError?)
        do {
            written = try await platform.onDisk {
                let buses = platform.buses
                let last = buses.readResult().flatMap { BusResult(reading: $0) }
                let list = edit(BusPartList(reading: try buses.readList() ?? []))
                let bytes = list.asked(after: last).bytes
                return (bytes: bytes, trouble: try buses.writeList(bytes))
            }
        } catch let error as StorageError {
            throw ControlFailure(code: .store, message: "not kept; \(error)")
        }
        if let trouble = written.trouble {
            return BusAnswered(line: nil, isDone: false, trouble: trouble)
        }
        let end = clock.now.advanced(by: Self.bindLimit)
        while clock.now < end {
            if let result = try await last(), result.answers(written.bytes) {
                let line = result.line(bus: part.bus, address: part.address)
                return BusAnswered(line: line, isDone: true)
            }
            try await clock.sleep(for: Self.bindPause)
        }
        return BusAnswered(line: nil, isDone: false)
    }

    /// The report of a change: it is done, even where no look is possible after it.
    private func report(_ outcome: BusReport.Outcome) async throws -> BusReport {
        var report: BusReport
        do { report = try await look() } catch let failure as ControlFailure {
            report = BusReport(buses: [], overlays: [])
            report.why = failure.message
        }
        report.outcome = outcome
        return report
    }
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
        let others: [BusReport.Bus.State] = [.left, .absent]
        let usable = report.buses.filter { bus in
            !others.contains(bus.state) && (question.bus == nil || bus.number == question.bus)
        }
        guard !usable.isEmpty else {
            throw ControlFailure(
                code: .notFound,
                message: "there is no such bus for sensors; `roost bus` lists them",
                pointer: "/bus"
            )
        }
        let address = BusPart.text(question.number)
        func part(_ bus: BusReport.Bus) -> BusReport.Part? {
            bus.parts.first { $0.address == address }
        }
        let answering = usable.filter { part($0) != nil }
        let chosen = answering.isEmpty ? usable : answering
        guard chosen.count == 1, let bus = chosen.first else {
            throw ambiguous(chosen.map(\.number), address)
        }
        switch bus.state {
        case .seen, .partly: break
        case .left, .noDevice, .noAccess, .hangs, .everywhere, .fails, .absent:
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

    /// Records what root did.
    private func record(_ answered: BusAnswered, _ part: BusPart) {
        let isBound = answered.isBound
        station.context.recorder.record(
            Event(
                at: clock.now,
                source: "control",
                kind: .plain(isBound ? .partBound : .partNotBound),
                severity: isBound ? .info : .warning,
                details: details(part) + [answered.detail]
            )
        )
    }
}
