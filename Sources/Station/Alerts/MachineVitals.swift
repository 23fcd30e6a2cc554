/// State of a machine's power supply and card, as the kernel reports it.
package struct MachineVitals: Hashable, Sendable {
    /// Wear of an eMMC; an SD card does not report any.
    package struct Card: Hashable, Sendable {
        /// 1…11: tenths of its life that are used, the worse of its two kinds of memory.
        package let lifeTime: Int
        /// 1 normal, 2 warning, 3 urgent.
        package let endOfLife: Int

        package init(lifeTime: Int, endOfLife: Int) {
            (self.lifeTime, self.endOfLife) = (lifeTime, endOfLife)
        }
    }

    /// Whether the voltage was too low since the last reading; nil without a sensor for it.
    package var isUnderVoltage: Bool?
    /// Wear of the card; nil where the card does not report it.
    package var card: Card?
    /// Batteries and what feeds them; none on most machines.
    package var supplies: [PowerSupply] = []
    /// Whether something waits for the request to shut the machine down.
    package var canPowerOff = false

    package init(
        isUnderVoltage: Bool? = nil,
        card: Card? = nil,
        supplies: [PowerSupply] = []
    ) {
        (self.isUnderVoltage, self.card, self.supplies) = (isUnderVoltage, card, supplies)
    }
}
