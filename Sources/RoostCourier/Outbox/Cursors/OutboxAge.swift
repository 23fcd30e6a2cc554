import Core

/// Tracks the age beyond which a target refuses samples.
struct OutboxAge: Sendable {
    /// Refusals in a row with one reason that start a search, while nothing older is delivered.
    private static let searchLimit = 2

    private(set) var search: AgeSearch?
    /// Time up to which samples of the backlog are too old, of one stream or of all.
    private var floor: (time: WallTime, stream: StreamID?)?
    private var row: (code: String, stream: StreamID, count: Int)?
    /// Samples that were left out for their age and not reported yet.
    private var unsaid: (count: Int, reason: DeliveryReason)?

    /// Starts a search: the receiver refuses every sample of a draft for its age.
    mutating func begin(_ reason: DeliveryReason, _ draft: OutboxBatch) {
        guard let newest = draft.samples.compactMap(\.time).max() else { return }
        search = AgeSearch(reason, refused: newest, of: draft.samples.first?.stream)
    }

    /// Records that the receiver refuses a draft of one sample.
    mutating func refuse(_ reason: DeliveryReason, _ draft: OutboxBatch) {
        guard let stream = draft.samples.first?.stream else { return }
        let isSame = row?.code == reason.code && row?.stream == stream
        let count = (isSame ? row?.count ?? 0 : 0) + 1
        row = (reason.code, stream, count)
        if count == Self.searchLimit { begin(reason, draft) }
    }

    /// Records that a sample of the backlog was delivered.
    mutating func deliver() { row = nil }

    /// Records that samples were left out for their age.
    mutating func leaveOut(_ reason: DeliveryReason) { unsaid = unsaid ?? (0, reason) }

    mutating func record(_ time: WallTime?, isTaken: Bool) {
        search?.record(time, isTaken: isTaken)
    }

    /// - Returns: How the search ended, and its reason; nil without one, or while it goes on.
    mutating func end() -> (step: AgeSearch.Step, reason: DeliveryReason)? {
        guard let search else { return nil }
        switch search.step {
        case .look: return nil
        case .found(let edge):
            (floor, row) = ((edge, search.stream), nil)
            leaveOut(search.reason)
        case .everything, .otherReason: break
        }
        self.search = nil
        return (search.step, search.reason)
    }

    mutating func giveUp() { search = nil }

    /// Returns why a sample of the backlog is left out; nil where it is not.
    func leavesOut(_ sample: OutboxSample) -> LeftOut? {
        guard let floor, let time = sample.time, time <= floor.time,
            floor.stream == nil || floor.stream == sample.stream
        else { return nil }
        return .notKept
    }

    /// Returns the notice after a draft of the backlog is settled: one for all samples too old.
    mutating func say(after draft: OutboxBatch, isLast: Bool) -> [DeliveryNotice] {
        let count = draft.parts.values.reduce(0) { $0 + ($1.leftOut[.notKept] ?? 0) }
        if count == 0 { floor = nil }
        guard let (before, reason) = unsaid else { return [] }
        guard count == 0 || isLast || !draft.samples.isEmpty else {
            unsaid = (before + count, reason)
            return []
        }
        unsaid = nil
        return before + count > 0 ? [.refused(.old, samples: before + count, reason)] : []
    }
}
