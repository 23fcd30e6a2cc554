import Store

/// Records that an earlier process left in the mirror, split by whether a block has them.
struct MirrorRecovery {
    /// Records at the front that blocks have, cursors among them counted.
    private(set) var doneCount = 0
    /// The others, oldest first.
    private(set) var records: ArraySlice<[UInt8]>
    /// Cursors among the records that blocks have; a block keeps only the newest of each follower.
    private(set) var cursors: [StoreCursor] = []

    /// - Parameters:
    ///   - all: The content of the mirror.
    ///   - count: Records of blocks that were written after the mirror's, cursors not counted.
    init(_ all: [[UInt8]], blocksHave count: Int) {
        records = all[...]
        var rest = count
        while rest > 0, let first = records.popFirst() {
            doneCount += 1
            if let cursor = Self.cursor(first) { cursors.append(cursor) } else { rest -= 1 }
        }
    }

    /// Clock anchors among the records that no block has.
    var anchors: [ClockAnchor] {
        records.flatMap { JournalRecordCodec.contents($0).records }.compactMap { record in
            if case .anchor(let anchor) = record { anchor } else { nil }
        }
    }

    private static func cursor(_ bytes: [UInt8]) -> StoreCursor? {
        let records = JournalRecordCodec.contents(bytes).records
        guard records.count == 1, case .cursor(let cursor) = records[0] else { return nil }
        return cursor
    }
}
