/// Whether all is well, for monitors that raise an alarm when this report stops.
package struct HealthReport: Codable, Hashable, Sendable {
    /// Whether there are no reasons.
    package let ok: Bool
    /// Ids of the present faults, and `late:NAME` of each device that has measured nothing for too
    /// long.
    package let reasons: [String]

    package init(reasons: [String]) { (ok, self.reasons) = (reasons.isEmpty, reasons) }
}

/// The time since a device last measured.
package struct DeviceProgressReport: Codable, Hashable, Sendable {
    package let device: String
    /// Seconds since its last value, a muted one included; nil before the first.
    package let progressAgeSeconds: Double?

    package init(device: String, progressAgeSeconds: Double?) {
        (self.device, self.progressAgeSeconds) = (device, progressAgeSeconds)
    }
}
