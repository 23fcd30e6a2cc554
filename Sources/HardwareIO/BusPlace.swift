import Core

/// Where a part on a bus of the board is.
package enum BusPlace: Hashable, Sendable {
    /// A folder in sysfs, in which a driver of the kernel shows the part.
    case folder(String)
    /// An address on an I²C bus that no driver of the kernel has: `/dev/i2c-1@0x62`.
    case address(bus: String, UInt8)

    /// Addresses that a part may have; the others are reserved.
    ///
    /// - Source: NXP UM10204, *I²C-bus specification and user manual*, table 4.
    package static let addresses: ClosedRange<UInt8> = 0x08...0x77

    /// The place that a device's path names; nil for a serial line.
    ///
    /// A folder `sys` may lie anywhere: a test bench makes its own.
    package init?(_ path: String) {
        if path.hasPrefix("/"), path.contains("/sys/") {
            self = .folder(path)
        } else if path.hasPrefix("/dev/i2c-"), let mark = path.firstIndex(of: "@") {
            let digits = path[path.index(after: mark)...]
            let number = path[..<mark].dropFirst("/dev/i2c-".count)
            guard digits.hasPrefix("0x"), let address = UInt8(digits.dropFirst(2), radix: 16),
                Self.addresses.contains(address),
                PlainDecimal.whole(number.utf8, in: 0...255) != nil
            else { return nil }
            self = .address(bus: String(path[..<mark]), address)
        } else {
            return nil
        }
    }
}

extension BusPlace {
    /// Whether other parts share its wires, by I²C: one that holds them holds up all.
    package var isOnI2C: Bool {
        switch self {
        case .folder(let folder): folder.contains("/i2c-") || folder.contains("/bus/i2c/")
        case .address: true
        }
    }
}

extension HotplugDevice {
    /// Subsystems in which drivers of the kernel show sensors.
    package static let sensorSubsystems = ["iio", "hwmon", "w1"]

    /// The kernel's name of a sensor, such as `bme280`; nil for any other device.
    package var sensorName: String? {
        Self.sensorSubsystems.contains(subsystem) ? properties[Self.sensorNameKey] : nil
    }

    /// The property that holds what the file `name` in a sensor's folder says.
    package static let sensorNameKey = "ROOST_SENSOR_NAME"

    /// The part of a sensor's path that stays the same over boots, without numbers of arrival.
    package var sensorPath: String {
        let moving = ["iio:device", "hwmon"]
        return devpath.split(separator: "/").prefix { part in
            !moving.contains { part.hasPrefix($0) }
        }.joined(separator: "/")
    }

    /// Where a sensor is found under the same name at each boot, such as
    /// `/sys/bus/i2c/devices/1-0076`; nil for one that is on neither bus.
    package var sensorLink: String? {
        guard sensorName != nil, let part = sensorPath.split(separator: "/").last else {
            return nil
        }
        if Self.isBusAddress(part) { return "/sys/bus/i2c/devices/\(part)" }
        let halves = part.split(separator: "-", omittingEmptySubsequences: false)
        guard halves.count == 2, halves[1].count == 12, UInt64(halves[1], radix: 16) != nil,
            halves[0].count == 2, UInt8(halves[0], radix: 16) != nil
        else { return nil }
        return "/sys/bus/w1/devices/\(part)"
    }

    /// Whether a text is how the kernel writes a place on I²C: `1-0076`.
    package static func isBusAddress(_ text: some StringProtocol) -> Bool {
        let halves = text.split(separator: "-", omittingEmptySubsequences: false)
        return halves.count == 2 && halves[1].count == 4 && UInt16(halves[1], radix: 16) != nil
            && UInt8(halves[0]) != nil
    }
}
