import Core
import Store

/// The time that a person confirmed, for this boot of the board.
struct ConfirmedTime: Sendable {
    let wall: WallTime
    let at: MonotonicInstant

    init(_ wall: WallTime, at instant: MonotonicInstant) { (self.wall, at) = (wall, instant) }

    /// What a process before this one stored in the same boot; nil without such a word.
    init?(_ anchors: [ClockAnchor], in boot: BootID) {
        let own = anchors.filter { $0.boot == boot && $0.trust == .person }
        guard let last = own.max(by: { $0.tick < $1.tick }) else { return nil }
        self.init(last.wall, at: last.tick.instant)
    }

    func reading(at now: MonotonicInstant) -> WallReading {
        let since = at.duration(to: now).wholeNanoseconds
        return WallReading(WallTime(nanoseconds: wall.nanoseconds + since), .person)
    }
}
