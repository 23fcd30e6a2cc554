/// Counts of delivered and left-out samples at one target since it was added.
struct OutboxTotals: Hashable, Sendable {
    var delivered = 0
    var leftOut: [LeftOut: Int] = [:]

    init() {}

    var leftOutCount: Int { leftOut.values.reduce(0, +) }

    mutating func leaveOut(_ counts: [LeftOut: Int]) {
        leftOut.merge(counts) { $0 + $1 }
    }

    /// Counts refused samples as delivered: the target has them after all.
    mutating func deliverAfterAll(_ count: Int, of reason: LeftOut) {
        let left = leftOut[reason] ?? 0
        let moved = min(count, left)
        leftOut[reason] = left == moved ? nil : left - moved
        delivered += moved
    }
}
