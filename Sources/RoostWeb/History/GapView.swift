import Core
import Store
import StoreQueries

/// `/gaps/{device}/{quantity}/{time}`: why there is no value, and what to do.
enum GapView {
    private static let around: Int64 = 3_000
    private static let eventMax = 50

    static func json(
        _ history: OpenHistory,
        _ name: String,
        at moment: WallTime,
        in zone: Zone
    ) throws -> String {
        let channel = try history.channel(name)
        let found = try ChannelGap(
            channel,
            history.reader,
            history.times,
            at: moment,
            in: zone
        )
        guard let gap = found else { throw try noGap(history, channel, moment) }
        var filter = EventFilter()
        filter.range = TimeRange(
            from: gap.from.map { WallTime(tenths: $0.wall.tenths - around) },
            to: gap.to.map { WallTime(tenths: $0.wall.tenths + around) }
        )
        let events = try StoreEvents(
            history.reader,
            history.times,
            filter,
            after: nil,
            limit: eventMax
        )
        let advice = GapAdvice(gap.cause)
        var json = JSONTextBuilder()
        json.object { json in
            json.member("channel", name)
            json.member("cause", gap.cause.rawValue)
            json.member("name", gap.cause.text)
            json.member("from", gap.from?.wall)
            json.member("to", gap.isOpen ? nil : gap.to?.wall)
            json.member("seconds", tenths: gap.tenths)
            json.member("isSure", gap.from?.isSure == true && gap.to?.isSure == true)
            json.member("isLoss", gap.cause.isLoss)
            json.member("words", advice.words)
            json.member("next", advice.next)
            json.array("events", events.items.reversed()) { EventsView.write($1, &$0) }
            json.object("alike") { json in
                json.member("days", ChannelGap.alikeDays)
                json.member("count", gap.alikeCount)
                json.array("hours", gap.alikeHours) { $0.add($1) }
                json.object("with") { json in
                    for (kind, count) in gap.alikeWith.sorted(by: { $0.key < $1.key }) {
                        json.member(kind, count)
                    }
                }
            }
        }
        return json.text
    }

    /// Explains why there is no gap at a moment: values, or no record at all.
    private static func noGap(
        _ history: OpenHistory,
        _ channel: StoreChannel,
        _ moment: WallTime
    ) throws -> Problem {
        let name = channel.name.prefix(80)
        let extent = try StoreExtent(history.reader, history.times, of: channel.stream.id)
        let end = [history.now, extent.newest?.wall].compactMap(\.self).max()
        if let end, moment > end {
            let words = "the record ends at \(end.iso8601), before \(moment.iso8601)"
            return .notFound("\(words); nothing is known of later")
        }
        guard let oldest = extent.oldest?.wall else {
            return .notFound("nothing dates the record of \(name); see `roost clock`")
        }
        if moment < oldest {
            return .notFound(
                "the record of \(name) begins at \(oldest.iso8601), after \(moment.iso8601)"
            )
        }
        return .notFound("\(name) has values around \(moment.iso8601)")
    }
}
