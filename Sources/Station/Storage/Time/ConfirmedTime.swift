import Core
import Store

/// The time by another source than the system clock, for this boot of the board.
struct ConfirmedTime: Sendable {
    /// Whether a time is worth keeping.
    enum Worth: Hashable, Sendable {
        case nothing
        /// Agrees with the known time, which was stored long ago.
        case again
        case news
    }

    let wall: WallTime
    let at: MonotonicInstant
    /// Trust in the source: a person, a receiver, a browser or a station nearby.
    let trust: ClockTrust
    /// The name of the receiver or the station nearby; nil for a time of another kind, or of an
    /// earlier process.
    let device: String?
    /// Uncertainty of a nearby station's time; nil means the usual one of the source's kind.
    var stationDoubt: Duration?

    init(
        _ wall: WallTime,
        at instant: MonotonicInstant,
        by trust: ClockTrust,
        device: String? = nil
    ) {
        (self.wall, at, self.trust, self.device) = (wall, instant, trust, device)
    }

    /// The most trusted that a process before this one stored in the same boot; nil without any.
    init?(_ anchors: [ClockAnchor], in boot: BootID) {
        let own = anchors.filter { $0.boot == boot && $0.trust.isConfirmed }
        let last = own.max { ($0.trust.rank, $0.tick) < ($1.trust.rank, $1.tick) }
        guard let last else { return nil }
        self.init(last.wall, at: last.tick.instant, by: last.trust)
    }

    func reading(at now: MonotonicInstant) -> WallReading {
        WallReading(wall.advanced(by: at.duration(to: now)), trust)
    }

    /// How far it may be off by now: a crystal runs wrong by 100 in a million at most.
    func doubt(at now: MonotonicInstant) -> Duration {
        (stationDoubt ?? trust.uncertainty ?? .zero) + at.duration(to: now) / 10_000
    }

    /// Whether this time is better than the known one.
    ///
    /// A person's time always is. A time that is trusted less than a known one never is, so a wrong
    /// source cannot take the place of a better one.
    ///
    /// - Returns: Whether it is kept, and whether an event says so.
    func worth(after known: ConfirmedTime?, _ system: WallReading?) -> Worth {
        guard trust != .person else { return .news }
        guard system.map({ $0.trust.rank < trust.rank }) ?? true else { return .nothing }
        guard let known, known.trust.rank >= trust.rank else { return .news }
        guard known.trust == trust else { return .nothing }
        let apart = known.reading(at: at).wall.nanoseconds - wall.nanoseconds
        // Each of the two may be off by so much.
        let doubt = (stationDoubt ?? trust.uncertainty ?? .zero) * 2
        let age = known.at.duration(to: at)
        if apart.magnitude > doubt.wholeNanoseconds.magnitude {
            return age >= patience(with: known) ? .news : .nothing
        }
        return age >= AnchorSchedule.interval ? .again : .nothing
    }

    /// How long another time of the same kind counts at least: two receivers that contradict each
    /// other, or one that jumps to and fro, do not fill the log.
    private func patience(with known: ConfirmedTime) -> Duration {
        guard trust == .receiver else { return .zero }
        return device != nil && device == known.device ? .minutes(1) : AnchorSchedule.interval
    }
}
