import Core
import NIOCore
import Store
import StoreQueries

/// What `/station` says from the history: means of 24 h, and how far back the record goes.
///
/// From the history and not from the station's program: it outlives restarts, costs the station
/// nothing, and is the figure of `/explain`. Read at most once a minute, when a page asks.
package actor HistorySummary {
    /// The last 24 h of one channel.
    package struct Day: Hashable, Sendable {
        /// Nil without a value in that time.
        let mean: Double?
        let decimals: Int
        /// 0…1.
        let coverage: Double
        let guideline: Guideline?
    }

    package struct Summary: Sendable {
        /// By channel: `dust/pm25`.
        var days: [String: Day] = [:]
        /// When the first sample was; ISO 8601.
        var oldest: String?
        /// How long a sample is kept at the present rate.
        var keepsDays: Int?
        /// Why there is none of this.
        var trouble: String?
    }

    private static let freshTime = TimeAmount.seconds(60)

    private let history: HistoryClient
    private var known = Summary()
    private var freshUntil = NIODeadline.uptimeNanoseconds(0)

    package init(_ history: HistoryClient) { self.history = history }

    /// The last summary, or a new one after a minute.
    package func latest() async -> Summary {
        guard NIODeadline.now() >= freshUntil else { return known }
        // Those who ask meanwhile get the one before.
        freshUntil = .now() + Self.freshTime
        var summary = Summary()
        do {
            summary = try await history.read { try Self.read($0) }
        } catch let problem as Problem {
            summary.trouble = problem.detail
        } catch {
            summary.trouble = "\(error)"
        }
        known = summary
        return summary
    }

    private static func read(_ history: OpenHistory) throws -> Summary {
        var summary = Summary()
        let extent = try StoreExtent(history.reader, history.times)
        summary.oldest = extent.oldest?.wall.iso8601
        summary.keepsDays = extent.keepsDays.map { Int($0) }
        guard let now = history.now else { return summary }
        let day = 86_400
        for channel in try StoreChannel.all(history.reader) where !channel.stream.id.isImported {
            let mean = try ChannelMeans.rolling(
                channel,
                history.reader,
                history.times,
                seconds: day,
                before: Int(now.tenths / 10)
            )
            // A device that came back has several streams; the one with values counts.
            guard mean.bucket.count > 0 || summary.days[channel.name] == nil else { continue }
            summary.days[channel.name] = Day(
                mean: mean.bucket.mean.map { channel.number($0) },
                decimals: channel.decimals,
                coverage: mean.coverage,
                guideline: Guideline.of(channel.quantity.name, day)
            )
        }
        return summary
    }
}
