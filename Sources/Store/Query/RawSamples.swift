import Core

/// Hands out samples one after the other or many at a time, reading a slot when it needs one.
///
/// First the samples of the history, then those that only the tail has.
package final class RawSamples {
    /// Rows of one piece within a span.
    package struct Rows: Hashable, Sendable {
        package let boot: BootID
        /// The rows of the piece.
        package let range: Range<Int>
    }

    /// Where the samples come from.
    enum Part: Hashable {
        case everything, history
        /// The samples of the tail after a position of the history, which has all blocks up to a
        /// cursor.
        case tail(after: HistoryPosition?, UInt64)
    }

    private let reader: HistoryReader
    private let stream: HistoryCatalog.Stream?
    private let ordinals: [BootID: UInt32]
    private let id: StreamID
    private let part: Part
    private var isTimesOnly = false
    private var spans: ArraySlice<HistorySpan>

    private var slot: (place: Int, header: SlotHeader)?
    private var payload: [UInt8] = []
    private var sections: ArraySlice<SampleSection> = []
    private var decoder: SegmentDecoder?
    private var hasEntered = false
    /// Whether the history's part of this span is over.
    private var isInTail = false
    private var tailIndex = 0
    /// The last row of this span that was handed out or passed over.
    private var last: HistoryPosition?
    /// Rows of a segment of the tail before this are in the history, or in one before.
    private var floor = Int64.min
    /// The newest block in the history as it was when its newest slot was read.
    private var cursor: UInt64 = 0
    /// Segments that could not be decoded to their end.
    package private(set) var damagedSegments = 0
    private var losses = SampleLosses()

    /// The rows that `next()` reads from, and the range of those that it has not returned yet.
    private var piece = SegmentRows()
    private var waiting = 0..<0
    private var pieceBoot: BootID?

    init(
        _ reader: HistoryReader,
        _ stream: HistoryCatalog.Stream?,
        _ ordinals: [BootID: UInt32],
        _ spans: [HistorySpan],
        of id: StreamID,
        _ part: Part = .everything
    ) {
        (self.reader, self.stream, self.ordinals) = (reader, stream, ordinals)
        (self.spans, self.id, self.part) = (spans[...], id, part)
        beginSpan()
    }

    /// The samples of a stream within the spans, oldest first, one slot at a time.
    ///
    /// - Parameters:
    ///   - stream: The stream; one that is not known has no samples.
    ///   - spans: Oldest first.
    ///   - isTimesOnly: Whether times and kinds of outcomes are enough: a year is then read in a
    ///     tenth of the time, and values are meaningless.
    package convenience init(
        _ reader: HistoryReader,
        _ stream: StreamID,
        _ spans: [HistorySpan],
        isTimesOnly: Bool = false
    ) throws(StoreError) {
        self.init(reader, try reader.stream(stream), try reader.ordinals(), spans, of: stream)
        self.isTimesOnly = isTimesOnly
    }

    /// The next sample, or nil after the last.
    package func next() throws(StoreError) -> BootSample? {
        if waiting.isEmpty {
            guard let rows = try nextRows(into: &piece) else { return nil }
            (waiting, pieceBoot) = (rows.range, rows.boot)
        }
        guard let pieceBoot, let row = waiting.popFirst() else { return nil }
        return BootSample(boot: pieceBoot, tick: piece.tick(row), outcomes: piece.outcomes(row))
    }

    /// The next samples, as many as come in one piece; nil after the last.
    ///
    /// For reading many: a day costs one allocation for each slot. Use it or `next()`, not both.
    ///
    /// - Parameter rows: Reused; holds the samples until the next call.
    /// - Returns: Which rows of it, at least one, and of which boot.
    package func nextRows(into rows: inout SegmentRows) throws(StoreError) -> Rows? {
        while let span = spans.first {
            if let range = try nextRows(into: &rows, span) {
                return Rows(boot: span.boot, range: range)
            }
            spans.removeFirst()
            beginSpan()
        }
        return nil
    }

    private func beginSpan() {
        (slot, payload, sections, decoder) = (nil, [], [], nil)
        (hasEntered, tailIndex, last, floor) = (false, 0, nil, .min)
        isInTail = false
        if case .tail(let after, let cursor) = part {
            (isInTail, self.cursor) = (true, cursor)
            guard let after, let boot = spans.first.flatMap({ ordinals[$0.boot] }) else { return }
            // A boot before the history's newest is in there whole.
            if boot < after.boot { tailIndex = .max }
            if boot == after.boot { last = after }
        }
    }

    private func nextRows(
        into rows: inout SegmentRows,
        _ span: HistorySpan
    ) throws(StoreError) -> Range<Int>? {
        guard let boot = ordinals[span.boot] else { return nil }
        while true {
            while decodeRows(into: &rows) {
                let range = rows.rows(from: max(span.from.tenths, floor), to: span.to.tenths)
                if !range.isEmpty {
                    last = HistoryPosition(boot: boot, tick: rows.tick(range.upperBound - 1))
                    return range
                }
                if rows.tenths(0) >= span.to.tenths { decoder = nil }
            }
            guard try open(boot, span) else { return nil }
        }
    }

    /// Opens the next part of the span, of the history or of the tail.
    private func open(_ boot: UInt32, _ span: HistorySpan) throws(StoreError) -> Bool {
        if !isInTail {
            if try openSection(boot, span) { return true }
            isInTail = true
        }
        return part != .history && openTailSegment(span)
    }

    /// Decodes the next piece of the open section; closes it at its end.
    private func decodeRows(into rows: inout SegmentRows) -> Bool {
        do {
            if try decoder?.nextRows(into: &rows) == true { return true }
        } catch {
            damagedSegments += 1
            losses.segmentBroke()
        }
        decoder = nil
        return false
    }

    private func openTailSegment(_ span: HistorySpan) -> Bool {
        let segments = reader.tail.segments
        while tailIndex < segments.count {
            let segment = segments[tailIndex]
            tailIndex += 1
            guard segment.stream == id, segment.boot == span.boot, segment.last >= span.from,
                segment.first < span.to
            else { continue }
            floor = last.map { segment.floor(after: $0.tick, cursor) } ?? .min
            guard segment.last.tenths >= floor else { continue }
            losses.opened(nil)
            decoder = try? SegmentDecoder(segment.bytes, isTimesOnly: isTimesOnly)
            if decoder != nil { return true }
            damagedSegments += 1
        }
        return false
    }

    /// Opens the next section that may be in the span.
    private func openSection(_ boot: UInt32, _ span: HistorySpan) throws(StoreError) -> Bool {
        guard let stream else { return false }
        while true {
            while let section = sections.first {
                sections.removeFirst()
                if section.boot > boot || section.boot == boot && section.first >= span.to {
                    return false
                }
                guard section.boot == boot, section.last >= span.from else { continue }
                let segment = Array(payload[section.segment])
                decoder = try? SegmentDecoder(
                    segment,
                    decimals: stream.decimals,
                    isTimesOnly: isTimesOnly
                )
                losses.opened(section)
                if decoder != nil { return true }
                damagedSegments += 1
                losses.segmentBroke()
            }
            guard try openSlot(HistoryPosition(boot: boot, tick: span.from)) else { return false }
        }
    }

    /// Reads the next slot of the chain, or the first that may hold `position`.
    private func openSlot(_ position: HistoryPosition) throws(StoreError) -> Bool {
        defer { reader.rest() }
        guard let stream else { return false }
        let slots = reader.slots(.samples)
        let key = SlotKey(stream.description.id)
        if let slot {
            guard let next = slot.header.next else { return false }
            let read = try slots.read(next)
            if read.header.key == key, read.header.depth == slot.header.depth + 1 {
                try enter(next, read)
                return true
            }
            if read.header.isTorn {
                let chain = SlotChain(ring: slots, key: key)
                guard let later = try chain.later(than: slot.header) else { return false }
                try enter(later.slot, try slots.read(later.slot))
                return true
            }
        } else if hasEntered {
            return false
        }
        guard let newest = try reader.chain(.samples, key, place: stream.place) else {
            return false
        }
        // Once entered: recycled under our eyes, so go on with the oldest that is left.
        let found = try newest.chain.find(last ?? position, from: (newest.slot, newest.header))
        if let slot, found.header.depth <= slot.header.depth { return false }
        try enter(found.slot, try slots.read(found.slot))
        return true
    }

    private func enter(_ place: Int, _ read: HistorySlot) throws(StoreError) {
        // The same read lock holds, so that cursor and slot are of one moment.
        if read.header.next == nil || slot == nil { cursor = try reader.cursor() }
        let isTorn = slot.map { read.header.depth > $0.header.depth + 1 } ?? false
        if read.isDamaged || isTorn { reader.recordDamage() }
        losses.read(read, after: slot?.header)
        (slot, payload, hasEntered) = ((place, read.header), read.payload, true)
        sections = SampleSection.all(in: payload)[...]
    }
}

extension SegmentRows {
    /// The rows whose ticks, which never step back, are in `from..<to`.
    fileprivate func rows(from: Int64, to: Int64) -> Range<Int> {
        guard count > 0 else { return 0..<0 }
        let lower = tenths(0) >= from ? 0 : first { $0 >= from }
        let upper = tenths(count - 1) < to ? count : first { $0 >= to }
        return lower..<max(lower, upper)
    }

    private func first(where isWanted: (Int64) -> Bool) -> Int {
        // Times never step back.
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isWanted(tenths(middle)) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension RawSamples {
    /// Losses found since the last call, damaged or older than the ring, for the ledger.
    ///
    /// To be called after each `next()`, and given to the ledger before that sample.
    ///
    /// - Parameter interval: Tenths between samples: a lost one covers so long before it.
    /// - Returns: Marks, oldest first; almost always none.
    package func takeLosses(interval: Int64) -> [GapMark] {
        guard !losses.found.isEmpty else { return [] }
        let boots = ordinals.sorted { $0.value < $1.value }
        let measured = boots.filter { !$0.key.isImported }
        let imported = boots.filter(\.key.isImported)
        return losses.drain().flatMap { loss in
            [measured, imported].compactMap { Self.mark(loss, of: id, in: $0, interval) }
        }
    }

    /// The mark of a loss within one kind of boots: measured and imported ones are accounted for
    /// on timelines of their own, and neither knows a boot of the other.
    private static func mark(
        _ loss: SampleLosses.Loss,
        of stream: StreamID,
        in boots: [(key: BootID, value: UInt32)],
        _ interval: Int64
    ) -> GapMark? {
        let from =
            loss.from ?? HistoryPosition(boot: boots.first?.value ?? 0, tick: Tick(tenths: 0))
        // Boots that the history has forgotten do not count any more.
        guard let first = boots.first(where: { $0.value >= from.boot }),
            let last = boots.last(where: { $0.value <= loss.to.boot }), first.value <= last.value
        else { return nil }
        let begin = first.value == from.boot ? max(0, from.tick.tenths - interval * 3 / 2) : 0
        let end = last.value == loss.to.boot ? loss.to.tick : .end
        return GapMark(
            loss.cause,
            of: stream,
            from: GapMark.Place(first.key, Tick(tenths: begin)),
            to: GapMark.Place(last.key, end),
            lost: loss.count
        )
    }
}
