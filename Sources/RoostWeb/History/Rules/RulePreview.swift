import Alerts
import Core

/// How often a rule would have been raised in the past of the station.
struct RulePreview: Codable, Sendable {
    struct Episode: Codable, Sendable {
        /// When it began, ISO 8601 in UTC.
        let time: String
        let seconds: Int
    }

    /// How far it looked back: fewer days where there are more samples than can be looked at.
    let days: Int
    /// Local days of these that have a value.
    let dataDayCount: Int
    let episodeCount: Int
    let raisedSeconds: Int
    /// Half of the episodes are shorter.
    let medianSeconds: Int
    /// The newest, oldest first.
    let episodes: [Episode]

    init(_ row: AlertReplay.Row, days: Int, dataDays: Int) {
        (self.days, dataDayCount, episodeCount) = (days, dataDays, row.episodes)
        (raisedSeconds, medianSeconds) = (row.raisedSeconds, row.medianSeconds)
        episodes = row.recent.map { stretch in
            let begin = WallTime(nanoseconds: Int64(stretch.lowerBound) * 1_000_000_000)
            return Episode(time: begin.iso8601, seconds: stretch.count)
        }
    }
}
