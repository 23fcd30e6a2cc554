/// Hours of the wall clock on the timeline of an alert engine.
package struct AlertHours: Sendable {
    /// Seconds from the timeline to those since 1970; 0 while no clock is known.
    package var shift: Int
    /// Seconds east of Greenwich at a second since 1970.
    private let zone: @Sendable (Int) -> Int

    package init(shift: Int = 0, zone: @escaping @Sendable (Int) -> Int = { _ in 0 }) {
        (self.shift, self.zone) = (shift, zone)
    }

    /// The start of the hour that a second is in.
    func hour(of second: Int) -> Int {
        let local = second + shift + offset(at: second)
        return second - (local - local.slot(3_600) * 3_600)
    }

    /// The second at which clocks showed the same on an earlier day.
    func same(as second: Int, daysBefore days: Int) -> Int {
        let earlier = second - days * 86_400
        return earlier + offset(at: second) - offset(at: earlier)
    }

    private func offset(at second: Int) -> Int { zone(second + shift) }
}
