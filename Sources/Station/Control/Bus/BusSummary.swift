import Configuration
import ControlProtocol
import Devices
import HardwareIO
import Profiles

/// Makes the report of a look out of what was seen, the list, and the station's devices.
package struct BusSummary {
    let sights: [BusSight]
    let list: BusPartList
    /// Names of devices by their places.
    let devices: [String: String]
    let profiles: [Profile]

    package init(
        sights: [BusSight],
        list: BusPartList,
        devices: [String: String] = [:],
        profiles: [Profile]
    ) {
        (self.sights, self.list) = (sights, list)
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
        var report = BusReport(buses: sights.map { bus($0) }, overlays: overlays)
        if sights.isEmpty { (report.why, report.nextStep) = BusText.noBus }
        return report
    }

    /// Whether one bus alone is looked at: no command has to name it.
    private var hasOneBus: Bool {
        sights.count { if case .left = $0.state { false } else { true } } == 1
    }

    private func bus(_ sight: BusSight) -> BusReport.Bus {
        let number = sight.bus.number
        let listed = list.parts.filter { $0.bus == number }
        var parts = sight.addresses.map { part($0, number) }
        let isSeen = sight.state == .seen
        let seen = Set(parts.map(\.address))
        for (path, device) in devices.sorted(by: { $0.key < $1.key }) {
            guard case .address("/dev/i2c-\(number)", let address)? = BusPlace(path),
                !seen.contains(BusPart.text(address))
            else { continue }
            var part = BusReport.Part(address: BusPart.text(address), state: .direct)
            part.device = device
            part.looksLike = candidates(at: address)
            parts.append(part)
        }
        for entry in listed where isSeen && !seen.contains(BusPart.text(entry.address)) {
            var part = BusReport.Part(address: BusPart.text(entry.address), state: .missing)
            (part.name, part.isListed) = (entry.name, true)
            parts.append(part)
        }
        let trouble = BusText.trouble(sight)
        return BusReport.Bus(
            number: number,
            name: sight.bus.name,
            state: Self.state(sight.state),
            why: trouble?.why,
            nextStep: trouble?.nextStep,
            parts: parts.sorted { $0.address < $1.address }.map {
                BusText.part($0, onBus: number, isOnly: hasOneBus)
            }
        )
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
        }
        var part = BusReport.Part(address: BusPart.text(seen.address), state: state)
        part.looksLike = candidates
        part.isListed = list.parts.contains { $0.bus == number && $0.address == seen.address }
        switch seen.kind {
        case .bound(let name, let driver):
            (part.name, part.driver) = (name, driver)
            let folder = "/\(BusPart(bus: number, address: seen.address, name: name).folder)"
            part.device =
                devices.first { path, _ in
                    path.hasSuffix(folder) || path.contains(folder + "/")
                }?.value
        case .undriven(let name): part.name = name
        case .answers, .multiplexer: break
        }
        return part
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
