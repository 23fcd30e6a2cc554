import Core

/// When a CO₂ sensor last had fresh air, by the lowest values of its last 14 days.
///
/// Such a sensor drifts, and corrects itself only by fresh air, which has about 425 ppm. A value of
/// at most 500 ppm counts as that: a part may be wrong by 61 ppm there.
///
/// - Source: Sensirion, *SCD4x* data sheet 1.1, table 1: ±(40 ppm + 5 %); section 3.7: *automatic
///   self-calibration assumes 400 ppm at least once per week*. Winsen, *MH-Z19B User's Manual*
///   V1.6: ±(50 ppm + 3 %); 20 minutes in fresh air before a calibration by hand.
struct FreshAir: Hashable, Sendable {
    static let limit = 500.0
    /// No air outside has less: what reads lower is wrong.
    static let least = 300.0
    static let dayCount = 14

    /// Days with a value, as days since 1970.
    private var days: Set<Int64> = []
    private var freshAt: WallTime?
    private var lowest: Double?

    static func measures(_ channel: Channel) -> Bool {
        channel.quantity.name == Quantity.co2.name && channel.quantity.unit == Quantity.co2.unit
    }

    /// Adds the lowest value, ppm, of a part of the last 14 days.
    mutating func add(_ ppm: Double, at wall: WallTime) {
        guard ppm >= Self.least else { return }
        days.insert(wall.nanoseconds / 86_400_000_000_000)
        lowest = min(lowest ?? ppm, ppm)
        if ppm <= Self.limit { freshAt = max(freshAt ?? wall, wall) }
    }

    /// How long ago it had fresh air; where it had none, the lowest value, once 14 days have any.
    func facts(at now: WallTime) -> [Fact] {
        if let freshAt {
            let age = Double(max(now.nanoseconds - freshAt.nanoseconds, 0)) / 1e9
            return [Fact("freshAirAgeSeconds", age.rounded())]
        }
        guard days.count >= Self.dayCount, let lowest else { return [] }
        return [Fact("lowestIn14Days", lowest.rounded())]
    }
}
