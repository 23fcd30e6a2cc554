import Core
import StoreQueries

/// Judges the rows of a file, one after the other; the last above a limit stays.
struct FileLimitCheck {
    /// µg/m³; a value at its limit counts as above it.
    ///
    /// - Source: `harr1424/Indoor-Air-Quality`, `Python/alert.py`.
    static let limits = (pm25: 5.0, pm10: 15.0)

    struct Alert: Hashable, Sendable {
        let pollutant: String
        let time: String
        let value: Double
    }

    private var found: (pollutant: String, wall: WallTime, value: Double)?

    /// A minute has the row of PM2.5 before that of PM10.
    mutating func append(_ pair: MinutePairs.Pair) {
        let (pm25, pm10) = (pair.pm25.doubleValue, pair.pm10.doubleValue)
        if pm25 >= Self.limits.pm25 { found = ("PM2.5", pair.wall, pm25) }
        if pm10 >= Self.limits.pm10 { found = ("PM10", pair.wall, pm10) }
    }

    func last(time: (WallTime) -> String) -> Alert? {
        found.map { Alert(pollutant: $0.pollutant, time: time($0.wall), value: $0.value) }
    }
}
