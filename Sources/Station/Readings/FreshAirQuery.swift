import Core
import Store

/// Reads the lowest CO₂ values of the last 14 days out of the rollups of the history.
struct FreshAirQuery: Sendable {
    struct Answer: Sendable {
        /// By device.
        var devices: [String: FreshAir] = [:]
        /// When it was asked; nil without a sure clock, and then there are no devices.
        var wall: WallTime?
    }

    private let boot: BootID
    private let now: Tick

    init(boot: BootID, now: MonotonicInstant) { (self.boot, self.now) = (boot, Tick(now)) }

    /// Only on the disk thread; leaves out what no sure clock dates.
    ///
    /// - Throws: `StoreError`.
    func run(_ store: StationStore) throws -> Answer {
        let addNothing = { (_: inout HistoryTail) in }
        return try store.read(adding: addNothing) { try answer($0) }
    }

    private func answer(_ reader: HistoryReader) throws -> Answer {
        let runs = try NodeRuns.all(in: reader, now: (boot, now))
        let clock = ClockAnchors(runs: runs, anchors: try reader.anchors())
        guard let present = clock.time(boot, now), present.isSure else { return Answer() }
        let first = present.wall.advanced(by: .zero - .days(FreshAir.dayCount))
        var answer = Answer(wall: present.wall)
        for stream in try reader.streams() where !stream.id.isImported {
            guard let index = stream.channels.firstIndex(where: FreshAir.measures) else { continue }
            let channel = stream.channels[index]
            let spans = try StreamExtents(reader).spans(of: stream.id).compactMap { span in
                Self.part(of: span, since: first, clock)
            }
            try HistorySeries(reader).eachBucket(
                stream.id,
                channel: index,
                spans,
                of: .quarterHour
            ) { boot, tick, bucket in
                guard bucket.count > 0, let wall = clock.time(boot, tick)?.wall, first <= wall
                else { return }
                let lowest = FixedPoint(bucket.minimum, decimals: channel.quantity.decimals)
                answer.devices[channel.device, default: FreshAir()].add(
                    lowest.doubleValue,
                    at: wall
                )
            }
        }
        return answer
    }

    /// The end of a span that is not before a moment.
    private static func part(
        of span: HistorySpan,
        since first: WallTime,
        _ clock: ClockAnchors
    ) -> HistorySpan? {
        guard let end = clock.time(span.boot, span.to), end.isSure, first < end.wall else {
            return nil
        }
        let tenths = (end.wall.nanoseconds - first.nanoseconds) / 100_000_000
        let from = max(span.from, Tick(tenths: span.to.tenths - tenths))
        return HistorySpan(boot: span.boot, from: from, to: span.to)
    }
}
