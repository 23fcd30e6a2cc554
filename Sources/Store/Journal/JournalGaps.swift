import Core

/// The time in a lost block, derived from the blocks around it.
///
/// Memory: the records of one block.
struct JournalGaps {
    /// The newest position known before the next block; nil without one.
    private var before: GapMark.Place?
    private var sequence: UInt64
    /// Sequences of blocks that cannot be read any more.
    private let lost: [UInt64]

    /// - Parameters:
    ///   - lost: Sequences of lost blocks, in order.
    ///   - cursor: The last block that is accounted for.
    ///   - newest: Its last sample, or that of any stream.
    init(_ lost: [UInt64], after cursor: UInt64, _ newest: GapMark.Place?) {
        (self.lost, sequence, before) = (lost, cursor, newest)
    }

    /// Where the time begins that was lost after the last block; nil when no block was.
    ///
    /// A journal without blocks counts from the start of `boot`, the running one.
    func openLoss(in boot: BootID) -> GapMark.Place? {
        guard lost.contains(where: { $0 > sequence }) else { return nil }
        return before ?? GapMark.Place(boot, Tick(tenths: 0))
    }

    /// The time lost between the block before and this one; nil when no block was.
    mutating func mark(before block: JournalBlock) -> GapMark? {
        var tail = HistoryTail()
        tail.append(block.payload, boot: block.boot)
        let range = tail.tickRange
        defer {
            sequence = block.sequence
            if let range { before = GapMark.Place(block.boot, range.upperBound) }
        }
        guard let range, lost.contains(where: { $0 > sequence && $0 < block.sequence }) else {
            return nil
        }
        let start = before ?? GapMark.Place(block.boot, Tick(tenths: 0))
        let end = GapMark.Place(block.boot, range.lowerBound)
        guard start.boot != end.boot || start.tick < end.tick else { return nil }
        return GapMark(.damaged, of: nil, from: start, to: end)
    }
}

/// Blocks that wait for the history, and the losses between them.
package struct JournalPage: Sendable {
    /// The blocks that can be read, oldest first.
    package var blocks: [JournalBlock] = []
    /// Time that was in blocks that cannot be read any more, as it is known from those around: an
    /// event that belongs before the block of that sequence, and is of its boot.
    package var losses: [(before: UInt64, boot: BootID, event: Event)] = []
    /// Where such time begins after the last block; it ends where more is known.
    package var openLoss: GapMark.Place?

    package init(blocks: [JournalBlock] = []) { self.blocks = blocks }
}

extension HistoryTail {
    /// When its samples begin; without samples the first moment named, nil without any.
    package var firstTick: Tick? { tickRange?.lowerBound }
}

extension JournalBlock {
    /// Position of the block's last sample, or the last moment it names.
    var lastPlace: GapMark.Place? {
        var tail = HistoryTail()
        tail.append(payload, boot: boot)
        return tail.tickRange.map { GapMark.Place(boot, $0.upperBound) }
    }
}

extension HistoryTail {
    /// Ticks from the first sample of the stream that begins last to the last sample; without
    /// samples the first and the last moment named.
    fileprivate var tickRange: ClosedRange<Tick>? {
        var firsts: [StreamID: Tick] = [:]
        for segment in segments where firsts[segment.stream] == nil {
            firsts[segment.stream] = segment.first
        }
        let named =
            marks.map(\.tick) + anchors.map(\.tick) + events.map { Tick($0.event.instant) }
        guard let first = firsts.values.max() ?? named.min(),
            let last = segments.map(\.last).max() ?? named.max()
        else { return nil }
        return first...max(first, last)
    }
}

extension HistoryReader {
    /// The last sample that the node stored, of any stream.
    package func newestPlace() throws(StoreError) -> GapMark.Place? {
        var newest: (position: HistoryPosition, place: GapMark.Place)?
        let ordinals = Dictionary(uniqueKeysWithValues: try boots().map { ($0.id, $0.ordinal) })
        for stream in try streams() where !stream.id.isImported {
            let spans = try StreamExtents(self).spans(of: stream.id)
            guard let span = spans.last, let boot = ordinals[span.boot] else { continue }
            let tick = Tick(tenths: span.to.tenths - 1)
            let position = HistoryPosition(boot: boot, tick: tick)
            if newest.map({ $0.position < position }) ?? true {
                newest = (position, GapMark.Place(span.boot, tick))
            }
        }
        return newest?.place
    }
}

extension Journal {
    /// The blocks after a cursor as a tail, with what is lost between them as events.
    ///
    /// - Parameters:
    ///   - cursor: The last block that the history has.
    ///   - newest: The last sample that the history has.
    /// - Returns: A tail for `HistoryReader`.
    package func tail(after cursor: UInt64, _ newest: GapMark.Place?) -> HistoryTail {
        let (blocks, damage) = replay(after: cursor)
        var gaps = JournalGaps(damage.map(\.sequence), after: cursor, newest)
        var tail = HistoryTail()
        for block in blocks {
            if let mark = gaps.mark(before: block) {
                let event = mark.event(at: mark.to.tick.instant, in: block.boot)
                tail.append([.event(event)], boot: block.boot)
            }
            tail.append(block.payload, boot: block.boot, block: block.sequence)
        }
        return tail
    }
}
