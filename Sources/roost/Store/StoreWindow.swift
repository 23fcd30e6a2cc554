import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import Store

/// How far back and how many.
struct SpanOptions: ParsableArguments {
    @OptionGroup var time: TimeOptions

    @Option(help: "How far back from now: 90s, 15m, 2h.")
    var last: DurationArgument?

    @Option(help: "At most this many, the newest: 1…10000.")
    var limit: Int?

    var range: TimeRange { time.range }

    func request(_ command: ControlRequest.Command, from: String?) -> ControlRequest {
        ControlRequest(command, lastSeconds: last?.seconds, limit: limit).page(from: from)
    }

    func validate() throws {
        if let limit, !(1...10_000).contains(limit) {
            throw ValidationError("--limit is 1 to 10000, not \(limit)")
        }
        if last != nil, time.from != nil { throw ValidationError("--last or --from, not both") }
    }

    /// The window of a store; `standard` counts when nothing is said at all.
    func window(_ source: StoreSource, standard: Duration?) throws -> StoreWindow {
        let isOpen = range == TimeRange() && limit == nil
        let times = try StoreTimes(source.reader, now: source.now)
        return StoreWindow(
            times: times,
            range: range,
            last: last?.duration ?? (isOpen ? standard : nil),
            now: source.now ?? times.end
        )
    }
}

/// A piece of the time that a store knows.
struct StoreWindow {
    let times: StoreTimes
    var range = TimeRange()
    /// How far back from `now`; nil as far as there is.
    var last: Duration?
    var now: StoreMoment?

    /// The parts of spans that lie within.
    func clip(_ spans: [HistorySpan]) -> [HistorySpan] {
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

    func contains(_ boot: BootID, _ tick: Tick) -> Bool {
        let span = HistorySpan(boot: boot, from: tick, to: Tick(tenths: tick.tenths + 1))
        return !clip([span]).isEmpty
    }

    /// A window that ends like this one and holds the newest `limit` of what is counted.
    ///
    /// Looks at an hour, then at four times as much, so that a few out of a year are quickly found.
    ///
    /// - Parameters:
    ///   - limit: How many are wanted.
    ///   - count: How many a window holds.
    /// - Returns: The window, and how many of its oldest are too many.
    func newest(
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
