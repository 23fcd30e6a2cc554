import Core
import Store
import StoreQueries

/// `/readings`: each sample as it was stored, oldest first, by pages.
enum ReadingsView {
    static func json(
        _ history: OpenHistory,
        _ name: String,
        _ range: TimeRange,
        after cursor: StoreReadings.Cursor?,
        limit: Int
    ) throws -> String {
        let channel = try history.channel(name)
        let page = try StoreReadings(
            channel,
            history.reader,
            history.times,
            range,
            after: cursor,
            limit: limit
        )
        var json = JSONTextBuilder()
        json.object { json in
            json.member("channel", name)
            json.member("unit", channel.quantity.unit)
            json.member("decimals", channel.decimals)
            json.array("items", page.items) { json, sample in
                json.object { write(sample, channel.index, &$0) }
            }
            if let next = page.next { json.member("next", next.description) }
        }
        return json.text
    }

    private static func write(_ sample: DatedSample, _ index: Int, _ json: inout JSONTextBuilder) {
        json.member("time", sample.wall?.iso8601Tenths)
        json.member("isSure", sample.isSure)
        switch sample.outcomes[index] {
        case .value(let value, let quality):
            json.member("value", json: value.description)
            json.member("noData", String?.none)
            json.array("quality", quality.names) { $0.add($1) }
        case .noData(let reason):
            json.member("value", String?.none)
            json.member("noData", reason.rawValue)
            json.array("quality", [String]()) { $0.add($1) }
        }
        json.member("bootId", sample.boot.description)
        json.member("instantSeconds", tenths: sample.tick.tenths)
    }
}
