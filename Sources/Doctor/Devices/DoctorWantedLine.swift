import Configuration
import Devices
import HardwareIO
import LinuxPlatform
import Station

extension StationConfiguration {
    /// Serial ports by device, in the file's order; without those that a gpsd reads, and without
    /// places on a bus.
    var serialPorts: [(device: String, port: String)] {
        devices.compactMap { device in
            guard case .sensor(let sensor) = device.kind,
                !GPSDAddress.isMeant(by: sensor.port), BusPlace(sensor.port) == nil
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
        usedLines.map { DoctorWantedLine(user: $0.device, chip: $0.chip, line: $0.line) }
    }
}

/// A line that the configuration names, and for whom.
struct DoctorWantedLine: Hashable {
    let user: String
    /// Label of the chip; nil means the first that has the line.
    let chip: String?
    let line: LineRequest.Line
}
