import Core

/// Reads what values cover, as far back as the coarsest rollup reaches.
///
/// One chain from end to end: a year of a channel is about twelve slots. Where quarter hours are
/// wanted, their chain is passed through once beside it.
package struct HistoryCoverage {
    /// Time of one tier that values cover in part or whole.
    package struct Piece: Hashable, Sendable {
        package let boot: BootID
        /// Beginning of the bucket; before the start of the node where that is within it.
        package let from: Tick
        package let tier: RollupTier
        /// Values, > 0.
        package let count: Int64
        /// Tenths that they cover, ≥ 0; all of a value count where its tick is.
        package let covered: Int64
        /// Whether nothing finer is kept.
        package let isFinest: Bool

        fileprivate init(
            _ placed: PlacedBucket,
            of boot: BootID,
            _ tier: RollupTier,
            isFinest: Bool
        ) {
            (self.boot, self.tier, self.isFinest) = (boot, tier, isFinest)
            from = Tick(tenths: placed.index * tier.tenths)
            (count, covered) = (placed.bucket.count, placed.bucket.covered)
        }
    }

    private static let coarse = RollupTier.sixHours
    private static let fine = RollupTier.quarterHour

    private let reader: HistoryReader
    private let series: HistorySeries

    package init(_ reader: HistoryReader) {
        (self.reader, series) = (reader, HistorySeries(reader))
    }

    /// Hands out the pieces of a channel, oldest first; those of the tail come last.
    ///
    /// - Parameters:
    ///   - channel: Its place in the stream.
    ///   - body: Gets each; false asks for six hours by quarter hours, and is not heard where
    ///     those are not kept any more: then it gets the same piece again as the finest.
    package func each(
        _ stream: StreamID,
        channel: Int,
        _ body: (Piece) -> Bool
    ) throws(StoreError) {
        defer { reader.rest() }
        if let known = try reader.stream(stream), channel < known.decimals.count {
            let boots = Dictionary(try reader.boots().map { ($0.ordinal, $0.id) }) { $1 }
            let key = SlotKey(stream, channel: channel)
            var quarters: RollupCursor?
            for placed in try buckets(of: known, channel) where placed.bucket.count > 0 {
                guard let boot = boots[placed.boot],
                    !body(Piece(placed, of: boot, Self.coarse, isFinest: false))
                else { continue }
                quarters =
                    if let quarters {
                        quarters
                    } else {
                        try RollupCursor(reader, Self.fine, key, place: known.place)
                    }
                let ratio = Self.coarse.tenths / Self.fine.tenths
                let indices = placed.index * ratio..<(placed.index + 1) * ratio
                if let fine = try quarters?.buckets(of: placed.boot, indices) {
                    hand(out: fine, of: boot, body)
                } else {
                    _ = body(Piece(placed, of: boot, Self.coarse, isFinest: true))
                }
            }
        }
        try eachOfTail(stream, channel, body)
    }

    private func hand(out fine: [PlacedBucket], of boot: BootID, _ body: (Piece) -> Bool) {
        for placed in fine where placed.bucket.count > 0 {
            _ = body(Piece(placed, of: boot, Self.fine, isFinest: true))
        }
    }

    /// All buckets of the coarsest tier, each once.
    private func buckets(
        of known: HistoryCatalog.Stream,
        _ channel: Int
    ) throws(StoreError) -> [PlacedBucket] {
        let ring = HistoryRing(Self.coarse)
        let key = SlotKey(known.description.id, channel: channel)
        guard let newest = try reader.chain(ring, key, place: known.place) else { return [] }
        let start = HistoryPosition(boot: 0, tick: Tick(tenths: .min))
        var place: Int? = try newest.chain.find(start, from: (newest.slot, newest.header)).slot
        var buckets: [PlacedBucket] = []
        while let slot = place {
            let read = try reader.slots(ring).read(slot)
            if read.payload.isEmpty, read.header.count > 0 { reader.recordDamage() }
            var block = RollupBlockReader(tier: Self.coarse, read.payload[...])
            while let placed = block.next() {
                if let last = buckets.last, last.boot == placed.boot, last.index == placed.index {
                    buckets[buckets.count - 1].bucket.merge(placed.bucket)
                } else {
                    buckets.append(placed)
                }
            }
            place = try newest.chain.later(than: read.header)?.slot
        }
        return buckets
    }

    /// What the records cover that are not in the history yet, by quarter hours.
    private func eachOfTail(
        _ stream: StreamID,
        _ channel: Int,
        _ body: (Piece) -> Bool
    ) throws(StoreError) {
        let segments = reader.tail.segments.filter { $0.stream == stream }
        for boot in reader.tail.boots {
            let mine = segments.filter { $0.boot == boot }
            guard let first = mine.map(\.first).min(), let last = mine.map(\.last).max() else {
                continue
            }
            let grain = Self.fine.tenths
            let index = first.tenths.flooredDivision(by: grain)
            let from = index * grain
            // A hundred days at most; no journal holds more.
            let length = min(last.tenths + 1 - from, grain * Int64(HistoryPoint.countMax))
            let to = Tick(tenths: from + length)
            let span = HistorySpan(boot: boot, from: Tick(tenths: from), to: to)
            var cells = HistoryCells(origin: 0, length: length, width: grain)
            try series.fillFromTail(&cells, stream, channel, [span])
            let placed = cells.points.enumerated().map { offset, point in
                PlacedBucket(boot: 0, index: index + Int64(offset), bucket: point.bucket)
            }
            hand(out: placed, of: boot, body)
        }
    }
}
