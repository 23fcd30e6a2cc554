/// The humidity for which a value of dust is doubted, and the device that measured it.
package struct HumidityReport: Codable, Hashable, Sendable {
    /// Name of the device; the dust sensor's own where that measures humidity itself.
    package let device: String
    /// Relative humidity in per cent.
    package let percent: Double

    package init(device: String, percent: Double) {
        (self.device, self.percent) = (device, percent)
    }
}
