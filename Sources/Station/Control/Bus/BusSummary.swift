import Configuration
import ControlProtocol
import Devices
import HardwareIO
import Profiles

/// Makes the report of a look out of what was seen, the list, and the station's devices.
package struct BusSummary {
    let sights: [BusSight]
    let list: BusPartList
    /// What root did last; nil before its first run in this boot.
    let last: BusResult?
    /// Names of devices by their places.
    let devices: [String: String]
    let profiles: [Profile]

    package init(
        sights: [BusSight],
        list: BusPartList,
        last: BusResult? = nil,
        devices: [String: String] = [:],
        profiles: [Profile]
    ) {
        (self.sights, self.list, self.last) = (sights, list, last)
        (self.devices, self.profiles) = (devices, profiles)
    }

    /// Devices of a configuration by the place of their part.
    static func devices(_ configuration: StationConfiguration) -> [String: String] {
        let places = configuration.devices.map { ($0.location, $0.name) }
        return Dictionary(places) { first, _ in first }
    }

    /// The path of a part that is read without a driver.
    static func port(bus: Int, _ address: UInt8) -> String {
        "/dev/i2c-\(bus)@\(BusPart.text(address))"
    }

    package var report: BusReport {
        let overlays = profiles.compactMap { profile in
            profile.overlay.map {
                BusReport.Overlay(profile: profile.id, name: profile.name, line: $0)
            }
        }
        let buses = (sights.map { bus($0) } + absent.map { bus($0) })
            .sorted { $0.number < $1.number }
        var report = BusReport(buses: buses, overlays: overlays)
        if sights.isEmpty { (report.why, report.nextStep) = BusText.noBus }
        return report
    }

    /// Numbers of buses that the list names and this computer does not have now.
    private var absent: [Int] {
        Set(list.parts.map(\.bus)).subtracting(sights.map(\.bus.number)).sorted()
    }

    /// Whether one bus alone is looked at: no command has to name it.
    private var hasOneBus: Bool {
        let count = sights.count { if case .left = $0.state { false } else { true } }
        return count == 1 && absent.isEmpty
    }

    private func bus(_ sight: BusSight) -> BusReport.Bus {
        let number = sight.bus.number
        var parts = sight.addresses.map { part($0, number) }
        for (path, device) in devices.sorted(by: { $0.key < $1.key }) {
            guard case .address("/dev/i2c-\(number)", let address)? = BusPlace(path),
                !parts.contains(where: { $0.address == BusPart.text(address) })
            else { continue }
            var part = BusReport.Part(address: BusPart.text(address), state: .direct)
            part.device = device
            part.isListed = entry(address, number) != nil
            part.looksLike = candidates(at: address)
            parts.append(part)
        }
        for entry in list.parts where entry.bus == number {
            guard !parts.contains(where: { $0.address == BusPart.text(entry.address) }) else {
                continue
            }
            parts.append(missing(entry, Self.state(sight.state)))
        }
        let trouble = BusText.trouble(sight)
        return BusReport.Bus(
            number: number,
            name: sight.bus.name,
            state: Self.state(sight.state),
            why: trouble?.why,
            nextStep: trouble?.nextStep,
            parts: parts.sorted { $0.address < $1.address }.map {
                finished($0, number, Self.state(sight.state))
            }
        )
    }

    /// A bus that only the list names.
    private func bus(_ number: Int) -> BusReport.Bus {
        BusReport.Bus(
            number: number,
            name: "i2c-\(number)",
            state: .absent,
            why: "this computer has no bus i2c-\(number) now",
            nextStep: nil,
            parts: list.parts.filter { $0.bus == number }.sorted { $0.address < $1.address }
                .map { finished(missing($0, .absent), number, .absent) }
        )
    }

    // MARK: The list

    private func entry(_ address: UInt8, _ number: Int) -> BusPart? {
        list.parts.first { $0.bus == number && $0.address == address }
    }

    /// What root did last with a part of the list; nil where it said nothing about it.
    private func outcome(_ entry: BusPart) -> BusResult.Outcome? {
        last?.lines.first { $0.part == entry }?.outcome
    }

    private func missing(_ entry: BusPart, _ state: BusReport.Bus.State) -> BusReport.Part {
        var part = BusReport.Part(address: BusPart.text(entry.address), state: .missing)
        (part.name, part.isListed) = (entry.name, true)
        part.sentence = BusText.missing(entry, on: state, outcome(entry))
        return part
    }

    /// The part with its sentence, and with what came of its line on the list.
    private func finished(
        _ part: BusReport.Part,
        _ number: Int,
        _ state: BusReport.Bus.State
    ) -> BusReport.Part {
        let isSeen = state == .seen || state == .partly
        var part = BusText.part(part, onBus: number, isSeen: isSeen, isOnly: hasOneBus)
        let entry = list.parts.first {
            $0.bus == number && BusPart.text($0.address) == part.address
        }
        guard let entry else { return part }
        if part.name != entry.name {
            let usual: BusResult.Outcome? = part.name == nil ? nil : .taken
            part.sentence += "; " + BusText.unbound(entry, outcome(entry) ?? usual)
        } else if part.state == .bound {
            let isForeign = outcome(entry) == .elsewhere
            part.sentence += isForeign ? "; " + BusText.foreign : ", at each start"
        }
        return part
    }

    private static func state(_ state: BusSight.State) -> BusReport.Bus.State {
        switch state {
        case .seen: .seen
        case .partly: .partly
        case .left: .left
        case .closed(.noDevice): .noDevice
        case .closed(.noPermission): .noAccess
        case .closed(.failed), .fails: .fails
        case .hangs: .hangs
        case .everywhere: .everywhere
        }
    }

    private func part(_ seen: BusSight.Address, _ number: Int) -> BusReport.Part {
        let candidates = seen.candidates.map { Self.candidate($0.profile) }
        let isCertain = seen.candidates.contains(where: \.isCertain)
        let state: BusReport.Part.State
        switch seen.kind {
        case .bound: state = .bound
        case .undriven: state = .undriven
        case .multiplexer: state = .multiplexer
        case .answers: state = candidates.isEmpty ? .unknown : isCertain ? .found : .possible
        case .unfinished: state = candidates.isEmpty ? .unknown : .possible
        }
        var part = BusReport.Part(address: BusPart.text(seen.address), state: state)
        part.looksLike = candidates
        let entry = entry(seen.address, number)
        part.isListed = entry != nil
        switch seen.kind {
        case .bound(let name, let driver):
            (part.name, part.driver) = (name, driver)
            let folder = "/\(BusPart(bus: number, address: seen.address, name: name).folder)"
            part.device =
                devices.first { path, _ in
                    path.hasSuffix(folder) || path.contains(folder + "/")
                }?.value
        case .undriven(let name): part.name = name
        case .answers:
            if let entry {
                unbind(&part, entry)
            } else if candidates.isEmpty, BusLook.multiplexers.contains(seen.address) {
                part.sentence = BusText.perhapsMultiplexer
            }
        case .unfinished: (part.sentence, part.nextStep) = BusText.unfinished(candidates)
        case .multiplexer: break
        }
        return part
    }

    /// Makes a part that answers one that the list has, and no driver.
    private func unbind(_ part: inout BusReport.Part, _ entry: BusPart) {
        let looksLike = part.looksLike
        part = BusReport.Part(address: part.address, state: .undriven)
        (part.name, part.looksLike, part.isListed) = (entry.name, looksLike, true)
        part.sentence = BusText.unbound(entry, outcome(entry))
        if outcome(entry) == nil { part.nextStep = BusText.units }
    }

    private func candidates(at address: UInt8) -> [BusReport.Candidate] {
        BusRules.candidates(profiles).filter { $0.i2c?.addresses.contains(address) == true }
            .map { Self.candidate($0) }
    }

    static func candidate(_ profile: Profile) -> BusReport.Candidate {
        BusReport.Candidate(
            profile: profile.id,
            name: profile.name,
            kernelName: profile.i2c?.names.first,
            direct: profile.driver == "i2c-sensor" ? profile.id : profile.i2c?.direct
        )
    }
}
