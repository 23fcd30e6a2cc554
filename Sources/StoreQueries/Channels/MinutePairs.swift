import Core
import Store

/// The PM2.5 and PM10 of one device, minute by minute: of each minute the last pair.
///
/// Minutes are counted from an origin in wall time. A sample without both values, with one that no
/// part can give, or without a date has no place here, and neither have imported ones.
package struct MinutePairs: Sendable {
    package struct Pair: Hashable, Sendable {
        package let wall: WallTime
        package let pm25: FixedPoint
        package let pm10: FixedPoint
    }

    /// The first pair of a window.
    package struct First: Hashable, Sendable {
        /// Number of the window, counted from the origin.
        package let window: Int
        package let wall: WallTime
    }

    package let stream: StreamDescription
    /// Seconds since 1970, rounded down, of the first and the last sample that a clock dates.
    package let extent: ClosedRange<Int>
    /// How many spans of running time there are: a further one may date what had no date.
    package var spanCount: Int { spans.count }

    private let places: (pm25: Int, pm10: Int)
    private let spans: [HistorySpan]
    private let times: StoreTimes

    /// The device in use that has both, else one of the past; nil without one, or while nothing
    /// dates it.
    package init?(_ reader: HistoryReader, _ times: StoreTimes) throws(StoreError) {
        for stream in try Self.streams(reader) {
            let names = stream.quantities.map(\.name)
            guard let pm25 = names.firstIndex(of: Quantity.pm25.name),
                let pm10 = names.firstIndex(of: Quantity.pm10.name)
            else { continue }
            let spans = try StreamExtents(reader).spans(of: stream.id)
                .filter { times.clock.time($0.boot, $0.from) != nil }
            guard let first = spans.first, let last = spans.last,
                let oldest = times.clock.time(first.boot, first.from),
                let newest = times.clock.time(last.boot, Tick(tenths: last.to.tenths - 1))
            else { continue }
            (self.stream, places, self.spans, self.times) = (stream, (pm25, pm10), spans, times)
            let from = oldest.wall.wholeSeconds
            extent = from...max(from, newest.wall.wholeSeconds)
            return
        }
        return nil
    }

    /// The streams that have both, those in use first.
    package static func streams(
        _ reader: HistoryReader
    ) throws(StoreError) -> [StreamDescription] {
        try StreamOrder.byUse(reader).filter { stream in
            !stream.id.isImported
                && [Quantity.pm25.name, Quantity.pm10.name].allSatisfy { name in
                    stream.quantities.contains { $0.name == name }
                }
        }
    }

    /// Channels of the two quantities within the stream.
    package var channels: (pm25: Int, pm10: Int) { places }

    /// Where the stream has samples within a time.
    ///
    /// - Parameters:
    ///   - from: Seconds since 1970.
    /// - Returns: Oldest first.
    package func spans(from: Int, to: Int) -> [HistorySpan] {
        times.clip(spans, TimeRange(from: WallTime(seconds: from), to: WallTime(seconds: to)))
    }

    /// Hands out the pairs of a time, oldest first.
    ///
    /// - Parameters:
    ///   - from: Seconds since 1970, the beginning of a minute.
    ///   - to: Not within any more, the beginning of a minute.
    package func each(
        _ reader: HistoryReader,
        origin: Int,
        from: Int,
        to: Int,
        _ body: (Pair) -> Void
    ) throws(StoreError) {
        guard from < to else { return }
        let samples = try RawSamples(reader, stream.id, spans(from: from, to: to))
        var rows = SegmentRows()
        var last: (minute: Int, pair: Pair)?
        while let part = try samples.nextRows(into: &rows) {
            guard isPair(rows) else { continue }
            for row in part.range {
                let tick = rows.tick(row)
                guard let wall = times.clock.time(part.boot, tick)?.wall else { continue }
                let outcomes = rows.outcomes(row)
                guard let pm25 = outcomes[places.pm25].counted,
                    let pm10 = outcomes[places.pm10].counted
                else { continue }
                let minute = (wall.wholeSeconds - origin).flooredDivision(by: 60).quotient
                if let last, last.minute != minute { body(last.pair) }
                last = (minute, Pair(wall: wall, pm25: pm25, pm10: pm10))
            }
        }
        if let last { body(last.pair) }
    }

    /// The first pair of each window that has one.
    ///
    /// Reads times alone, and of a window no more than its first minute: a year of minutes costs
    /// some ten milliseconds.
    ///
    /// - Parameters:
    ///   - origin: Where the window 0 begins.
    ///   - seconds: A window's length, whole minutes.
    ///   - from: Seconds since 1970, the beginning of a window.
    ///   - to: Not within any more, the beginning of a minute.
    /// - Returns: In order.
    package func firsts(
        _ reader: HistoryReader,
        origin: Int,
        every seconds: Int,
        from: Int,
        to: Int
    ) throws(StoreError) -> [First] {
        guard from < to else { return [] }
        var search = FirstSearch(origin: origin, seconds: seconds, clock: times.clock)
        for span in spans(from: from, to: to) {
            let samples = try RawSamples(reader, stream.id, [span], isTimesOnly: true)
            var rows = SegmentRows()
            search.beginSpan()
            while let part = try samples.nextRows(into: &rows) {
                guard isPair(rows) else { continue }
                for row in part.range { search.find(rows.tick(row), part.boot) }
            }
        }
        return search.finished()
    }

    private func isPair(_ rows: SegmentRows) -> Bool {
        [places.pm25, places.pm10].allSatisfy { place in
            guard rows.statuses.indices.contains(place) else { return false }
            guard case .values(_, let quality) = rows.statuses[place] else { return false }
            return !quality.contains(.outOfRange)
        }
    }
}

/// Finds the last pair in the first minute of each window that has one.
private struct FirstSearch {
    private let origin: Int
    private let seconds: Int
    private let clock: ClockAnchors
    private var found: [MinutePairs.First] = []
    private var open: (first: MinutePairs.First, minute: Int)?
    /// Ticks before it are in a window that has its first pair.
    private var skipped = Int64.min

    init(origin: Int, seconds: Int, clock: ClockAnchors) {
        (self.origin, self.seconds, self.clock) = (origin, seconds, clock)
    }

    /// Ticks of another boot have nothing to do with those before.
    mutating func beginSpan() { skipped = .min }

    mutating func find(_ tick: Tick, _ boot: BootID) {
        guard tick.tenths >= skipped, let wall = clock.time(boot, tick)?.wall else { return }
        let minute = (wall.wholeSeconds - origin).flooredDivision(by: 60).quotient
        let window = (minute * 60).flooredDivision(by: seconds).quotient
        if let open, open.minute == minute {
            self.open = (MinutePairs.First(window: window, wall: wall), minute)
            return
        }
        close()
        if found.last?.window == window {
            skip(to: origin + (window + 1) * seconds, from: tick, wall, boot)
        } else {
            open = (MinutePairs.First(window: window, wall: wall), minute)
        }
    }

    mutating func finished() -> [MinutePairs.First] {
        close()
        return found
    }

    private mutating func close() {
        if let open { found.append(open.first) }
        open = nil
    }

    /// Passes over the rest of a window, if the clock agrees that it is no further.
    private mutating func skip(to end: Int, from tick: Tick, _ wall: WallTime, _ boot: BootID) {
        let guess = Tick(tenths: tick.tenths + Int64(end) * 10 - wall.tenths - 20)
        guard guess > tick, let reached = clock.time(boot, guess)?.wall,
            reached < WallTime(seconds: end)
        else { return }
        skipped = guess.tenths
    }
}

extension WallTime {
    /// Seconds since 1970, rounded down.
    package var wholeSeconds: Int { Int(tenths).flooredDivision(by: 10).quotient }
}
