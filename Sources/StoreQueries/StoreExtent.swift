import Core
import Store

/// The range of time in which a history has samples.
package struct StoreExtent: Hashable, Sendable {
    /// Time of the oldest sample; nil without samples, or while nothing dates them.
    package let oldest: ClockAnchors.Time?
    package let newest: ClockAnchors.Time?
    /// How many days of samples the history keeps at the rate so far; nil for less than a day.
    package let keepsDays: Double?

    /// The present by a station's clock, else the newest sample.
    ///
    /// - Parameters:
    ///   - now: What the station's clock says; nil where none answers.
    /// - Returns: Nil while nothing dates it.
    package static func present(
        _ reader: HistoryReader,
        _ times: StoreTimes,
        now: StoreTime?
    ) throws(StoreError) -> WallTime? {
        if let wall = now.flatMap({ times.clock.time($0.boot, $0.tick)?.wall }) { return wall }
        return try StoreExtent(reader, times).newest?.wall
    }

    /// - Parameters:
    ///   - stream: Whose samples; nil for all.
    package init(
        _ reader: HistoryReader,
        _ times: StoreTimes,
        of stream: StreamID? = nil
    ) throws(StoreError) {
        var walls: [ClockAnchors.Time] = []
        for known in try reader.streams() where stream == nil || known.id == stream {
            for span in try StreamExtents(reader).spans(of: known.id) {
                let last = Tick(tenths: max(span.from.tenths, span.to.tenths - 1))
                walls += [span.from, last].compactMap { times.clock.time(span.boot, $0) }
            }
        }
        oldest = walls.min { $0.wall < $1.wall }
        newest = walls.max { $0.wall < $1.wall }
        let (first, last) = (oldest?.wall.tenths ?? 0, newest?.wall.tenths ?? 0)
        let (written, count) = try reader.sampleSlots()
        let days = Double(last - first) / 864_000
        // A ring that has come round keeps what it has.
        keepsDays =
            days < 1 || written == 0 ? nil : days * max(1, Double(count) / Double(written))
    }
}
