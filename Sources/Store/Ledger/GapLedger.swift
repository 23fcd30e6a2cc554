import Core

/// Accounts for every tenth of a second of one stream: covered by a reading, or a gap with a cause.
///
/// A sample covers the time since the sample before it, for one and a half intervals at most: half
/// an interval is jitter. When more time went by, it covers its last interval, and what is before
/// that is a gap: `late` when no sample was missed, explained by a mark, or unexplained. A sample
/// with *unplugged*, *unusable* or *stopped* reports a state: it explains the silence after it,
/// until the next sample or the next schedule with an interval. Fed in the order of time; memory:
/// one open stretch for each channel and `marksMax` marks.
package struct GapLedger: Sendable {
    /// A stretch of one channel with one cause, merged with its neighbours.
    package struct Stretch: Hashable, Sendable {
        /// Index of the channel in its stream.
        package let channel: Int
        /// Positions on the timeline, tenths; never empty.
        package internal(set) var range: Range<Int64>
        /// Why readings are missing; nil where readings cover the range.
        package let cause: GapCause?
    }

    /// Marks waiting at once; at the bound the one that ends first goes, and explains no more.
    static let marksMax = 64
    /// Start of the node to first reading of a channel, 2 min: more than any warm-up known (30 s).
    package static let startingMax: Int64 = 1_200
    /// Tenths of a second of an orderly stop at most, from a driver's last reading to the node's
    /// end.
    static let stoppingMax: Int64 = 150

    private struct Mark {
        let range: Range<Int64>
        let cause: GapCause
    }

    package let stream: StreamDescription
    /// The part of the timeline that is accounted for.
    package let range: Range<Int64>
    /// Entries out of order or outside all runs: they explain nothing and are only counted.
    package private(set) var misplacedCount = 0
    /// The first of them, as text.
    package private(set) var firstMisplaced: String?

    private let timeline: GapLedgerTimeline
    private var books: [ChannelTotals]
    private var marks: [Mark] = []
    private var interval: Int64?  // Tenths, > 0.
    private var cursor: Int64 = 0  // All before it is accounted for.
    private var runNumber = 0
    private var isStarting = true
    /// The state that explains silence from here on, by channel.
    private var held: [GapCause?]

    /// An empty account.
    ///
    /// - Parameters:
    ///   - stream: The stream of the samples that follow.
    ///   - range: Positions to account for, clipped to the timeline; nil for all. Entries before it
    ///     that still have an effect (schedule, last sample) have to be given too, and the first
    ///     sample after it.
    package init(
        _ stream: StreamDescription,
        along timeline: GapLedgerTimeline,
        within range: Range<Int64>? = nil
    ) {
        self.stream = stream
        self.timeline = timeline
        let whole = 0..<max(0, timeline.length)
        self.range = range.map { $0.clamped(to: whole) } ?? whole
        books = stream.quantities.indices.map(ChannelTotals.init)
        held = books.map { _ in nil }
    }

    /// Sets the interval at which samples are due from `tick` on; nil or zero: none is.
    package mutating func schedule(_ interval: Duration?, _ boot: BootID, from tick: Tick) {
        guard let position = enter(boot, tick) else { return }
        let wanted = interval.map { $0.wholeNanoseconds / 100_000_000 }.flatMap {
            $0 > 0 ? $0 : nil
        }
        let wasStopped = held.contains(.driverStopped)
        guard wanted != self.interval || isStarting || wasStopped else { return }
        closeStretch(to: position, .notDue, isByEntry: true)
        // A driver gets a new schedule; an unplugged device stays unplugged under any schedule.
        if wanted != nil { held = held.map { $0 == .driverStopped ? nil : $0 } }
        self.interval = wanted
        isStarting = false
    }

    /// Adds one sample; `outcomes` in the stream's order.
    package mutating func sample(_ outcomes: [Outcome], _ boot: BootID, _ tick: Tick) {
        guard outcomes.count == books.count, let position = enter(boot, tick) else { return }
        // A gap at the very end belongs to this range, since no later one exists.
        let isAtEnd = position == range.upperBound && position == timeline.length
        let isInRange = range.contains(position) || isAtEnd
        for (channel, outcome) in outcomes.enumerated() where isInRange {
            books[channel].count(outcome)
        }
        let length = position - cursor
        if let interval {
            if length > interval + interval / 2 {
                fillWeakly(to: position - interval, missedCause(length - interval, interval))
            }
            for (channel, outcome) in outcomes.enumerated() {
                addStretch(channel, cursor..<position, cause(of: outcome, before: position))
            }
            cursor = position
        } else {
            closeStretch(to: position, .notScheduled, isByEntry: true)
        }
        isStarting = false
        hold(outcomes)
        // The node's stop explains the time from here on, not the driver's.
        if endsWithNode(position) { held = held.map { $0 == .driverStopped ? nil : $0 } }
    }

    /// Samples that follow one another as they are due, as many as are so from the first row on.
    ///
    /// Does what `sample` does for each, at once; the first that needs a closer look ends it.
    ///
    /// - Parameters:
    ///   - rows: A piece of the stream, whose outcomes are of one kind in each channel.
    /// - Returns: How many rows were read.
    mutating func regularSamples(_ rows: SegmentRows, _ range: Range<Int>, _ boot: BootID) -> Int {
        guard let interval, !isStarting, rows.statuses.count == books.count,
            let first = range.first, runNumber < timeline.runs.count
        else { return 0 }
        let outcomes = rows.outcomes(first)
        let causes = outcomes.map(GapCause.of)
        let run = timeline.runs[runNumber]
        guard run.run.boot == boot, !causes.contains(.driverStopped) else { return 0 }
        let shift = run.start - run.run.started.tenths
        // Rows that begin before the range or end after it are counted one by one.
        let end = min(run.end, self.range.upperBound - 1)
        guard cursor >= self.range.lowerBound, cursor > run.start else { return 0 }
        var (position, count) = (cursor, 0)
        for row in range {
            let next = rows.tenths(row) + shift
            guard next >= position, next <= end, next - position <= interval + interval / 2
            else { break }
            (position, count) = (next, count + 1)
            if let step = rows.step, (1...interval + interval / 2).contains(step) {
                // So are all that follow.
                let more = min(range.count - 1, Int((end - next) / step))
                (position, count) = (next + Int64(more) * step, count + more)
                break
            }
        }
        guard count > 0 else { return 0 }
        for channel in books.indices {
            books[channel].count(outcomes[channel], times: count)
            if position > cursor { addStretch(channel, cursor..<position, causes[channel]) }
        }
        cursor = position
        hold(outcomes)
        return count
    }

    /// Explains time without samples from `start` to `end` of one boot, for every schedule.
    ///
    /// Samples override it. Of two marks at one time the first given counts. A mark has to be given
    /// before the first entry after its start.
    ///
    /// - Parameters:
    ///   - cause: Such as `muted`, `cardDropped`, `unplugged`.
    ///   - boot: The boot that both ticks are of.
    ///   - ticks: Clipped to the node's runs.
    ///   - lost: Samples known to be lost in it.
    package mutating func mark(
        _ cause: GapCause,
        _ boot: BootID,
        _ ticks: Range<Tick>,
        lost: Int = 0
    ) {
        mark(cause, timeline.ranges(boot, ticks), lost)
    }

    /// Explains the time of a mark; a mark of another stream is ignored.
    package mutating func mark(_ mark: GapMark) {
        guard mark.stream == nil || mark.stream == stream.id else { return }
        if mark.from.boot == mark.to.boot {
            guard mark.from.tick < mark.to.tick else { return }
            self.mark(mark.cause, mark.from.boot, mark.from.tick..<mark.to.tick, lost: mark.lost)
        } else {
            self.mark(mark.cause, timeline.ranges(from: mark.from, to: mark.to), mark.lost)
        }
    }

    private mutating func mark(_ cause: GapCause, _ all: [Range<Int64>], _ lost: Int) {
        let ranges = all.filter { $0.upperBound > cursor }
        // Time in which the node was off needs no explanation.
        guard !all.isEmpty else { return }
        guard !ranges.isEmpty else {
            misplace("a mark of \(cause.text) before \(cursor)")
            return
        }
        for index in books.indices { books[index].lost += max(0, lost) }
        for range in ranges {
            if marks.count >= Self.marksMax,
                let first = marks.indices.min(by: {
                    marks[$0].range.upperBound < marks[$1].range.upperBound
                })
            {
                marks.remove(at: first)
            }
            marks.append(Mark(range: range, cause: cause))
        }
    }

    /// The stretches that are closed, oldest first within each channel, to be written or dropped.
    ///
    /// Callers that need all must read them often; only the newest `ChannelTotals.closedMax` are
    /// kept.
    package mutating func takeStretches() -> [Stretch] {
        books.indices.flatMap { books[$0].takeClosed() }
    }

    /// Closes the account at the end of its range.
    package mutating func finish() -> GapLedgerReport {
        while runNumber < timeline.runs.count { leaveRun() }
        for index in books.indices { books[index].close() }
        return GapLedgerReport(self)
    }

    var channelBooks: [ChannelTotals] { books }

    // MARK: - Along the timeline

    /// Moves to an entry's run; nil when it is out of place.
    private mutating func enter(_ boot: BootID, _ tick: Tick) -> Int64? {
        guard let (run, position) = timeline.place(boot, tick), run >= runNumber,
            position >= cursor
        else {
            misplace("tick \(tick.tenths) of boot \(boot), when \(cursor) was reached")
            return nil
        }
        while runNumber < run { leaveRun() }
        return position
    }

    private mutating func misplace(_ text: String) {
        misplacedCount += 1
        firstMisplaced = firstMisplaced ?? text
    }

    private mutating func leaveRun() {
        let here = timeline.runs[runNumber]
        closeStretch(to: here.end, here.endCause, isByEntry: false)
        runNumber += 1
        isStarting = true
        hold(nil)
        guard runNumber < timeline.runs.count else { return }
        fillOff(to: timeline.runs[runNumber].start, here.offCause)
    }

    // MARK: - Causes

    /// Accounts for the time since the last entry, up to where nothing more is expected.
    private mutating func closeStretch(to end: Int64, _ cause: GapCause, isByEntry: Bool) {
        let length = end - cursor
        let isShortStart = isShortStart(length, to: end)
        let why: GapCause =
            if isShortStart, isByEntry || interval != nil {
                .starting
            } else if let interval {
                length <= interval + interval / 2 ? cause : .unexplained
            } else {
                .notScheduled
            }
        fillWeakly(to: end, why)
    }

    private func missedCause(_ missed: Int64, _ interval: Int64) -> GapCause {
        if isShortStart(missed, to: cursor + missed) { return .starting }
        return missed < interval ? .late : .unexplained
    }

    /// Whether the node was starting for all of `length`, but for time in which it was suspended.
    private func isShortStart(_ length: Int64, to end: Int64) -> Bool {
        guard isStarting else { return false }
        let here = cursor..<max(cursor, end)
        let suspended =
            marks.lazy.filter { $0.cause == .suspended }
            .map { $0.range.clamped(to: here).count }.max() ?? 0
        return length - Int64(suspended) <= Self.startingMax
    }

    /// The reason in a sample, or why its driver did not run.
    private func cause(of outcome: Outcome, before position: Int64) -> GapCause? {
        let cause = GapCause.of(outcome)
        guard cause == .driverStopped else { return cause }
        let stretch = cursor..<position
        let wasSuspended = marks.contains {
            $0.cause == .suspended && $0.range.contains(stretch)
        }
        return wasSuspended ? .suspended : endsWithNode(position) ? .nodeStopped : cause
    }

    /// Whether a driver that stops here does so because the node does, in order: a sample
    /// interrupted for that is no fault of the driver.
    private func endsWithNode(_ position: Int64) -> Bool {
        let here = timeline.runs[runNumber]
        return here.endCause == .nodeStopped && here.end - position <= Self.stoppingMax
    }

    private mutating func hold(_ outcomes: [Outcome]?) {
        for channel in held.indices {
            held[channel] = (outcomes?[channel]).flatMap(GapCause.of)?.heldState
        }
    }

    /// Fills with marks where there are any, else with the state held, else with `cause`.
    private mutating func fillWeakly(to end: Int64, _ cause: GapCause) {
        while cursor < end {
            if let mark = marks.first(where: { $0.range.contains(cursor) }) {
                // A mark given earlier may begin within this one.
                fill(to: nextMarkStart(before: min(end, mark.range.upperBound)), mark.cause)
                // Where samples are due, the lost record may have held the reason for the silence
                // after it; and no reason follows until another driver runs.
                if mark.cause == .driverStopped || mark.cause == .damaged && interval != nil {
                    held = held.map { $0 ?? mark.cause }
                }
            } else {
                fill(to: nextMarkStart(before: end), cause, isHeld: true)
            }
        }
        marks.removeAll { $0.range.upperBound <= cursor }
    }

    /// Fills the time between two runs; a lost block may have held the rest of the earlier one.
    private mutating func fillOff(to end: Int64, _ cause: GapCause) {
        for mark in marks where mark.cause == .damaged && mark.range.contains(cursor) {
            fill(to: min(end, mark.range.upperBound), .damaged)
        }
        fill(to: end, cause)
    }

    private func nextMarkStart(before end: Int64) -> Int64 {
        marks.lazy.map(\.range.lowerBound).filter { $0 > cursor && $0 < end }.min() ?? end
    }

    private mutating func fill(to end: Int64, _ cause: GapCause, isHeld: Bool = false) {
        guard end > cursor else { return }
        for channel in books.indices {
            addStretch(channel, cursor..<end, isHeld ? held[channel] ?? cause : cause)
        }
        cursor = end
    }

    private mutating func addStretch(_ channel: Int, _ stretch: Range<Int64>, _ cause: GapCause?) {
        let clipped = stretch.clamped(to: range)
        if !clipped.isEmpty { books[channel].enter(clipped, cause) }
    }
}

extension GapCause {
    fileprivate static func of(_ outcome: Outcome) -> GapCause? {
        if case .noData(let reason) = outcome { GapCause(reason) } else { nil }
    }

    /// Itself when it is recorded once, at the beginning of what may last for days.
    fileprivate var heldState: GapCause? {
        switch self {
        case .unplugged, .unusable, .driverStopped: self
        default: nil
        }
    }
}
