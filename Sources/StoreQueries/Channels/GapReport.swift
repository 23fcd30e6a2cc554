import Core
import Store

/// Why a channel has no value around a moment, and what to do: the answer of
/// `/gaps/{device}/{quantity}/{time}`.
package struct GapReport: Codable, Hashable, Sendable {
    /// Gaps of the same cause in the time before.
    package struct Alike: Codable, Hashable, Sendable {
        package let days: Int
        package let count: Int
        /// Hours of the day in which most of them began.
        package let hours: [Int]
        /// Kinds of events that happened near their beginnings, and how often.
        package let with: [String: Int]
    }

    /// Tenths of a second before and after the gap in which events count.
    private static let around: Int64 = 3_000
    private static let eventMax = 50

    package let channel: String
    package let cause: GapCause
    /// The cause in English.
    package let name: String
    /// ISO 8601; nil while nothing dates it.
    package let from: String?
    /// Absent while the gap lasts.
    package let to: String?
    package let seconds: Double
    package let isSure: Bool
    package let isLoss: Bool
    package let sentence: String
    /// Absent where nothing is to be done.
    package let nextStep: String?
    /// Oldest first.
    package let events: [StoredEvent]
    package let alike: Alike

    /// - Throws: `StoreError.database`.
    package init(
        _ gap: ChannelGap,
        of channel: String,
        _ reader: HistoryReader,
        _ times: StoreTimes
    ) throws {
        var filter = EventFilter()
        filter.range = TimeRange(
            from: gap.from.map { WallTime(tenths: $0.wall.tenths - Self.around) },
            to: gap.to.map { WallTime(tenths: $0.wall.tenths + Self.around) }
        )
        let near = try StoreEvents(reader, times, filter, after: nil, limit: Self.eventMax)
        let advice = GapAdvice(gap.cause)
        self.channel = channel
        (cause, name) = (gap.cause, gap.cause.text)
        from = gap.from?.wall.iso8601
        to = gap.isOpen ? nil : gap.to?.wall.iso8601
        seconds = Double(gap.tenths) / 10
        isSure = gap.from?.isSure == true && gap.to?.isSure == true
        isLoss = gap.cause.isLoss
        (sentence, nextStep) = (advice.words, advice.next)
        events = near.items.reversed().map(\.report)
        alike = Alike(
            days: ChannelGap.alikeDays,
            count: gap.alikeCount,
            hours: gap.alikeHours,
            with: gap.alikeWith
        )
    }
}
