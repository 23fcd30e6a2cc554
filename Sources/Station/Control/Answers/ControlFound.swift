import ControlProtocol
import Core

/// Carries out what a person decides about a device that was found, and records the user.
struct ControlFound: Sendable {
    let station: StationState
    let settings: ControlSettings

    func adopt(_ question: AdoptDevice, by asker: ControlAsker) async throws {
        let act = DetectionMachine.Act.adopt(profile: question.profile, name: question.name)
        try carryOut(act, .adoptAsked, on: question.device, by: asker)
    }

    func ignore(_ device: String, by asker: ControlAsker) async throws {
        try carryOut(.ignore, .ignoreAsked, on: device, by: asker)
    }

    func rename(_ device: String, to name: String, by asker: ControlAsker) async throws {
        if isOwn(device) { return try await settings.rename(device, to: name, by: asker) }
        try carryOut(.rename(name), .renameAsked, on: device, by: asker)
        try await settings.follow(device, to: name, by: asker)
    }

    func forget(_ device: String, by asker: ControlAsker) async throws {
        if isOwn(device) { return try await settings.remove(device, by: asker) }
        try carryOut(.forget, .forgetAsked, on: device, by: asker)
        try await settings.follow(device, to: nil, by: asker)
    }

    /// Whether the owner added it.
    private func isOwn(_ device: String) -> Bool { station.origin(of: device) == .owner }

    private func carryOut(
        _ act: DetectionMachine.Act,
        _ kind: EventKind.Plain,
        on device: String,
        by asker: ControlAsker
    ) throws(ControlFailure) {
        do throws(DetectionRefusal) { try station.act(act, on: device) } catch {
            throw ControlFailure(code: error.code, message: error.message)
        }
        asker.record(
            kind,
            [Event.Detail("device", device)],
            at: station.context.clock.now,
            in: station.context.recorder
        )
    }
}
