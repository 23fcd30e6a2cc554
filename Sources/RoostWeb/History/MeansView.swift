import Alerts
import Core
import Store
import StoreQueries

/// `/means`: a channel over hours, days, weeks, months or years of a zone's clocks.
enum MeansView {
    struct Question: Sendable {
        let channel: String
        let unit: LocalUnit
        let zone: (name: String, zone: Zone)
        /// Longest range of one answer, in days.
        static let daysMax: [LocalUnit: Int] = [.hour: 62, .day: 3_660]
    }

    static func json(
        _ history: OpenHistory,
        _ question: Question,
        _ range: TimeRange
    ) throws -> String {
        let channel = try history.channel(question.channel)
        let extent = try StoreExtent(history.reader, history.times, of: channel.stream.id)
        let from = [range.from, extent.oldest?.wall].compactMap(\.self).max()
        let to = [range.to, extent.newest.map { WallTime(tenths: $0.wall.tenths + 10) }]
            .compactMap(\.self).min()
        var means: [ChannelMeans.Mean] = []
        if let from, let to, from < to {
            let (first, last) = (Int(from.tenths / 10), Int((to.tenths + 9) / 10))
            if let limit = Question.daysMax[question.unit], last - first > limit * 86_400 {
                throw Problem.outOfRange(
                    "from",
                    "by=\(question.unit.rawValue) takes \(limit) days at most"
                )
            }
            let bins = LocalBins(
                by: question.unit,
                in: question.zone.zone,
                from: first,
                to: last
            )
            means = try ChannelMeans(
                channel,
                history.reader,
                history.times,
                bins,
                from: ChannelMeans.tier(for: question.unit)
            ).means
        }
        let rolling = try rolling(history, channel)
        var json = JSONTextBuilder()
        json.object { json in
            json.member("channel", channel.name)
            json.member("unit", channel.quantity.unit)
            json.member("decimals", channel.decimals)
            json.member("by", question.unit.rawValue)
            json.member("zone", question.zone.name)
            json.array("items", means) { json, mean in
                json.object { json in
                    json.member("from", WallTime(seconds: mean.bin.from))
                    json.member("to", WallTime(seconds: mean.bin.to))
                    json.member("label", mean.bin.label)
                    write(mean, channel, &json)
                }
            }
            json.array("rolling", rolling) { json, entry in
                json.object { json in
                    write(entry, channel, &json)
                }
            }
        }
        return json.text
    }

    /// A mean of the time up to now, beside the guideline for it.
    struct Rolling {
        let seconds: Int
        let mean: ChannelMeans.Mean
        let guideline: Guideline?
    }

    /// The last 24 h and 365 d.
    static func rolling(_ history: OpenHistory, _ channel: StoreChannel) throws -> [Rolling] {
        guard let now = history.now else { return [] }
        return try [86_400, 365 * 86_400].map { seconds in
            let mean = try ChannelMeans.rolling(
                channel,
                history.reader,
                history.times,
                seconds: seconds,
                before: Int(now.tenths / 10)
            )
            let guideline = Guideline.of(channel.quantity.name, seconds)
            return Rolling(seconds: seconds, mean: mean, guideline: guideline)
        }
    }

    static func write(_ rolling: Rolling, _ channel: StoreChannel, _ json: inout JSONTextBuilder) {
        json.member("averagingSeconds", rolling.seconds)
        write(rolling.mean, channel, &json)
        guard let guideline = rolling.guideline else { return }
        json.member("limit", guideline.limit)
        json.member("rule", Guideline.rule)
        let mean = rolling.mean.bucket.mean.map { channel.number($0) }
        json.member("isMet", mean.map { $0 <= Double(guideline.limit) })
    }

    private static func write(
        _ mean: ChannelMeans.Mean,
        _ channel: StoreChannel,
        _ json: inout JSONTextBuilder
    ) {
        let bucket = mean.bucket
        func number(_ mantissa: Int64) -> String {
            guard bucket.count > 0 else { return "null" }
            return FixedPoint(mantissa, decimals: channel.decimals).description
        }
        json.member("n", Int(bucket.count))
        json.member("omitted", Int(bucket.omitted))
        json.member(
            "mean",
            bucket.mean.map { channel.number($0) },
            decimals: channel.decimals + 1
        )
        json.member("least", json: number(bucket.minimum))
        json.member("most", json: number(bucket.maximum))
        json.member("coverage", mean.coverage, decimals: 3)
        json.member("enough", mean.isEnough)
    }
}
