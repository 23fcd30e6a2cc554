import Alerts
import Core
import Profiles
import Store

/// The channels of a history, those in use first: the answer of `/channels`.
package struct ChannelsReport: Codable, Hashable, Sendable {
    package struct Channel: Codable, Hashable, Sendable {
        /// As `balcony/pm25`.
        package let id: String
        package let device: String
        package let quantity: String
        /// What people ask it for.
        package let group: QuantityGroup
        package let unit: String
        package let decimals: Int
        /// Time of the first and the last sample, ISO 8601; nil while nothing dates it.
        package let oldest: String?
        package let newest: String?
        /// The last value, however long ago; nil where it never had one.
        package let lastValue: Double?
        /// Time of that, ISO 8601; nil while nothing dates it.
        package let lastValueTime: String?
        package let isImported: Bool
        package let limits: [QuantityLimit]?
    }

    package let items: [Channel]

    /// - Parameter levels: The rule that gives the limits.
    /// - Throws: `StoreError.database`.
    package init(
        _ reader: HistoryReader,
        _ times: StoreTimes,
        levels: LevelRule
    ) throws {
        let channels = try StoreChannel.all(reader)
        var extents: [StreamID: StoreExtent] = [:]
        var latest: [StreamID: BootSample] = [:]
        for id in Set(channels.map(\.stream.id)) {
            extents[id] = try StoreExtent(reader, times, of: id)
            latest[id] = try StreamExtents(reader).latest(of: id)
        }
        items = try channels.map { channel in
            let extent = extents[channel.stream.id]
            let last = try LastValue(of: channel, latest[channel.stream.id], reader)
            return Channel(
                id: channel.name,
                device: channel.stream.device,
                quantity: channel.quantity.name,
                group: QuantityGroup(of: channel.quantity.name),
                unit: channel.quantity.unit,
                decimals: channel.decimals,
                oldest: extent?.oldest?.wall.iso8601,
                newest: extent?.newest?.wall.iso8601,
                lastValue: last?.value,
                lastValueTime: last.flatMap { times.clock.time($0.boot, $0.tick)?.wall.iso8601 },
                isImported: channel.stream.id.isImported,
                limits: QuantityLimit.all(of: channel.quantity.name, by: levels)
            )
        }
    }
}

/// From which value a quantity has a level, as the lamp's rule has it.
package struct QuantityLimit: Codable, Hashable, Sendable {
    package let level: String
    package let from: Double

    /// The limits of a quantity; nil without one.
    package static func all(of quantity: String, by rule: LevelRule) -> [QuantityLimit]? {
        rule.scales.first { $0.quantity == quantity }?.limits.map { limit in
            QuantityLimit(level: limit.level.name, from: limit.reachedAt.doubleValue)
        }
    }
}
