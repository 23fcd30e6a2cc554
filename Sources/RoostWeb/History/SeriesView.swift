import Core
import Store
import StoreQueries

/// `/series`: channels in columns of some hundred steps.
///
/// `json` writes it, since an encoder of columns takes long; the type is its description.
struct SeriesView: Decodable, Sendable {
    /// A channel's steps; each column has a value for each step, but `unsure` has their numbers.
    struct Columns: Decodable, Sendable {
        let channel: String
        let unit: String
        let decimals: Int
        @OrNull var tier: String?
        let widthSeconds: Double
        let t: [Int]
        let count: [Int]
        let omitted: [Int]
        let least: [Double?]
        let mean: [Double?]
        let most: [Double?]
        let covered: [Double]
        let flags: [Int]
        let flagsKnown: Bool
        let unsure: [Int]
    }

    @OrNull var from: String?
    @OrNull var to: String?
    let generation: String
    let series: [Columns]

    static let pointsMax = 1_500
    static let standardPoints = 600
    static let channelMax = 4
    /// Channels of one answer with few points, as the curves of the first page are.
    static let curveMax = 40
    /// Points of all channels of one answer.
    static let pointsInAll = channelMax * pointsMax

    static func json(
        _ history: OpenHistory,
        _ names: [String],
        _ range: TimeRange,
        points: Int
    ) throws -> String {
        var json = JSONTextBuilder()
        var series: [ChannelSeries] = []
        for name in names {
            let found = try ChannelSeries(
                try history.channel(name),
                history.reader,
                history.times,
                range,
                points: points,
                wantsFlags: true
            )
            series.append(found)
        }
        json.object { json in
            json.member("from", range.from)
            json.member("to", range.to)
            json.member("generation", history.generation)
            json.array("series", series) { json, series in write(series, &json) }
        }
        return json.text
    }

    private static func write(_ series: ChannelSeries, _ json: inout JSONTextBuilder) {
        // Steps without a date have no place on an axis of wall time.
        let steps = series.steps.filter { $0.time != nil && $0.inside > 0 }
        let channel = series.channel
        func number(_ mantissa: Int64) -> String {
            FixedPoint(mantissa, decimals: channel.decimals).description
        }
        json.object { json in
            json.member("channel", channel.name)
            json.member("unit", channel.quantity.unit)
            json.member("decimals", channel.decimals)
            json.member("tier", series.tier.map { "\($0)" })
            json.member("widthSeconds", json: seconds(series.widthTenths))
            json.array("t", steps) { json, step in
                json.add(step.time.map { Int($0.wall.nanoseconds / 1_000_000_000) })
            }
            json.array("count", steps) { $0.add(Int($1.point.bucket.count)) }
            json.array("omitted", steps) { $0.add(Int($1.point.bucket.omitted)) }
            json.array("least", steps) { json, step in
                let bucket = step.point.bucket
                json.raw(bucket.count > 0 ? number(bucket.minimum) : "null")
            }
            json.array("mean", steps) { json, step in
                json.add(
                    step.point.bucket.mean.map { channel.number($0) },
                    decimals: channel.decimals + 1
                )
            }
            json.array("most", steps) { json, step in
                let bucket = step.point.bucket
                json.raw(bucket.count > 0 ? number(bucket.maximum) : "null")
            }
            json.array("covered", steps) { json, step in
                json.raw(step.covered == 1 ? "1" : JSONTextBuilder.fixed(step.covered, 3))
            }
            json.array("flags", steps) { $0.add(Int($1.flags.rawValue)) }
            json.member("flagsKnown", series.hasFlags)
            let unsure = steps.indices.filter { steps[$0].time?.isSure == false }
            json.array("unsure", unsure) { $0.add($1) }
        }
    }

    private static func seconds(_ tenths: Int64) -> String {
        tenths % 10 == 0 ? "\(tenths / 10)" : FixedPoint(tenths, decimals: 1).description
    }
}
