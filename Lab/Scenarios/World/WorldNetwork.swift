import Core
import Devices
import HardwareIO
import Profiles

/// The HTTP devices on the local network; they outlive the station's process and its boots.
///
/// Unchecked: one simulation is one thread.
final class WorldNetwork: @unchecked Sendable {
    private var simulators: [String: HTTPLineSimulator] = [:]
    private let httpDevices: [Scenario.HTTPDevice]
    /// A device that the owner may add.
    static let annex = Scenario.HTTPDevice(
        name: "annex",
        profile: "generic-http-line",
        host: "10.7.7.7",
        interval: .minutes(5)
    )

    init(_ httpDevices: [Scenario.HTTPDevice], seed: UInt64) throws {
        let httpDevices = httpDevices + [Self.annex]
        self.httpDevices = httpDevices
        for (number, device) in httpDevices.enumerated() {
            guard let profile = ProfileCatalog.shipped.profile(device.profile) else {
                preconditionFailure("a scenario names shipped profiles only")
            }
            let own = seed &+ 32_452_843 &* UInt64(number + 1)
            simulators[device.name] = try HTTPLineSimulator(profile, seed: own)
        }
    }

    func device(at host: String) -> Scenario.HTTPDevice? { httpDevices.first { $0.host == host } }

    /// The answer of a device; nil when it does not answer.
    func answer(_ device: Scenario.HTTPDevice, fault: HTTPLineSimulator.Fault? = nil)
        -> HTTPResponse?
    {
        simulators[device.name]?.fault = fault
        return simulators[device.name]?.answer("GET")
    }
}

/// Queries the HTTP devices of a world, as far as its faults allow.
struct WorldFetcher: HTTPFetcher {
    /// Time from request to answer of a device without a fault.
    private static let usualDelay: Duration = .milliseconds(80)
    private static let faults: [FaultKind] = [
        .httpRefuses, .httpMoved, .httpSilent, .httpGarbage, .httpSlow,
    ]

    let machine: Machine

    func get(
        _ target: HTTPTarget,
        until deadline: MonotonicInstant
    ) async throws -> HTTPResponse {
        let (world, now) = (machine.world, machine.now)
        guard let device = world.network.device(at: target.host) else {
            throw HTTPError.unknownHost(target)
        }
        if target.address == nil, world.isOpen(.nameServerSilent, at: now) {
            world.fire(.nameServerSilent)
            try await machine.clock.sleep(until: deadline)
            throw HTTPError.nameServerSilent(target)
        }
        let fault = Self.faults.first { world.isOpen($0, part: device.name, at: now) }
        guard let fault else {
            try await machine.clock.sleep(for: Self.usualDelay)
            return try answer(device, target)
        }
        record(fault, device)
        return try await answer(device, target, until: deadline, with: fault)
    }

    private func answer(
        _ device: Scenario.HTTPDevice,
        _ target: HTTPTarget,
        until deadline: MonotonicInstant,
        with fault: FaultKind
    ) async throws -> HTTPResponse {
        var chance = machine.world.dice(at: machine.now)
        switch fault {
        case .httpRefuses: throw HTTPError.refused(target)
        case .httpGarbage:
            let kinds: [HTTPLineSimulator.Fault] = [.error, .short, .commas]
            let number = chance.index(kinds.count + 1)
            guard number < kinds.count else {
                throw HTTPError.malformed(target, "no status line")
            }
            return try answer(device, target, kinds[number])
        case .httpMoved:
            // Another device has its address now, and says who it is, or that there is nothing.
            let page = Array("<!DOCTYPE html><title>Printer</title>".utf8)
            return HTTPResponse(status: chance.index(2) == 0 ? 200 : 404, body: page)
        case .httpSlow:
            // Byte after byte: the last one comes in time, or too late.
            let end = machine.clock.now.advanced(by: .seconds(2 + chance.index(20)))
            try await machine.clock.sleep(until: min(end, deadline))
            guard end <= deadline else { throw HTTPError.timedOut(target) }
            return try answer(device, target)
        default:
            try await machine.clock.sleep(until: deadline)
            throw HTTPError.timedOut(target)
        }
    }

    /// Notes for the checker that this device was queried during a fault.
    private func record(_ fault: FaultKind, _ device: Scenario.HTTPDevice) {
        let world = machine.world
        world.fire(fault)
        let window = world.records.windows.last { $0.kind == fault && $0.part == device.name }
        guard let window else { return }
        world.records.hitParts.insert(LifeRecords.Hit(part: device.name, at: window.start))
    }

    private func answer(
        _ device: Scenario.HTTPDevice,
        _ target: HTTPTarget,
        _ fault: HTTPLineSimulator.Fault? = nil
    ) throws -> HTTPResponse {
        guard let response = machine.world.network.answer(device, fault: fault), !machine.isDead
        else { throw HTTPError.timedOut(target) }
        return response
    }
}
