import Core
import Store

/// The time without a value around a moment, and how often it was like that before.
package struct ChannelGap: Sendable {
    /// How far back gaps of the same cause are counted.
    package static let alikeDays = 30
    private static let day: Int64 = 864_000
    /// Stretches that are looked at, so that none of 30 days is merged as a rule.
    private static let stretchMax = 20_000

    package let cause: GapCause
    /// Beginning of the gap; nil while nothing dates it.
    package let from: ClockAnchors.Time?
    package let to: ClockAnchors.Time?
    package let tenths: Int64
    /// Whether the gap lasts to the end of the known time, so that its own end is not known.
    package let isOpen: Bool
    /// Gaps of this cause that began in the 30 days before its end, itself among them.
    package let alikeCount: Int
    /// Hours of the zone's day in which most of them began, the most frequent first; at most three.
    package let alikeHours: [Int]
    /// Events of that time, by kind, that happened within five minutes of such a beginning.
    package let alikeWith: [String: Int]

    /// Finds it; nil when values cover that moment, or it lies outside all runs.
    ///
    /// - Parameters:
    ///   - zone: For the hours.
    /// - Throws: `StoreError.database`.
    package init?(
        _ channel: StoreChannel,
        _ reader: HistoryReader,
        _ times: StoreTimes,
        at moment: WallTime,
        in zone: Zone
    ) throws {
        guard let (ledger, found) = try Self.find(channel, reader, times, moment) else {
            return nil
        }
        cause = found.cause
        tenths = found.range.upperBound - found.range.lowerBound
        isOpen = found.range.upperBound == ledger.timeline.length
        from = ledger.timeline.time(at: found.range.lowerBound)
        to = ledger.timeline.time(at: found.range.upperBound)
        // A gap may be longer than the time that is looked back at.
        let since = min(
            found.range.upperBound - Self.day * Int64(Self.alikeDays),
            found.range.lowerBound
        )
        let alike = ledger.stretches.filter {
            $0.cause == found.cause
                && (since...found.range.lowerBound).contains($0.range.lowerBound)
        }
        alikeCount = alike.count
        let begins = alike.compactMap { ledger.timeline.time(at: $0.range.lowerBound)?.wall }
        var hours: [Int: Int] = [:]
        for wall in begins {
            let second = Int(wall.tenths / 10)
            let local = second + zone.offset(second)
            hours[local.flooredDivision(by: 86_400).remainder / 3_600, default: 0] += 1
        }
        let ranked = hours.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        alikeHours = begins.count < 3 ? [] : ranked.prefix(3).filter { $0.value > 1 }.map(\.key)
        alikeWith = try Self.company(of: begins, reader, times)
    }

    /// The stretch around a moment, whole; the range grows until it lies inside.
    private static func find(
        _ channel: StoreChannel,
        _ reader: HistoryReader,
        _ times: StoreTimes,
        _ moment: WallTime
    ) throws -> (ChannelLedger, ChannelLedger.Stretch)? {
        var (back, ahead) = (Int64(alikeDays), Int64(1))
        while true {
            let range = TimeRange(
                from: WallTime(tenths: moment.tenths - back * day),
                to: WallTime(tenths: moment.tenths + ahead * day)
            )
            guard
                let ledger = try ChannelLedger(
                    channel,
                    reader,
                    times,
                    range,
                    stretchMax: stretchMax
                )
            else { return nil }
            // The present belongs to the gap that leads up to it.
            let position = min(
                ledger.timeline.position(at: moment),
                ledger.timeline.length - 1
            )
            guard let found = ledger.stretches.first(where: { $0.range.contains(position) }) else {
                return nil
            }
            let isCutEarly =
                found.range.lowerBound == ledger.range.lowerBound && ledger.range.lowerBound > 0
            let isCutLate =
                found.range.upperBound == ledger.range.upperBound
                && ledger.range.upperBound < ledger.timeline.length
            guard isCutEarly || isCutLate else { return (ledger, found) }
            if isCutEarly { back *= 8 }
            if isCutLate { ahead *= 8 }
        }
    }

    /// Warnings and errors near some moments, by kind.
    private static func company(
        of moments: [WallTime],
        _ reader: HistoryReader,
        _ times: StoreTimes
    ) throws(StoreError) -> [String: Int] {
        guard let first = moments.min(), let last = moments.max(), moments.count > 1 else {
            return [:]
        }
        let near: Int64 = 3_000
        var filter = EventFilter()
        filter.least = .warning
        filter.range = TimeRange(
            from: WallTime(tenths: first.tenths - near),
            to: WallTime(tenths: last.tenths + near)
        )
        let events = try StoreEvents(reader, times, filter, after: nil, limit: 1_000).items
        var kinds: [String: Int] = [:]
        for moment in moments {
            let here = events.filter { event in
                event.time.map { abs($0.wall.tenths - moment.tenths) <= near } ?? false
            }
            for kind in Set(here.map(\.event.kind.name)) { kinds[kind, default: 0] += 1 }
        }
        return kinds
    }
}
