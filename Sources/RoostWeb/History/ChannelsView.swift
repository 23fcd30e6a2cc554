import Alerts
import Core
import Store
import StoreQueries

/// `/channels`: what the history has, and since when.
enum ChannelsView {
    static func json(_ history: OpenHistory) throws -> String {
        let channels = try StoreChannel.all(history.reader)
        var extents: [StreamID: StoreExtent] = [:]
        for id in Set(channels.map(\.stream.id)) {
            extents[id] = try StoreExtent(history.reader, history.times, of: id)
        }
        var json = JSONTextBuilder()
        json.object { json in
            json.array("items", channels) { json, channel in
                json.object { json in
                    json.member("id", channel.name)
                    json.member("device", channel.stream.device)
                    json.member("quantity", channel.quantity.name)
                    json.member("unit", channel.quantity.unit)
                    json.member("decimals", channel.decimals)
                    let extent = extents[channel.stream.id]
                    json.member("oldest", extent?.oldest?.wall)
                    json.member("newest", extent?.newest?.wall)
                    json.member("isImported", channel.stream.id.isImported)
                    ChannelLimits.write(channel.quantity.name, &json)
                }
            }
        }
        return json.text
    }

    /// `/explain/{quantity}`: its means beside their guidelines.
    static func explain(_ history: OpenHistory, _ quantity: String) throws -> String {
        let channels = try StoreChannel.all(history.reader)
            .filter { $0.quantity.name == quantity && !$0.stream.id.isImported }
        guard let channel = channels.first else {
            throw Problem.notFound("no channel measures \(quantity.prefix(40))")
        }
        let means = try MeansView.rolling(history, channel)
        var json = JSONTextBuilder()
        json.object { json in
            json.member("quantity", quantity)
            json.member("channel", channel.name)
            json.member("unit", channel.quantity.unit)
            json.array("means", means) { json, mean in
                json.object { MeansView.write(mean, channel, &$0) }
            }
        }
        return json.text
    }
}
