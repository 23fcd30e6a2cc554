import ControlProtocol
import Core
import Profiles
import Synchronization

/// The devices whose values went into another device's last sample, for reports.
///
/// Bound: `deviceLimit` devices; further ones are not kept.
final class Neighbours: Sendable {
    private static let deviceLimit = 64

    private struct Entry {
        let humidity: NeighbourChoice?
        let choices: [NeighbourChoice]
    }

    private let entries = Mutex<[String: Entry]>([:])

    init() {}

    /// Keeps what went into a sample of a device.
    ///
    /// - Parameter humidity: The one that decides whether the air is damp; nil for none.
    func set(_ device: String, humidity: NeighbourChoice?, _ choices: [NeighbourChoice]) {
        entries.withLock { entries in
            guard entries[device] != nil || entries.count < Self.deviceLimit else { return }
            entries[device] = Entry(humidity: humidity, choices: choices)
        }
    }

    /// The humidity of a device's last sample, and where it is from; nil where none was known.
    func humidity(of device: String) -> HumidityReport? {
        entries.withLock { $0[device]?.humidity }.map {
            HumidityReport(device: $0.device, percent: $0.value)
        }
    }

    /// Facts of a device: which other devices' values it takes, and which it does not and why.
    func facts(of device: String) -> [Fact] {
        let choices = entries.withLock { $0[device]?.choices } ?? []
        return choices.flatMap { choice in
            let others = NeighbourChoice.Reason.allCases.compactMap { reason in
                choice.passedOver[reason].map { Fact(Self.name(choice, reason), $0) }
            }
            return [Fact("\(choice.quantity)From", choice.device)] + others
        }
    }

    /// `humidityNotFromWarm`: devices that were passed over because they warm themselves.
    private static func name(_ choice: NeighbourChoice, _ why: NeighbourChoice.Reason) -> String {
        let reason = why.rawValue
        return "\(choice.quantity)NotFrom\(reason.prefix(1).uppercased())\(reason.dropFirst())"
    }
}
