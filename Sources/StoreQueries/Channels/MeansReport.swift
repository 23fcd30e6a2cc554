import Alerts
import ControlProtocol
import Core
import Store

/// A mean of a channel, in `/means` and `/explain/{quantity}`.
package struct MeanReport: Codable, Hashable, Sendable {
    /// Beginning and end, ISO 8601, and name of an hour, a day or longer; nil for the time up to
    /// now.
    package private(set) var from: String?
    package private(set) var to: String?
    package private(set) var label: String?
    /// Length of the time up to now.
    package private(set) var averagingSeconds: Int?
    /// Values in it.
    package let n: Int
    /// Values that no part can give, in none of the others.
    package let omitted: Int
    package let mean: Double?
    package let least: Double?
    package let most: Double?
    /// 0…1: how much of it values cover.
    package let coverage: Double
    package let enough: Bool
    /// The guideline for that length, and whether the mean meets it.
    package private(set) var limit: Int?
    package private(set) var rule: String?
    package private(set) var isMet: Bool?

    private init(_ mean: ChannelMeans.Mean, of channel: StoreChannel) {
        let bucket = mean.bucket
        func number(_ mantissa: Int64) -> Double? {
            guard bucket.count > 0 else { return nil }
            return FixedPoint(mantissa, decimals: channel.decimals).doubleValue
        }
        n = Int(bucket.count)
        omitted = Int(bucket.omitted)
        self.mean = bucket.mean.map {
            channel.number($0).rounded(decimals: channel.decimals + 1)
        }
        least = number(bucket.minimum)
        most = number(bucket.maximum)
        coverage = mean.coverage.rounded(decimals: 3)
        enough = mean.isEnough
    }

    /// The mean of a bin.
    init(bin mean: ChannelMeans.Mean, of channel: StoreChannel) {
        self.init(mean, of: channel)
        from = WallTime(seconds: mean.bin.from).iso8601
        to = WallTime(seconds: mean.bin.to).iso8601
        label = mean.bin.label
    }

    /// Means of the last 24 h and 365 d; none while nothing dates the present.
    package static func rolling(
        _ channel: StoreChannel,
        _ reader: HistoryReader,
        _ times: StoreTimes,
        before now: WallTime?
    ) throws -> [MeanReport] {
        guard let now else { return [] }
        return try [86_400, 365 * 86_400].map { seconds in
            let mean = try ChannelMeans.rolling(
                channel,
                reader,
                times,
                seconds: seconds,
                before: Int(now.tenths / 10)
            )
            var report = MeanReport(mean, of: channel)
            report.averagingSeconds = seconds
            if let guideline = Guideline.of(channel.quantity.name, seconds) {
                (report.limit, report.rule) = (guideline.limit, Guideline.rule)
                let exact = mean.bucket.mean.map { channel.number($0) }
                report.isMet = exact.map { $0 <= Double(guideline.limit) }
            }
            return report
        }
    }
}

/// Means over hours, days, weeks, months or years of a zone's clocks: the answer of `/means`.
package struct MeansReport: Codable, Hashable, Sendable {
    package let channel: String
    package let unit: String
    package let decimals: Int
    package let by: LocalUnit
    package let zone: String
    package var items: [MeanReport]
    package let rolling: [MeanReport]

    /// - Parameter bins: Nil where the range has no sample.
    /// - Throws: `StoreError.database`.
    package init(
        _ channel: StoreChannel,
        _ reader: HistoryReader,
        _ times: StoreTimes,
        by unit: (LocalUnit, bins: LocalBins?, zone: String),
        now: WallTime?
    ) throws {
        let tier = ChannelMeans.tier(for: unit.0)
        let means = try unit.bins.map { try ChannelMeans(channel, reader, times, $0, from: tier) }
        self.channel = channel.name
        self.unit = channel.quantity.unit
        decimals = channel.decimals
        (by, zone) = (unit.0, unit.zone)
        items = (means?.means ?? []).map { MeanReport(bin: $0, of: channel) }
        rolling = try MeanReport.rolling(channel, reader, times, before: now)
    }
}

/// The means of a quantity beside their guidelines: the answer of `/explain/{quantity}`.
package struct ExplainReport: Codable, Hashable, Sendable {
    package let quantity: String
    package let channel: String
    package let unit: String
    package let means: [MeanReport]

    /// - Throws: `StoreError.database`.
    package init(
        _ channel: StoreChannel,
        _ reader: HistoryReader,
        _ times: StoreTimes,
        now: WallTime?
    ) throws {
        quantity = channel.quantity.name
        self.channel = channel.name
        unit = channel.quantity.unit
        means = try MeanReport.rolling(channel, reader, times, before: now)
    }
}
