import Core

/// A device of the station with its quantities.
package struct SampleChannels: Hashable, Sendable {
    package let device: String
    /// Quantities that a target gets after the owner's choice of streams.
    package let chosen: [Quantity]
    /// All quantities of the device.
    package let all: [Quantity]

    /// - Parameters:
    ///   - chosen: Quantities that a target may get.
    package init(device: String, _ chosen: [Quantity], of all: [Quantity]) {
        (self.device, self.chosen, self.all) = (device, chosen, all)
    }

    /// Text for people, such as `sds011 (pm25, pm10)`.
    var text: String { "\(device) (\(all.map(\.name).joined(separator: ", ")))" }
}
