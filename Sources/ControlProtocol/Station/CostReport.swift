/// Wake-ups, processor time and writes of the node in a stretch of time, measured by itself.
package struct CostReport: Codable, Hashable, Sendable {
    /// Real length of the stretch: shorter than its name after a start, a little longer when the
    /// node had no reason to wake up.
    package let seconds: Double
    package let wakeUps: Int
    package let cpuMilliseconds: Double
    /// Bytes written to the card; nil where the platform does not count them.
    package let cardBytes: Int?
    package let cardSyncs: Int

    package init(
        seconds: Double,
        wakeUps: Int,
        cpuMilliseconds: Double,
        cardBytes: Int?,
        cardSyncs: Int
    ) {
        self.seconds = seconds
        self.wakeUps = wakeUps
        self.cpuMilliseconds = cpuMilliseconds
        self.cardBytes = cardBytes
        self.cardSyncs = cardSyncs
    }
}

/// Operating hours of one part that wears while it is on, such as a laser.
package struct LaserReport: Codable, Hashable, Sendable {
    /// Type and own id of the part: `nova-sds011 A160`; the device's name where it has no id.
    package let part: String
    /// The device that contains it now; nil when it is not connected.
    package let device: String?
    /// Operating hours in all, as far as this station saw them.
    package let hours: Double
    /// Operating hours that its maker promises; nil where the maker gives none.
    package let lifeHours: Double?
    /// Days until `lifeHours` at this run's pace; nil in its first hour, or without `lifeHours`.
    package let daysLeft: Double?
    /// Date at which `lifeHours` is reached, ISO 8601; nil while the time is not known.
    package let endOfLife: String?

    package init(
        part: String,
        device: String?,
        hours: Double,
        lifeHours: Double?,
        daysLeft: Double?,
        endOfLife: String?
    ) {
        self.part = part
        self.device = device
        self.hours = hours
        self.lifeHours = lifeHours
        self.daysLeft = daysLeft
        self.endOfLife = endOfLife
    }
}
