import Configuration
import ControlProtocol
import HardwareIO
import Profiles

/// Finds what a lamp shows, and what a person may let it show.
struct ControlLamps: Sendable {
    let station: StationState

    /// What the lamp of that name shows, and the device that it follows; nil for no lamp.
    func shown(_ name: String) -> (shows: String?, follows: String?) {
        let configuration = station.configuration
        if name == LightsConfiguration.name, let lights = configuration.lights {
            return (LEDConfiguration.Shows.level.rawValue, lights.follows)
        }
        let lamp = configuration.led(name)
        return (lamp?.shows.rawValue, lamp?.follows)
    }

    /// The entries of the owner's settings for what a question lets a lamp show.
    ///
    /// - Throws: `ControlFailure` for a device that has nothing which the lamp could show.
    func fields(of question: ConfigureDevice) throws(ControlFailure) -> [String: JSONValue] {
        var fields: [String: JSONValue] = [:]
        let isTraffic = question.device == LightsConfiguration.name
        if let shows = question.shows {
            fields["shows"] = .string(shows)
            // Another thing to show has another device to follow, if any.
            fields["follows"] = .null
        }
        guard let follows = question.follows else { return fields }
        guard !follows.isEmpty else {
            fields["follows"] = .null
            return fields
        }
        let configuration = station.effective
        let shows =
            question.shows ?? configuration.led(question.device)?.shows.rawValue
            ?? (isTraffic ? LEDConfiguration.Shows.level : .station).rawValue
        guard let device = configuration.devices.first(where: { $0.name == follows }) else {
            throw .badRequest(
                "there is no device \(PlainText.shown(follows)); `roost devices` lists them",
                at: "/follows"
            )
        }
        let problem: String? =
            switch LEDConfiguration.Shows(rawValue: shows) {
            case .level: device.measuresDust ? nil : "measures no pm25, so it has no level"
            case .motion: device.seesMotion ? nil : "sees no motion"
            case .station, .camera: "is not followed by a lamp that shows \(shows)"
            case nil: nil
            }
        if let problem { throw .badRequest("\(follows) \(problem)", at: "/follows") }
        fields["follows"] = .string(follows)
        return fields
    }
}

extension StationConfiguration {
    /// The LED of that name; nil where no LED has it.
    fileprivate func led(_ name: String) -> LEDConfiguration? {
        guard let device = devices.first(where: { $0.name == name }),
            case .led(let lamp) = device.kind
        else { return nil }
        return lamp
    }
}
