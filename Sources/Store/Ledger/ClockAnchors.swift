import Core

/// Turns (boot, tick) into wall time, long after the fact.
///
/// The monotonic clock never steps, so within a boot the true offset to wall time only drifts. A
/// trusted anchor therefore dates its whole boot, back to the start. When trusted anchors disagree
/// by more than drift can explain, the clock was stepped between them and the later one is right.
///
/// A boot without a trusted anchor is placed by its own clock (a fake hardware clock, 1970), never
/// before the end of the boot before it and never after the start of the next one that is sure; its
/// times are marked unsure. Within a boot a later tick never gets an earlier time, and neither does
/// a later boot. Memory: 32 B for each anchor, 100 B for each boot; the time to make it grows with
/// the square of the boots, 0.2 s for 10 000.
package struct ClockAnchors: Sendable {
    /// Wall time of a tick, and whether it comes from a trusted anchor.
    package struct Time: Hashable, Sendable {
        package let wall: WallTime
        package let isSure: Bool

        package init(wall: WallTime, isSure: Bool) {
            self.wall = wall
            self.isSure = isSure
        }
    }

    private struct Placement {
        var line: ClockLine
        var isSure: Bool
        var trust = ClockTrust.unknown
        /// Added to the line's value, nanoseconds.
        var shift: Int64 = 0
        var floor = Int64.min
        var ceiling = Int64.max

        func wall(_ tick: Tick) -> Int64 {
            min(max(line.wall(tick).addingClamped(shift), floor), ceiling)
        }
    }

    private var placements: [BootID: Placement] = [:]

    /// Places each boot.
    ///
    /// - Parameters:
    ///   - runs: The node's runs in the order they happened; they give the order of boots.
    ///   - anchors: In any order. Those of a boot that no run names are used unchanged.
    package init(runs: [NodeRun], anchors: [ClockAnchor]) {
        let byBoot = Dictionary(grouping: anchors, by: \.boot)
        for (boot, anchors) in byBoot { placements[boot] = Self.placement(anchors) }
        var boots: [BootSpan] = []
        var numbers: [BootID: Int] = [:]
        for run in runs {
            let number = numbers[run.boot, default: boots.count]
            if number == boots.count {
                numbers[run.boot] = number
                boots.append(BootSpan(boot: run.boot, first: run.started, last: run.ended))
            } else {
                boots[number].first = min(boots[number].first, run.started)
                boots[number].last = max(boots[number].last, run.ended)
            }
        }
        doubtContradicted(boots)
        placeUnsure(boots)
    }

    /// When a tick was; nil when nothing at all dates its boot.
    package func time(_ boot: BootID, _ tick: Tick) -> Time? {
        guard let placement = placements[boot] else { return nil }
        return Time(
            wall: WallTime(nanoseconds: placement.wall(tick)),
            isSure: placement.isSure
        )
    }

    private struct BootSpan {
        let boot: BootID
        var first: Tick
        var last: Tick
    }

    private static func placement(_ anchors: [ClockAnchor]) -> Placement? {
        let set = anchors.filter { $0.wall >= .plausible }
        // Only the most trusted steps of a boot count: a person may have erred by minutes.
        if let best = set.map(\.trust).max(by: { $0.rank < $1.rank }), best.rank > 0,
            let line = ClockLine(set.filter { $0.trust == best })
        {
            return Placement(line: line, isSure: best.isSure, trust: best)
        }
        return ClockLine(anchors).map { Placement(line: $0, isSure: false) }
    }

    /// Resolves sure boots that contradict one another: those that agree the longest are used.
    private mutating func doubtContradicted(_ boots: [BootSpan]) {
        let sure = boots.filter { placements[$0.boot]?.isSure == true }
        let chain = Set(believed(sure))
        var limit = Int64.max
        for (number, boot) in sure.enumerated().reversed() {
            guard chain.contains(number) else {
                placements[boot.boot]?.isSure = false
                continue
            }
            placements[boot.boot]?.ceiling = limit
            limit = placements[boot.boot]?.wall(boot.first) ?? limit
        }
    }

    /// Numbers of the boots that follow one another in time as in order, and last longest in sum.
    ///
    /// So that one boot with a lying time server does not cost the years around it their dates. Of
    /// equals the later is used. The firm ones are chosen first: a receiver of positions that was
    /// wrong for months does not outvote an hour with a time server. Boots may overlap by as much
    /// as both may be off.
    private func believed(_ boots: [BootSpan]) -> [Int] {
        let trusts = boots.map { placements[$0.boot]?.trust ?? .unknown }
        let doubts = trusts.map { ($0.uncertainty ?? .zero).wholeNanoseconds }
        let walls = boots.map { boot in
            (
                placements[boot.boot]?.wall(boot.first) ?? 0,
                placements[boot.boot]?.wall(boot.last) ?? 0
            )
        }
        var sums: [(firm: Int64, all: Int64)] = []
        var befores: [Int?] = []
        for (number, boot) in boots.enumerated() {
            let latest = walls[number].0.addingClamped(doubts[number])
            let before = sums.indices.lazy
                .filter { walls[$0].1 <= latest.addingClamped(doubts[$0]) }
                .max { (sums[$0].firm, sums[$0].all, $0) < (sums[$1].firm, sums[$1].all, $1) }
            let length = boot.last.tenths.subtractingClamped(boot.first.tenths).addingClamped(1)
            let sum = before.map { sums[$0] } ?? (firm: 0, all: 0)
            let firm = trusts[number].isFirm ? length : 0
            sums.append((sum.firm.addingClamped(firm), sum.all.addingClamped(length)))
            befores.append(before)
        }
        var chain: [Int] = []
        var next = sums.indices.max {
            (sums[$0].firm, sums[$0].all, $0) < (sums[$1].firm, sums[$1].all, $1)
        }
        while let number = next {
            chain.append(number)
            next = befores[number]
        }
        return chain
    }

    /// Going forward: each unsure boot after the one before it and before the next sure one.
    private mutating func placeUnsure(_ boots: [BootSpan]) {
        var ceilings = Array(repeating: Int64.max, count: boots.count)
        var ceiling = Int64.max
        for number in boots.indices.reversed() {
            ceilings[number] = ceiling
            guard let placement = placements[boots[number].boot], placement.isSure else { continue }
            ceiling = placement.wall(boots[number].first)
        }
        var floor = Int64.min
        for (boot, ceiling) in zip(boots, ceilings) {
            if placements[boot.boot]?.isSure != true {
                placements[boot.boot] = Self.unsure(
                    boot,
                    placements[boot.boot]?.line,
                    floor: floor,
                    ceiling: ceiling
                )
            }
            guard let placed = placements[boot.boot] else { continue }
            floor = max(floor, placed.wall(boot.last))
        }
    }

    /// The time of a boot: by its own clock if that fits, else next to its neighbour.
    private static func unsure(
        _ boot: BootSpan,
        _ said: ClockLine?,
        floor: Int64,
        ceiling: Int64
    ) -> Placement? {
        let isAlone = floor == .min && ceiling == .max
        guard said != nil || !isAlone else { return nil }
        let line = said ?? ClockLine.zero
        var placement = Placement(line: line, isSure: false)
        let first = line.wall(boot.first)
        let isPlausible = said != nil && first >= WallTime.plausible.nanoseconds
        if !isAlone, !isPlausible, floor == .min {
            placement.shift = ceiling.subtractingClamped(line.wall(boot.last))
        } else if first < floor {
            placement.shift = floor.subtractingClamped(first)
        }
        if placement.wall(boot.last) > ceiling {
            placement.shift = ceiling.subtractingClamped(line.wall(boot.last))
        }
        (placement.floor, placement.ceiling) = (floor, max(floor, ceiling))
        return placement
    }
}
