import Core
import Store

/// A piece of the time that a store knows.
package struct StoreWindow: Sendable {
    package let times: StoreTimes
    package var range: TimeRange
    /// How far back from `now`; nil as far as there is.
    package var last: Duration?
    package var now: StoreTime?

    package init(
        times: StoreTimes,
        range: TimeRange = TimeRange(),
        last: Duration? = nil,
        now: StoreTime? = nil
    ) {
        (self.times, self.range, self.last, self.now) = (times, range, last, now)
    }

    /// The same with some time more at both ends.
    package func widened(by margin: Duration) -> StoreWindow {
        var window = self
        window.range = range.widened(by: margin)
        window.last = last.map { $0 + margin }
        return window
    }

    /// The parts of spans that lie within.
    package func clip(_ spans: [HistorySpan]) -> [HistorySpan] {
        let spans = times.clip(spans, range)
        guard let last, let now else { return spans }
        let since = times.clock.time(now.boot, now.tick).map { time in
            WallTime(nanoseconds: time.wall.nanoseconds - last.wholeNanoseconds)
        }
        return spans.compactMap { span -> HistorySpan? in
            let tenths = last.wholeNanoseconds / 100_000_000
            var start = Tick(tenths: now.tick.tenths - tenths)
            // Within a boot no clock has to be trusted.
            if span.boot != now.boot {
                if let since, times.clock.time(span.boot, span.from) != nil {
                    return times.clip([span], TimeRange(from: since)).first
                }
                guard let found = times.start(in: span.boot, tenths, before: now) else {
                    return nil
                }
                start = found
            }
            let from = max(span.from, start)
            guard from < span.to else { return nil }
            let offset = span.offset + from.tenths - span.from.tenths
            return HistorySpan(boot: span.boot, from: from, to: span.to, offset: offset)
        }
    }

    package func contains(_ boot: BootID, _ tick: Tick) -> Bool {
        let span = HistorySpan(boot: boot, from: tick, to: Tick(tenths: tick.tenths + 1))
        return !clip([span]).isEmpty
    }

    /// A window that ends like this one and holds the newest `limit` of what is counted.
    ///
    /// Looks at an hour, then at four times as much, so that a few out of a year are quickly found.
    ///
    /// - Parameters:
    ///   - count: How many a window holds.
    /// - Returns: The window, and how many of its oldest are too many.
    package func newest(
        _ limit: Int,
        _ count: (StoreWindow) throws -> Int
    ) rethrows -> (window: StoreWindow, dropping: Int) {
        guard range.to == nil, last == nil else { return (self, max(0, try count(self) - limit)) }
        var length = Duration.hours(1)
        while length < .days(64) {
            var window = self
            window.last = length
            let found = try count(window)
            if found >= limit { return (window, found - limit) }
            length *= 4
        }
        return (self, max(0, try count(self) - limit))
    }
}
