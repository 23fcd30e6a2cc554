import Core
import Store

/// Finds the tick of a boot at a moment.
struct TickSearch {
    /// Search limit: the tenths of a second in a hundred years.
    private static let limit: Int64 = 100 * 366 * 86_400 * 10

    private let clock: ClockAnchors
    private let boot: BootID

    init(_ clock: ClockAnchors, _ boot: BootID) { (self.clock, self.boot) = (clock, boot) }

    /// Returns the last tick up to a moment; nil where the boot began later, or is not dated.
    func last(notAfter moment: WallTime) -> Tick? {
        guard let start = clock.time(boot, Tick(tenths: 0)), start.isSure, start.wall <= moment
        else { return nil }
        var (low, high) = (Int64(0), Self.limit)
        while low + 1 < high {
            let middle = (low + high) / 2
            let isLater = clock.time(boot, Tick(tenths: middle)).map { $0.wall > moment } ?? true
            if isLater { high = middle } else { low = middle }
        }
        return Tick(tenths: low)
    }
}
