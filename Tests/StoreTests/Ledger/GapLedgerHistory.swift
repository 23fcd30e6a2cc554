import Core

@testable import Store

/// A made-up life of a node with one stream, in whole seconds; the same for the same seed.
struct GapLedgerHistory {
    enum Entry {
        case schedule(Int?)
        case sample([Outcome])
        case mark(GapCause, until: Int)
    }

    struct Placed {
        let run: Int
        /// Seconds since boot.
        let tick: Int
        let entry: Entry
    }

    private(set) var runs: [NodeRun] = []
    private(set) var anchors: [ClockAnchor] = []
    private(set) var entries: [Placed] = []

    init(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var wall = 1_700_000_000
        var boot: UInt8 = 0
        var uptime = 0
        for number in 0..<Int.random(in: 1...6, using: &random) {
            let isNewBoot = number == 0 || Int.random(in: 0..<3, using: &random) > 0
            let off = Int.random(in: 0..<400, using: &random)
            wall += off
            if isNewBoot {
                boot += 1
                uptime = Int.random(in: 5..<40, using: &random)
            } else {
                uptime += off + 1
                wall += 1
            }
            let length = Int.random(in: 0..<900, using: &random)
            let isLast = Bool.random(using: &random)
            runs.append(
                NodeRun(
                    boot: .numbered(boot),
                    started: Tick(tenths: Int64(uptime) * 10),
                    ended: Tick(tenths: Int64(uptime + length) * 10),
                    end: isLast ? .stopped : .lost
                )
            )
            if isNewBoot, Int.random(in: 0..<4, using: &random) > 0 {
                anchors.append(
                    ClockAnchor(
                        boot: .numbered(boot),
                        tick: Tick(tenths: Int64(uptime) * 10),
                        wall: WallTime(seconds: wall),
                        isTrusted: true
                    )
                )
            }
            live(number, uptime..<uptime + length, &random)
            uptime += length
            wall += length
        }
    }

    /// The entries of one run, in the order they are given to a ledger.
    private mutating func live(_ run: Int, _ ticks: Range<Int>, _ random: inout SplitMix64) {
        var now = ticks.lowerBound + Int.random(in: 0..<200, using: &random)
        var interval = 10
        var markEnd = 0
        while now < ticks.upperBound {
            switch Int.random(in: 0..<40, using: &random) {
            case 0:
                interval = [2, 10, 60, 100].randomElement(using: &random) ?? 10
                let isNone = Int.random(in: 0..<3, using: &random) == 0
                add(run, now, .schedule(isNone ? nil : interval))
            case 1 where now >= markEnd - 20:
                let cause: GapCause =
                    [.muted, .cardDropped, .unplugged].randomElement(using: &random)
                    ?? .muted
                markEnd = now + Int.random(in: 1..<300, using: &random)
                add(run, now, .mark(cause, until: markEnd))
            case 2: now += Int.random(in: 0..<300, using: &random)
            default:
                let outcomes = (0..<2).map { _ -> Outcome in
                    Int.random(in: 0..<4, using: &random) > 0
                        ? .value(1.5)
                        : .noData(NoData.allCases.randomElement(using: &random) ?? .stuck)
                }
                add(run, now, .sample(outcomes))
                let isLate = Int.random(in: 0..<8, using: &random) == 0
                now += isLate ? Int.random(in: 1...interval * 3, using: &random) : interval
            }
        }
    }

    private mutating func add(_ run: Int, _ tick: Int, _ entry: Entry) {
        entries.append(Placed(run: run, tick: tick, entry: entry))
    }

    var timeline: GapLedgerTimeline {
        GapLedgerTimeline(runs: runs, clock: ClockAnchors(runs: runs, anchors: anchors))
    }

    /// Returns a ledger that was fed the whole history.
    func ledger(within range: Range<Int64>? = nil) -> GapLedger {
        var ledger = GapLedger(.balcony, along: timeline, within: range)
        for placed in entries {
            let boot = runs[placed.run].boot
            let tick = Tick(tenths: Int64(placed.tick) * 10)
            switch placed.entry {
            case .schedule(let seconds):
                ledger.schedule(seconds.map { .seconds($0) }, boot, from: tick)
            case .sample(let outcomes): ledger.sample(outcomes, boot, tick)
            case .mark(let cause, let end):
                ledger.mark(cause, boot, tick..<Tick(tenths: Int64(end) * 10))
            }
        }
        return ledger
    }
}

/// The cause of each second of each channel, by the definition and one second at a time.
struct GapLedgerReference {
    private struct Boundary {
        let second: Int
        let outcomes: [Outcome]?  // None at a schedule, or at the start of the run.
        let interval: Int?  // From here on.
        let isStart: Bool
        let held: [GapCause?]

        init(
            second: Int,
            outcomes: [Outcome]?,
            interval: Int?,
            isStart: Bool,
            held: [GapCause?]
        ) {
            (self.second, self.outcomes, self.interval) = (second, outcomes, interval)
            (self.isStart, self.held) = (isStart, held)
        }

        /// The start of a run.
        init(startingAt second: Int, _ interval: Int?) {
            self.init(
                second: second,
                outcomes: nil,
                interval: interval,
                isStart: true,
                held: [nil, nil]
            )
        }
    }

    private let history: GapLedgerHistory
    private let starts: [Int]
    private let ends: [Int]
    private var boundaries: [[Boundary]]
    private var marks: [(range: Range<Int>, cause: GapCause)] = []

    init(_ history: GapLedgerHistory) {
        self.history = history
        let runs = history.runs
        let timeline = history.timeline
        starts = timeline.runs.map { Int($0.start / 10) }
        ends = zip(starts, runs).map { $0 + Int($1.ended.tenths - $1.started.tenths) / 10 }
        boundaries = []
        var interval: Int?
        for (number, start) in starts.enumerated() {
            var list = [Boundary(startingAt: start, interval)]
            for placed in history.entries where placed.run == number {
                let second = start + placed.tick - Int(runs[number].started.tenths / 10)
                switch placed.entry {
                case .mark(let cause, let end):
                    let boot = runs[number].boot
                    for other in runs.indices where runs[other].boot == boot {
                        let shift = starts[other] - Int(runs[other].started.tenths / 10)
                        let first = max(starts[other], placed.tick + shift)
                        let last = min(ends[other], end + shift)
                        if first < last { marks.append((first..<last, cause)) }
                    }
                case .sample(let outcomes):
                    list.append(
                        Boundary(
                            second: second,
                            outcomes: outcomes,
                            interval: interval,
                            isStart: false,
                            held: held(by: outcomes, in: number, at: second)
                        )
                    )
                case .schedule(let wanted):
                    let held = list[list.count - 1].held
                    guard
                        wanted != interval || list.count == 1
                            || held.contains(.driverStopped)
                    else { continue }
                    interval = wanted
                    list.append(
                        Boundary(
                            second: second,
                            outcomes: nil,
                            interval: wanted,
                            isStart: false,
                            held: held.map { wanted != nil && $0 == .driverStopped ? nil : $0 }
                        )
                    )
                }
            }
            boundaries.append(list)
        }
    }

    private func held(by outcomes: [Outcome], in run: Int, at second: Int) -> [GapCause?] {
        outcomes.map { outcome in
            let held = Self.held(outcome)
            return held == .driverStopped && endsWithNode(run, second) ? nil : held
        }
    }

    private static func held(_ outcome: Outcome) -> GapCause? {
        switch outcome {
        case .noData(.unplugged): .unplugged
        case .noData(.unusable): .unusable
        case .noData(.stopped): .driverStopped
        default: nil
        }
    }

    /// Returns the cause of a gap at a second; nil where a reading covers it.
    func cause(_ second: Int, channel: Int) -> GapCause? {
        guard let run = starts.indices.last(where: { starts[$0] <= second }) else { return .late }
        guard second < ends[run] else { return offCause(after: run) }
        let before = boundaries[run].last { $0.second <= second }
        let after = boundaries[run].first { $0.second > second }
        guard let before else { return .late }
        guard let after, let outcomes = after.outcomes else {
            let end = after?.second ?? ends[run]
            let isByEntry = after != nil
            return weak(
                second,
                before.held[channel] ?? stretchCause(before, end, run, isByEntry: isByEntry)
            )
        }
        let length = after.second - before.second
        guard let interval = before.interval else {
            let isShort = before.isStart && length <= 120
            return weak(second, before.held[channel] ?? (isShort ? .starting : .notScheduled))
        }
        if length * 2 <= interval * 3 || second >= after.second - interval {
            guard case .noData(let reason) = outcomes[channel] else { return nil }
            return reason == .stopped && endsWithNode(run, after.second)
                ? .nodeStopped : GapCause(reason)
        }
        let missed = length - interval
        if before.isStart, missed <= 120 { return weak(second, .starting) }
        return weak(second, before.held[channel] ?? (missed < interval ? .late : .unexplained))
    }

    private func stretchCause(
        _ before: Boundary,
        _ end: Int,
        _ run: Int,
        isByEntry: Bool
    ) -> GapCause {
        let length = end - before.second
        if before.isStart, length <= 120, isByEntry || before.interval != nil { return .starting }
        guard let interval = before.interval else { return .notScheduled }
        guard length * 2 <= interval * 3 else { return .unexplained }
        return isByEntry ? .notDue : endCause(run)
    }

    private func weak(_ second: Int, _ cause: GapCause) -> GapCause {
        marks.first { $0.range.contains(second) }?.cause ?? cause
    }

    /// An orderly stop takes 15 s at most.
    private func endsWithNode(_ run: Int, _ second: Int) -> Bool {
        history.runs[run].end == .stopped && ends[run] - second <= 15
    }

    private func endCause(_ run: Int) -> GapCause {
        guard history.runs[run].end == .lost else { return .nodeStopped }
        let isSameBoot =
            run + 1 < starts.count
            && history.runs[run].boot == history.runs[run + 1].boot
        return isSameBoot ? .nodeCrashed : .powerLost
    }

    private func offCause(after run: Int) -> GapCause {
        let (left, right) = (history.runs[run].boot, history.runs[run + 1].boot)
        let sure = Set(history.anchors.map(\.boot))
        let isKnown = left == right || (sure.contains(left) && sure.contains(right))
        return isKnown ? endCause(run) : .clockUnknown
    }
}
