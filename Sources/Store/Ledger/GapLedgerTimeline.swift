import Core

/// All runs of a node laid end to end, with the time it was off between them.
///
/// A position is tenths of a second since the start of the first run. Within a run it advances with
/// the tick, exactly. Between two runs of one boot it advances by the difference of their ticks,
/// between two boots by the difference of their wall times. That length is an estimate when a wall
/// time is unsure, and 0 when one is missing; the cause is then `clockUnknown`. Memory: 64 B for
/// each run.
package struct GapLedgerTimeline: Sendable {
    struct Placed: Hashable, Sendable {
        let run: NodeRun
        /// Position of the run's start.
        let start: Int64
        /// Why the run ended; `notDue` while it goes on.
        let endCause: GapCause
        /// The cause of the off-time after it: `endCause`, or `clockUnknown` for unsure lengths.
        let offCause: GapCause

        var end: Int64 { start + run.ended.tenths - run.started.tenths }
    }

    let runs: [Placed]
    private let numbers: [BootID: [Int]]
    private let clock: ClockAnchors

    /// Lays the runs out.
    ///
    /// - Parameters:
    ///   - runs: In the order they happened; within one boot they must not overlap.
    ///   - clock: Made from the same runs.
    package init(runs: [NodeRun], clock: ClockAnchors) {
        var placed: [Placed] = []
        var position: Int64 = 0
        for (number, run) in runs.enumerated() {
            let next = number + 1 < runs.count ? runs[number + 1] : nil
            let off = next.map { Self.offTime(from: run, to: $0, clock) }
            let cause = Self.endCause(run, before: next)
            let here = Placed(
                run: run,
                start: position,
                endCause: cause,
                offCause: off?.isKnown == false ? .clockUnknown : cause
            )
            placed.append(here)
            position = here.end + (off?.tenths ?? 0)
        }
        self.runs = placed
        self.clock = clock
        numbers = Dictionary(grouping: placed.indices) { placed[$0].run.boot }
    }

    /// Tenths of a second from the first start to the last end known.
    package var length: Int64 { runs.last?.end ?? 0 }

    /// The position of a tick, or nil when the node did not run then.
    ///
    /// At the tick where one run ends and the next begins, the earlier counts.
    package func position(_ boot: BootID, _ tick: Tick) -> Int64? { place(boot, tick)?.position }

    /// The order of positions: one run may begin where the one before ended.
    package struct Order: Comparable, Sendable {
        let run: Int
        let position: Int64

        package static let first = Order(run: .min, position: .min)
        package static let last = Order(run: .max, position: .max)

        package static func < (left: Order, right: Order) -> Bool {
            (left.run, left.position) < (right.run, right.position)
        }
    }

    /// The order of a tick; `Order.first` when the tick is outside every run.
    package func order(_ boot: BootID, _ tick: Tick) -> Order {
        place(boot, tick).map { Order(run: $0.run, position: $0.position) } ?? .first
    }

    /// The run of a tick, and the position in it.
    func place(_ boot: BootID, _ tick: Tick) -> (run: Int, position: Int64)? {
        guard let numbers = numbers[boot] else { return nil }
        let index = numbers.firstIndexSorted { runs[$0].run.ended >= tick }
        guard index < numbers.count, runs[numbers[index]].run.started <= tick else { return nil }
        let placed = runs[numbers[index]]
        return (numbers[index], placed.start + tick.tenths - placed.run.started.tenths)
    }

    /// The positions of a stretch of one boot, clipped to its runs; in order, none empty.
    func ranges(_ boot: BootID, _ ticks: Range<Tick>) -> [Range<Int64>] {
        (numbers[boot] ?? []).compactMap { number in
            let placed = runs[number]
            let first = max(ticks.lowerBound, placed.run.started).tenths
            let last = min(ticks.upperBound, placed.run.ended).tenths
            guard first < last else { return nil }
            let shift = placed.start - placed.run.started.tenths
            return first + shift..<last + shift
        }
    }

    /// Returns at most one range of positions from one mark to a later one, off-time included.
    ///
    /// A start outside all runs of its boot counts as the first run's start, an end outside them
    /// as the last run's end. Empty when a boot has no run.
    func ranges(from: GapMark.Place, to: GapMark.Place) -> [Range<Int64>] {
        guard let first = edges(from.boot), let last = edges(to.boot) else { return [] }
        let start = position(from.boot, from.tick) ?? first.lowerBound
        let end = position(to.boot, to.tick) ?? last.upperBound
        return start < end ? [start..<end] : []
    }

    private func edges(_ boot: BootID) -> Range<Int64>? {
        guard let numbers = numbers[boot], let first = numbers.first, let last = numbers.last
        else { return nil }
        return runs[first].start..<max(runs[first].start, runs[last].end)
    }

    /// Wall time at a position; nil when nothing dates the run.
    ///
    /// Never falls with the position.
    package func time(at position: Int64) -> ClockAnchors.Time? {
        guard !runs.isEmpty else { return nil }
        let placed = runs[max(0, runs.firstIndexSorted { $0.start > position } - 1)]
        let inside = min(max(position, placed.start), placed.end) - placed.start
        let tick = Tick(tenths: placed.run.started.tenths + inside)
        guard let time = clock.time(placed.run.boot, tick) else { return nil }
        let beyond = position - placed.start - inside  // In the off-time, or outside all.
        let wall = WallTime(
            nanoseconds: time.wall.nanoseconds.addingClamped(beyond.clockNanoseconds)
        )
        let isOffUnknown = beyond > 0 && placed.offCause == .clockUnknown
        return ClockAnchors.Time(wall: wall, isSure: time.isSure && !isOffUnknown)
    }

    /// The boot and tick at a position; between two runs, the end of the earlier one.
    package func place(at position: Int64) -> GapMark.Place? {
        guard !runs.isEmpty else { return nil }
        let placed = runs[max(0, runs.firstIndexSorted { $0.start > position } - 1)]
        let inside = min(max(position, placed.start), placed.end) - placed.start
        return GapMark.Place(placed.run.boot, Tick(tenths: placed.run.started.tenths + inside))
    }

    /// The first position whose wall time is not before `wall`; `length` when there is none.
    package func position(at wall: WallTime) -> Int64 {
        var (low, high): (Int64, Int64) = (0, length)
        while low < high {
            let middle = low + (high - low) / 2
            let isBefore = time(at: middle).map { $0.wall < wall } ?? true
            if isBefore { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private static func endCause(_ run: NodeRun, before next: NodeRun?) -> GapCause {
        switch run.end {
        case .stopped: .nodeStopped
        case .running: .notDue
        case .lost: next?.boot == run.boot ? .nodeCrashed : .powerLost
        }
    }

    private static func offTime(
        from run: NodeRun,
        to next: NodeRun,
        _ clock: ClockAnchors
    ) -> (tenths: Int64, isKnown: Bool) {
        if run.boot == next.boot {
            return (max(0, next.started.tenths.subtractingClamped(run.ended.tenths)), true)
        }
        guard let end = clock.time(run.boot, run.ended),
            let start = clock.time(next.boot, next.started)
        else { return (0, false) }
        let length = start.wall.tenths - end.wall.tenths
        return (max(0, length), end.isSure && start.isSure)
    }
}

extension Array {
    /// The first index whose element passes; `count` when no element does.
    ///
    /// All elements behind one that passes must pass too.
    fileprivate func firstIndexSorted(_ passes: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if passes(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
