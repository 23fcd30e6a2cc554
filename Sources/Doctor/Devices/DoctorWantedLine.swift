import Configuration
import Devices
import HardwareIO
import LinuxPlatform
import Station

extension StationConfiguration {
    /// Serial ports by device, in the file's order; without those that a gpsd reads.
    var serialPorts: [(device: String, port: String)] {
        devices.compactMap { device in
            guard case .sensor(let sensor) = device.kind,
                !GPSDAddress.isMeant(by: sensor.port)
            else { return nil }
            return (device.name, sensor.port)
        }
    }

    /// Devices on the network, in the file's order.
    var httpDevices: [(device: String, target: HTTPTarget)] {
        devices.compactMap { device in
            guard case .http(let http) = device.kind else { return nil }
            return (device.name, http.target)
        }
    }

    /// GPIO lines that the configured lights and devices need.
    var wantedLines: [DoctorWantedLine] {
        var wanted: [DoctorWantedLine] = devices.compactMap { device in
            let (chip, line): (String?, LineRequest.Line)
            switch device.kind {
            case .pir(let pir): (chip, line) = (pir.chipLabel, pir.line)
            case .button(let button): (chip, line) = (button.chipLabel, button.line)
            case .led(let led): (chip, line) = (led.settings.chipLabel, led.settings.line)
            case .sensor, .http: return nil
            }
            return DoctorWantedLine(user: device.name, chip: chip, line: line)
        }
        if case .lines(let chip, let lines, _) = lights?.output {
            wanted += lines.map { DoctorWantedLine(user: "lights", chip: chip, line: $0) }
        }
        return wanted
    }
}

/// A line that the configuration names, and for whom.
struct DoctorWantedLine: Hashable {
    let user: String
    /// Label of the chip; nil means the first that has the line.
    let chip: String?
    let line: LineRequest.Line
}
