import Core

/// Some rows of a segment whose outcomes are of one kind in each channel.
///
/// For reading many: no row costs an allocation. Give the same one to
/// `SegmentDecoder.nextRows(into:)` again and again.
package struct SegmentRows: Sendable {
    /// The rows one piece with values can hold: two channels and the times fit a small cache.
    package static let capacity = 512

    package internal(set) var count = 0
    /// Status of each channel, for all these rows.
    package private(set) var statuses: [ChannelStatus] = []
    /// Ticks in tenths of a second; only the first `count` count, or with a `step` the first.
    private(set) var ticks: [Int64] = []
    /// Tenths between two rows, all of them, where only the times were read.
    private(set) var step: Int64?
    /// Row by row, channel by channel; meaningless where the channel has no data, and where only
    /// the times were read.
    package internal(set) var mantissas: [Int64] = []

    package init() {}

    package func tick(_ row: Int) -> Tick { Tick(tenths: tenths(row)) }

    func tenths(_ row: Int) -> Int64 {
        step.map { ticks[0] &+ $0 &* Int64(row) } ?? ticks[row]
    }

    mutating func setTick(_ row: Int, _ tenths: Int64) { ticks[row] = tenths }

    /// Rows at one distance, however many.
    mutating func setTicks(from first: Int64, step: Int64) {
        ticks[0] = first
        self.step = step
    }

    package func mantissa(_ row: Int, _ channel: Int) -> Int64 {
        step == nil ? mantissas[row * statuses.count + channel] : 0
    }

    package func outcomes(_ row: Int) -> [Outcome] {
        statuses.indices.map { statuses[$0].outcome(mantissa(row, $0)) }
    }

    mutating func removeAll() { count = 0 }

    /// Makes room for a full piece.
    mutating func prepare(_ statuses: [ChannelStatus]) {
        self.statuses = statuses
        step = nil
        let size = Self.capacity * statuses.count
        if ticks.count < Self.capacity { ticks = Array(repeating: 0, count: Self.capacity) }
        if mantissas.count < size { mantissas = Array(repeating: 0, count: size) }
    }
}
