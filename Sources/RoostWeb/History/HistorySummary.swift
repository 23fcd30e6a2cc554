import Alerts
import Core
import NIOCore
import Store
import StoreQueries

/// The part of `/station` from the history: means of 24 h, and how far back the record goes.
///
/// The shares of the whole record are computed at most every ten minutes: that reads all of it.
///
/// From the history and not from the station's program: it outlives restarts, costs the station
/// nothing, and is the figure of `/explain`. Read at most once a minute, when a page asks.
actor HistorySummary {
    /// The last 24 h of one channel.
    struct Day: Hashable, Sendable {
        /// The mean; nil without a value in that time.
        let mean: Double?
        let decimals: Int
        /// Share of the time with values, 0…1.
        let coverage: Double
        /// Implausible values that the mean leaves out.
        let omittedCount: Int
        let guideline: Guideline?
    }

    /// Shares of the time since the first sample, for the channel in use with the most values.
    struct Completeness: Hashable, Sendable {
        /// When the first sample was; ISO 8601, nil while that is not known.
        let since: String?
        /// Length of the record.
        let elapsedSeconds: Double
        /// Share of the time covered by values, 0…1.
        let covered: Double
        /// Share of the time covered or explained, 0…1.
        let accounted: Double

        /// Fails without a channel that has values.
        init?(_ lines: [GapLedgerReport.Line], _ channels: [StoreChannel], since: String?) {
            guard let line = StoreLedger.chief(lines, of: channels), line.elapsedTenths > 0 else {
                return nil
            }
            self.since = since
            elapsedSeconds = Double(line.elapsedTenths) / 10
            covered = Double(line.coveredTenths) / Double(line.elapsedTenths)
            accounted = 1 - Double(line.unexplainedTenths) / Double(line.elapsedTenths)
        }
    }

    struct Summary: Sendable {
        /// Last 24 h by channel: `dust/pm25`.
        var days: [String: Day] = [:]
        /// When the first sample was; ISO 8601.
        var oldest: String?
        /// Days that a sample is kept at the present rate.
        var keepsDays: Int?
        /// Completeness of the record; nil without one.
        var complete: Completeness?
        /// Why the summary is empty.
        var trouble: String?
    }

    private static let freshSeconds: Int64 = 60
    /// Longest interval between computations over the whole record.
    ///
    /// For a young record, whose shares still move, it is a tenth of its length.
    private static let accountSeconds: Int64 = 600

    private let history: HistoryClient
    private var known = Summary()
    private var freshUntil = NIODeadline.uptimeNanoseconds(0)
    private var accountedUntil = NIODeadline.uptimeNanoseconds(0)

    init(_ history: HistoryClient) { self.history = history }

    /// The last summary, or a new one after a minute.
    func latest() async -> Summary {
        guard NIODeadline.now() >= freshUntil else { return known }
        // Requests that come meanwhile get the summary before.
        freshUntil = .now() + .seconds(Self.freshSeconds)
        let mustAccount = freshUntil > accountedUntil
        var summary = Summary()
        do {
            summary = try await history.read { try Self.read($0, all: mustAccount) }
            if !mustAccount { summary.complete = known.complete }
            if mustAccount {
                accountedUntil = .now() + .seconds(Self.pause(after: summary.complete))
            }
        } catch let problem as Problem {
            summary.trouble = problem.detail
        } catch {
            summary.trouble = "\(error)"
        }
        known = summary
        return summary
    }

    /// Seconds until the next account of the whole record.
    static func pause(after complete: Completeness?) -> Int64 {
        guard let complete else { return freshSeconds }
        return min(Int64(complete.elapsedSeconds / 10), accountSeconds)
    }

    private static func read(_ history: OpenHistory, all: Bool) throws -> Summary {
        var summary = Summary()
        let extent = try StoreExtent(history.reader, history.times)
        summary.oldest = extent.oldest?.wall.iso8601
        summary.keepsDays = extent.keepsDays.map { Int($0) }
        if all {
            let lines = try StoreLedger.reports(history.reader, history.times).flatMap(\.lines)
            let channels = try StoreChannel.inUse(history.reader)
            summary.complete = Completeness(lines, channels, since: summary.oldest)
        }
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
            guard mean.bucket.count + mean.bucket.omitted > 0 || summary.days[channel.name] == nil
            else { continue }
            summary.days[channel.name] = Day(
                mean: mean.bucket.mean.map { channel.number($0) },
                decimals: channel.decimals,
                coverage: mean.coverage,
                omittedCount: Int(mean.bucket.omitted),
                guideline: Guideline.of(channel.quantity.name, day)
            )
        }
        return summary
    }
}
