import Core
import Store

/// Time at which a store was made; `claim.window` depends on it.
///
/// Kept as a setting of the store, while that switch is on.
struct StoreCreation: Hashable, Sendable {
    static let key = "store.made"
    /// A store is young for so long.
    static let youth = Duration.hours(24)

    let boot: String
    /// Seconds of that boot.
    let seconds: Int64
    /// Seconds since 1970; nil while the clock was not trusted.
    var wall: Int64?

    init(boot: BootID, at instant: MonotonicInstant) {
        (self.boot, seconds) = ("\(boot)", Self.seconds(instant))
    }

    /// As it is stored: the boot, its seconds, and a date or `-`; nil for other text.
    init?(_ text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 3, let seconds = Int64(parts[1]) else { return nil }
        (boot, self.seconds, wall) = (String(parts[0]), seconds, Int64(parts[2]))
    }

    var text: String { "\(boot) \(seconds) \(wall.map { "\($0)" } ?? "-")" }

    /// Adds the date of a store that was made in this boot and has none.
    mutating func date(_ wall: WallTime, at now: MonotonicInstant, in boot: BootID) {
        guard self.wall == nil, self.boot == "\(boot)" else { return }
        self.wall = Self.seconds(wall) - (Self.seconds(now) - seconds)
    }

    /// Whether the store is younger than a day.
    ///
    /// By this boot's running time, or by two dates that the station trusts; without them it counts
    /// as old.
    func isYoung(at now: MonotonicInstant, wall: WallTime?, in boot: BootID) -> Bool {
        let youth = Int64(Self.youth.inSeconds)
        if self.boot == "\(boot)" { return (0..<youth).contains(Self.seconds(now) - seconds) }
        guard let made = self.wall, let wall else { return false }
        return (0..<youth).contains(Self.seconds(wall) - made)
    }

    private static func seconds(_ instant: MonotonicInstant) -> Int64 { Int64(instant.inSeconds) }

    private static func seconds(_ wall: WallTime) -> Int64 { wall.nanoseconds / 1_000_000_000 }
}
