import Core
import Devices
import HardwareIO
import Profiles

/// A motion sensor on one line.
package struct PIRConfiguration: Hashable, Sendable {
    /// Label of the chip; nil means the first that has the line.
    package let chip: String?
    package let line: LineRequest.Line
    /// 0…600 s after the start in which movement is ignored; default 60.
    package let settle: Duration
    /// 0…600 s after a movement ends before the next one counts; default 5.
    package let block: Duration
}

/// One LED on a line, and what it shows.
package struct LEDConfiguration: Hashable, Sendable {
    package enum Shows: String, Hashable, Sendable, CaseIterable {
        /// Lit while all is well; blinks while `roost status` names a fault.
        case station
        /// Lit while a motion sensor sees motion.
        case motion
        /// Lit in good air, short dark pulses in moderate, blinks in poor; flashes when the level
        /// is unknown.
        case level
    }

    package let settings: LEDSettings
    package let shows: Shows
    /// The device that decides; nil is every motion sensor, or the first dust sensor.
    package let follows: String?
}

extension DeviceConfiguration.Kind {
    /// Reads the configuration of a part on a GPIO line, with the defaults of its profile.
    ///
    /// - Parameters:
    ///   - reader: At the device's object.
    ///   - profile: What its `type` means.
    ///   - board: The computer, whose chip is the default.
    init?(_ reader: inout ObjectReader, role profile: Profile, _ board: Profile?) {
        let line = reader.line("line")
        let chip = reader.string("chip") ?? board?.chip(of: line.map { [$0] } ?? [])
        if reader.value("line") == nil { reader.problem("line", "is missing") }
        // Read even without its line: all mistakes are reported at once.
        let place = line ?? .offset(0)
        switch profile.driver {
        case "button":
            var settings = ButtonSettings(line: place, chipLabel: chip)
            profile.readSettings { settings.read(&$0) }
            settings.read(&reader)
            self = .button(settings)
        case "led":
            var settings = LEDSettings(line: place, chipLabel: chip)
            profile.readSettings { settings.read(&$0) }
            settings.read(&reader)
            let known = LEDConfiguration.Shows.allCases.map(\.rawValue)
            let shows = reader.string("shows", in: known).flatMap(LEDConfiguration.Shows.init)
            let follows = reader.string("follows")
            self = .led(
                LEDConfiguration(settings: settings, shows: shows ?? .station, follows: follows)
            )
        default:
            var settings = PIRSettings(line: place, chipLabel: chip)
            profile.readSettings { settings.read(&$0) }
            settings.read(&reader)
            self = .pir(
                PIRConfiguration(
                    chip: chip,
                    line: place,
                    settle: settings.settling,
                    block: settings.blockTime
                )
            )
        }
        guard line != nil else { return nil }
    }
}

extension Profile {
    /// Lets a role read its defaults, which were checked when the profile was read.
    func readSettings(_ body: (inout ObjectReader) -> Void) {
        guard var reader = ObjectReader(settings, at: "settings", ProblemList()) else { return }
        body(&reader)
    }

    /// The board's chip, where its header has these lines; offsets always refer to it.
    func chip(of lines: [LineRequest.Line]) -> String? {
        guard let board, let chip = board.gpioChip, !lines.isEmpty else { return nil }
        let isOnHeader = lines.allSatisfy { line in
            switch line {
            case .name(let name): board.header.values.contains(name)
            case .offset: true
            }
        }
        return isOnHeader ? chip : nil
    }
}
