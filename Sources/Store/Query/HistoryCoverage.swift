import Core

/// Reads what values cover, as far back as the coarsest rollup reaches.
///
/// One chain from end to end: a year of a channel is about twelve slots.
package struct HistoryCoverage {
    /// Time of one tier that values cover in part or whole.
    package struct Piece: Hashable, Sendable {
        package let boot: BootID
        /// Beginning of the bucket; before the start of the node where that is within it.
        package let from: Tick
        package let tier: RollupTier
        /// Tenths, > 0; those of a value count where its tick is.
        package let covered: Int64
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
    ///   - isSplit: Whether six hours are wanted by quarter hours, as far as those are kept.
    ///   - body: Gets each.
    package func each(
        _ stream: StreamID,
        channel: Int,
        isSplit: (Piece) -> Bool,
        _ body: (Piece) -> Void
    ) throws(StoreError) {
        defer { reader.rest() }
        if let known = try reader.stream(stream), channel < known.decimals.count {
            let boots = Dictionary(try reader.boots().map { ($0.ordinal, $0.id) }) { $1 }
            for placed in try buckets(of: known, channel) where placed.bucket.covered > 0 {
                guard let boot = boots[placed.boot] else { continue }
                let tick = Tick(tenths: placed.index * Self.coarse.tenths)
                let piece = Piece(
                    boot: boot,
                    from: tick,
                    tier: Self.coarse,
                    covered: placed.bucket.covered
                )
                guard isSplit(piece) else {
                    body(piece)
                    continue
                }
                let to = Tick(tenths: tick.tenths + Self.coarse.tenths)
                let question = HistorySeries.Question(
                    stream: known,
                    channel: channel,
                    boot: placed.boot,
                    span: HistorySpan(boot: boot, from: tick, to: to)
                )
                try fine(question.span, body) { (cells) throws(StoreError) in
                    try series.fill(&cells, question, Self.fine)
                }
            }
        }
        try eachOfTail(stream, channel, body)
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

    /// What the records cover that are not in the history yet.
    private func eachOfTail(
        _ stream: StreamID,
        _ channel: Int,
        _ body: (Piece) -> Void
    ) throws(StoreError) {
        let segments = reader.tail.segments.filter { $0.stream == stream }
        for boot in reader.tail.boots {
            let mine = segments.filter { $0.boot == boot }
            guard let first = mine.map(\.first).min(), let last = mine.map(\.last).max() else {
                continue
            }
            let grain = Self.fine.tenths
            let from = first.tenths.flooredDivision(by: grain) * grain
            // A hundred days at most; no journal holds more.
            let length = min(last.tenths + 1 - from, grain * Int64(HistoryPoint.countMax))
            let to = Tick(tenths: from + length)
            let span = HistorySpan(boot: boot, from: Tick(tenths: from), to: to)
            try fine(span, body) { (cells) throws(StoreError) in
                try series.fillFromTail(&cells, stream, channel, [span])
            }
        }
    }

    /// Hands out quarter hours of a span, which begins with one.
    private func fine(
        _ span: HistorySpan,
        _ body: (Piece) -> Void,
        fill: (inout HistoryCells) throws(StoreError) -> Void
    ) throws(StoreError) {
        let length = span.to.tenths - span.from.tenths
        var cells = HistoryCells(origin: 0, length: length, width: Self.fine.tenths)
        try fill(&cells)
        for cell in cells.points where cell.bucket.covered > 0 {
            let tick = Tick(tenths: span.from.tenths + cell.offset)
            let covered = cell.bucket.covered
            // Where no quarter hours are kept any more, the first has all six hours.
            let tier = covered > 2 * Self.fine.tenths ? Self.coarse : Self.fine
            body(Piece(boot: span.boot, from: tick, tier: tier, covered: covered))
        }
    }
}
