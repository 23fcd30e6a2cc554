import HardwareIO

/// The name under which a driver of the kernel shows a part.
///
/// It is proof: the driver has recognised its part, or a person has bound it to this address.
package struct SensorMatch: Hashable, Sendable {
    /// One of `HotplugDevice.sensorSubsystems`.
    package let subsystem: String
    /// What the file `name` says, with `*` for any number of characters: `bme280`, `28-*`.
    package let name: String

    package init(subsystem: String, name: String) {
        (self.subsystem, self.name) = (subsystem, name)
    }

    package func agrees(with device: HotplugDevice) -> Bool {
        device.subsystem == subsystem
            && device.sensorName.map { Glob.matches($0, name) } == true
    }

    /// Whether a part can fit both.
    func meets(_ other: SensorMatch) -> Bool {
        subsystem == other.subsystem && Glob.meet(name, other.name)
    }

    /// `iio bme280`, for people.
    package var text: String { "\(subsystem) \(name)" }
}

extension SensorMatch {
    /// Reads an entry of `match` in a profile of kind `bus`.
    init?(_ entry: inout ObjectReader) {
        let subsystem = entry.required("subsystem", in: HotplugDevice.sensorSubsystems)
        let name = entry.requiredText("name", limit: 64, .glob)
        entry.finish()
        guard let subsystem, let name else { return nil }
        self.init(subsystem: subsystem, name: name)
    }
}
