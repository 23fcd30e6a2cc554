import Core

/// The fates of samples at one target, counted since it was added.
package struct OutboxTotals: Hashable, Sendable {
    package var delivered = 0
    package var leftOut: [LeftOut: Int] = [:]

    package init() {}

    package var leftOutCount: Int { leftOut.values.reduce(0, +) }

    package mutating func leaveOut(_ counts: [LeftOut: Int]) {
        leftOut.merge(counts) { $0 + $1 }
    }
}

/// The fates of samples besides their delivery.
extension OutboxMachine {
    /// Notes that fewer samples than were seen can still be read: the ring wrote over them.
    ///
    /// - Parameters:
    ///   - stream: Where.
    ///   - left: Samples without a fate that the store still has.
    /// - Returns: What to say of it.
    package mutating func expire(_ stream: StreamID, left: Int) -> [Notice] {
        guard var mark = marks[stream] else { return [] }
        let lost = mark.waiting - left
        guard lost > 0 else { return [] }
        mark.waiting -= lost
        marks[stream] = mark
        totals.leaveOut([.expired: lost])
        return [.expired(stream, count: lost)]
    }

    /// A refused sample was taken after all.
    mutating func takeBack(_ count: Int, of reason: LeftOut) {
        let left = totals.leftOut[reason] ?? 0
        let moved = min(count, left)
        totals.leftOut[reason] = left == moved ? nil : left - moved
        totals.delivered += moved
    }
}
