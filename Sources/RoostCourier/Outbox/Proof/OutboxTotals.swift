/// Counts of delivered and left-out samples at one target since it was added.
package struct OutboxTotals: Hashable, Sendable {
    package var delivered = 0
    package var leftOut: [LeftOut: Int] = [:]

    package init() {}

    package var leftOutCount: Int { leftOut.values.reduce(0, +) }

    package mutating func leaveOut(_ counts: [LeftOut: Int]) {
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
