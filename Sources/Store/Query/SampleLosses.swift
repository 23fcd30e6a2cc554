import Core

/// Losses found while reading samples, in their order.
///
/// Bound: losses between two samples, at most one for each slot and each segment passed.
struct SampleLosses {
    struct Loss: Hashable {
        let cause: GapCause
        /// The beginning of the loss; nil when it reaches back to the beginning of the history.
        let from: HistoryPosition?
        let to: HistoryPosition
        let count: Int
    }

    private(set) var found: [Loss] = []
    /// Slots up to this depth of the chain were looked at, so that none is reported twice.
    private var depth: UInt32 = 0
    private var section: SampleSection?

    /// A slot was read; `before` is the one read before it in this span.
    mutating func read(_ slot: HistorySlot, after before: SlotHeader?) {
        let header = slot.header
        guard header.depth > depth else { return }
        if depth == 0, header.depth > 1 {
            // The ring has used the slots before it again.
            found.append(Loss(cause: .expired, from: nil, to: header.first, count: 0))
        } else if let before, header.depth > before.depth + 1 {
            // No link leads to the slots in between.
            found.append(Loss(cause: .damaged, from: before.last, to: header.first, count: 0))
        }
        depth = header.depth
        guard slot.isDamaged else { return }
        let count = Int(header.count)
        found.append(Loss(cause: .damaged, from: header.first, to: header.last, count: count))
    }

    /// Begins a section; nil for a segment of the tail, whose block was whole when it was read.
    mutating func opened(_ section: SampleSection?) { self.section = section }

    /// The open segment ends before its last sample; how many are lost is not known.
    mutating func segmentBroke() {
        guard let section else { return }
        let loss = Loss(
            cause: .damaged,
            from: HistoryPosition(boot: section.boot, tick: section.first),
            to: HistoryPosition(boot: section.boot, tick: section.last),
            count: 0
        )
        // Found again in a further span, it is the same loss.
        if found.last != loss { found.append(loss) }
    }

    mutating func drain() -> [Loss] {
        defer { found.removeAll() }
        return found
    }
}
