import Core

/// Some rows of a segment whose outcomes are of one kind in each channel, at most 512.
///
/// For reading many: no row costs an allocation. Give the same one to
/// `SegmentDecoder.nextRows(into:)` again and again.
package struct SegmentRows: Sendable {
    /// The rows one piece can hold: two channels and the times fit a small processor's cache.
    package static let capacity = 512

    package internal(set) var count = 0
    /// Of each channel, for all these rows.
    package private(set) var statuses: [ChannelStatus] = []
    /// In tenths of a second; only the first `count` mean something.
    package internal(set) var ticks: [Int64] = []
    /// Row by row, channel by channel; meaningless where the channel has no data.
    package internal(set) var mantissas: [Int64] = []

    package init() {}

    package func tick(_ row: Int) -> Tick { Tick(tenths: ticks[row]) }

    package func mantissa(_ row: Int, _ channel: Int) -> Int64 {
        mantissas[row * statuses.count + channel]
    }

    package func outcomes(_ row: Int) -> [Outcome] {
        statuses.indices.map { statuses[$0].outcome(mantissa(row, $0)) }
    }

    mutating func removeAll() { count = 0 }

    /// Makes room for a full piece.
    mutating func prepare(_ statuses: [ChannelStatus]) {
        self.statuses = statuses
        let size = Self.capacity * statuses.count
        if ticks.count < Self.capacity { ticks = Array(repeating: 0, count: Self.capacity) }
        if mantissas.count < size { mantissas = Array(repeating: 0, count: size) }
    }
}
