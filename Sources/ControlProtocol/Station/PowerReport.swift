/// The battery or UPS of a machine, and its supplies.
package struct PowerReport: Codable, Hashable, Sendable {
    /// One supply, as the kernel names it.
    package struct Supply: Codable, Hashable, Sendable {
        package let name: String
        /// `battery` or `mains`.
        package let kind: String
        package let percent: Int?
        /// Battery only: `charging`, `discharging`, `idle`, `full` or `unknown`.
        package let flow: String?
        package let isOnline: Bool?

        package init(name: String, kind: String, percent: Int?, flow: String?, isOnline: Bool?) {
            self.name = name
            self.kind = kind
            self.percent = percent
            self.flow = flow
            self.isOnline = isOnline
        }
    }

    /// Whether the machine lives on its battery; nil where nothing says so.
    package let isOnBattery: Bool?
    /// Charge that is left; nil where the battery does not say.
    package let percent: Int?
    package let isLow: Bool
    /// Charge at which the machine is shut down; nil for never.
    package let powerOffPercent: Int?
    package let supplies: [Supply]

    package init(
        isOnBattery: Bool?,
        percent: Int?,
        isLow: Bool,
        powerOffPercent: Int?,
        supplies: [Supply]
    ) {
        self.isOnBattery = isOnBattery
        self.percent = percent
        self.isLow = isLow
        self.powerOffPercent = powerOffPercent
        self.supplies = supplies
    }
}
