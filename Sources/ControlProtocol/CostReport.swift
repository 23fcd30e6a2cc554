/// What a stretch of time cost, measured by the node itself.
package struct CostReport: Codable, Hashable, Sendable {
    /// How long the stretch really is: shorter than its name after a start, a little longer when
    /// the node had no reason to wake up.
    package let seconds: Double
    package let wakeUps: Int
    package let cpuMilliseconds: Double
    /// Nil where the platform does not count them.
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

/// The account of one part that wears while it is on.
package struct LaserReport: Codable, Hashable, Sendable {
    /// What it is and its own id: `nova-sds011 A160`; the device's name for a part without one.
    package let part: String
    /// The device that has it now; nil when it is not here.
    package let device: String?
    /// All its life, as far as this station saw it.
    package let hours: Double
    /// What its maker gives it; nil when he says nothing.
    package let lifeHours: Double?
    /// At the pace of this run; nil before an hour of it, or without `lifeHours`.
    package let daysLeft: Double?
    /// The same as a date, ISO 8601; nil while the time is not known.
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
