import Devices
import HardwareIO
import Profiles

/// A line of this machine that a person named.
struct PinPlace: Sendable {
    /// Label of its chip.
    let chip: String
    let line: GPIOLineReport
    /// The pin of the header that it is, if it is one of them.
    let pin: HeaderPin?

    /// `GPIO17`; `line 5` for one of another chip without a name.
    var name: String { pin?.name ?? line.name ?? "line \(line.offset)" }

    /// As an entry of the owner's settings: by name, or by number where it has no usual name.
    var setting: JSONValue {
        if let name = line.name, pin == nil || name == pin?.name { return .string(name) }
        return .number(Double(line.offset))
    }

    /// The request that tries a part of this kind on it.
    func request(_ profile: Profile) -> LineRequest {
        let line = LineRequest.Line.offset(line.offset)
        let consumer = "roost try"
        switch profile.driver {
        case "button":
            var settings = ButtonSettings(line: line, chipLabel: chip)
            profile.readSettings { settings.read(&$0) }
            return settings.request(consumer: consumer)
        case "pir":
            var settings = PIRSettings(line: line, chipLabel: chip)
            profile.readSettings { settings.read(&$0) }
            return settings.request(consumer: consumer)
        default:
            var settings = LEDSettings(line: line, chipLabel: chip)
            profile.readSettings { settings.isActiveLow = $0.bool("activeLow") ?? false }
            return settings.request(consumer: consumer)
        }
    }
}
