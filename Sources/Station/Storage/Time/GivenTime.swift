import ControlProtocol
import Core
import Store
import Synchronization

/// Keeps the time that a person, a receiver of positions, a browser or a station nearby gave.
///
/// The most trusted of this boot counts. Memory: one time, and how those of stations nearby were
/// used.
final class GivenTime: Sendable {
    /// Stores one.
    typealias Keep = @Sendable (ConfirmedTime) -> Void

    private struct State {
        var best: ConfirmedTime?
        /// Stores the time; nil while no store is open.
        var keep: Keep?
        var nearby: NearbyClockReport?
    }

    private let state = Mutex(State())

    /// Stores each time given from now on; `told` is the one stored earlier in this boot.
    func open(after told: ConfirmedTime?, _ keep: @escaping Keep) {
        state.withLock { ($0.best, $0.keep) = ($0.best ?? told, keep) }
    }

    /// How the times of stations nearby were used, the last time they were asked.
    var nearby: NearbyClockReport? {
        get { state.withLock { $0.nearby } }
        set { state.withLock { $0.nearby = newValue } }
    }

    /// The best time, if a station nearby gave it.
    var ofNeighbour: ConfirmedTime? {
        state.withLock { $0.best?.trust == .station ? $0.best : nil }
    }

    /// How far the best time may be off; nil when there is none.
    func doubt(at now: MonotonicInstant) -> Duration? { state.withLock { $0.best?.doubt(at: now) } }

    /// Returns the best time at `now`; nil when there is none.
    func reading(at now: MonotonicInstant) -> WallReading? {
        state.withLock { $0.best }?.reading(at: now)
    }

    /// The present time from the most trusted source; nil when none knows it.
    func reading(beside clock: any NodeClock) -> WallReading? {
        let said = clock.wallReading
        guard said?.trust != .synchronised else { return said }
        return reading(at: clock.now) ?? said
    }

    /// Keeps a time that is better than the known one; it dates the whole boot.
    ///
    /// - Returns: Whether it was kept and is news; nil while no store is open.
    func give(_ time: ConfirmedTime, beside system: WallReading?) -> ConfirmedTime.Worth? {
        let (worth, keep): (ConfirmedTime.Worth?, Keep?) = state.withLock { state in
            guard let keep = state.keep else { return (nil, nil) }
            let worth = time.worth(after: state.best, system)
            guard worth != .nothing else { return (worth, nil) }
            state.best = time
            return (worth, keep)
        }
        keep?(time)
        return worth
    }
}

/// A date of a receiver of positions, which counts weeks by 1024 and so may be off by 19.6 years.
struct ReceiverDate: Hashable, Sendable {
    /// 1024 weeks.
    static let round: Int64 = 1_024 * 7 * 86_400 * 1_000_000_000

    let wall: WallTime
    /// Weeks by which it was corrected: a multiple of 1024.
    let weeks: Int64

    /// - Parameters:
    ///   - start: When the program was built: it is not earlier now, nor 1024 weeks later.
    init(_ said: WallTime, notBefore start: WallTime) {
        let since = said.nanoseconds - start.nanoseconds
        let rounds = -(since >= 0 ? since / Self.round : (since + 1) / Self.round - 1)
        wall = WallTime(nanoseconds: said.nanoseconds + rounds * Self.round)
        weeks = rounds * 1_024
    }
}
