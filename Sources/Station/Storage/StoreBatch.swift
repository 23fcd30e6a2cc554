import Core

/// One block's worth of records that wait for the card.
struct StoreBatch: Sendable {
    let id: UInt64
    let payload: [UInt8]
    /// When its oldest record came.
    let since: MonotonicInstant
    /// Records of the mirror that go with it.
    var mirrored: Int
    /// Cursors up to this number are in it or in one before.
    var cursorNumber: Int64 = 0
    /// Made of records of dropped batches that later ones need.
    var isCarried = false
}
