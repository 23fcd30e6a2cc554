import Core
import Store

/// Turns instants of a boot into the seconds of an `AlertEngine`, and back.
///
/// The seconds go on like the monotonic clock, so a clock that is set moves none of them. Where the
/// wall clock was known at the start they are those since 1970, so that hours begin together.
struct AlertTimeline: Hashable, Sendable {
    /// Second of the boot while no clock is known: far from 0, so that the past fits before it.
    private static let unknownBase = 400 * 86_400

    /// The second of the boot's begin.
    let base: Int

    init(at now: MonotonicInstant, _ wall: WallTime?) {
        base = wall.map { Self.seconds($0.nanoseconds - now.nanoseconds) } ?? Self.unknownBase
    }

    func second(of instant: MonotonicInstant) -> Int { base + Self.seconds(instant.nanoseconds) }

    func second(of tick: Tick) -> Int {
        base + Int(tick.tenths).flooredDivision(by: 10).quotient
    }

    func instant(of second: Int) -> MonotonicInstant {
        MonotonicInstant.boot.advanced(by: .seconds(second - base))
    }

    /// From the timeline to seconds since 1970.
    func shift(at now: MonotonicInstant, _ wall: WallTime?) -> Int {
        wall.map { Self.seconds($0.nanoseconds - now.nanoseconds) - base } ?? 0
    }

    private static func seconds(_ nanoseconds: Int64) -> Int {
        Int(nanoseconds).flooredDivision(by: 1_000_000_000).quotient
    }
}
