import Core
import StoreQueries

/// Finds the last row of an emulated file whose dust value reaches a fixed limit.
struct LastExceedanceFinder {
    /// Limits in µg/m³, as in the program that it replaces; a value at its limit counts as above.
    ///
    /// - Source: `harr1424/Indoor-Air-Quality`, `Python/alert.py`.
    static let limits = (pm25: 5.0, pm10: 15.0)

    struct Alert: Hashable, Sendable {
        let pollutant: String
        let time: String
        let value: Double
    }

    private var found: (pollutant: String, wall: WallTime, value: Double)?

    /// Checks the two rows of a minute: PM2.5 first, then PM10, which wins when both are above.
    mutating func append(_ pair: MinutePairs.Pair) {
        let (pm25, pm10) = (pair.pm25.doubleValue, pair.pm10.doubleValue)
        if pm25 >= Self.limits.pm25 { found = ("PM2.5", pair.wall, pm25) }
        if pm10 >= Self.limits.pm10 { found = ("PM10", pair.wall, pm10) }
    }

    /// The last row above its limit; nil when there was none.
    func last(time: (WallTime) -> String) -> Alert? {
        found.map { Alert(pollutant: $0.pollutant, time: time($0.wall), value: $0.value) }
    }
}
