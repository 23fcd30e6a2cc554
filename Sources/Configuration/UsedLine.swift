import Devices
import HardwareIO

/// A GPIO line that the configuration names, and the device that has it.
package struct UsedLine: Hashable, Sendable {
    /// The device's name, or `lights`.
    package let device: String
    /// Label of the chip; nil means the first that has the line.
    package let chip: String?
    package let line: LineRequest.Line

    package init(device: String, chip: String?, line: LineRequest.Line) {
        (self.device, self.chip, self.line) = (device, chip, line)
    }

    /// Why a line cannot be had, as words.
    package static func conflict(with device: String) -> String {
        "is in use by \(device); choose a free pin, as `roost devices pins` shows them"
    }

    /// The pin of the header that it is, if it is one of them.
    package var pin: HeaderPin? { HeaderPin.of(line, chip: chip) }

    /// Whether both are one line, however they are named.
    func isSame(as other: UsedLine) -> Bool {
        if let pin, let others = other.pin { return pin == others }
        return line == other.line && (chip == nil || other.chip == nil || chip == other.chip)
    }
}

extension DeviceConfiguration {
    /// The GPIO line that the device has; nil for a device elsewhere.
    package var usedLine: UsedLine? {
        switch kind {
        case .pir(let pir): UsedLine(device: name, chip: pir.chipLabel, line: pir.line)
        case .button(let button):
            UsedLine(device: name, chip: button.chipLabel, line: button.line)
        case .led(let led):
            UsedLine(device: name, chip: led.settings.chipLabel, line: led.settings.line)
        case .sensor, .http: nil
        }
    }

    /// Whether holding it for 15 s gives the station away; nil for what is no button.
    package var resets: Bool? {
        if case .button(let button) = kind { button.resets } else { nil }
    }
}

extension LightsConfiguration {
    /// Name of the lamps in reports and settings; a station has them once.
    package static let name = "lights"

    /// The three lines of the lamps; none where letters are written instead.
    package var usedLines: [UsedLine] {
        guard case .lines(let chip, let lines, _) = output else { return [] }
        return lines.map { UsedLine(device: Self.name, chip: chip, line: $0) }
    }
}

extension StationConfiguration {
    /// GPIO lines of all devices in their order, and of the lamps.
    package var usedLines: [UsedLine] {
        devices.compactMap(\.usedLine) + (lights?.usedLines ?? [])
    }
}
