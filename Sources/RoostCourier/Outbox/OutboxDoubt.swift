import Core

/// Whether a server fails for what is in a batch, or fails at everything.
///
/// A server that answers 5xx to one batch twice may be down, or be unable to take one sample of
/// it. So single samples go, of each stream and of what is new: where one is taken the server is
/// there, and the next batch that it fails at is halved as one that it refuses.
struct OutboxDoubt: Hashable, Sendable {
    /// How an outbox goes on after a failure.
    enum Step: Hashable, Sendable {
        /// At once, with a single sample.
        case soon
        /// After the back-off.
        case later
        /// It takes others: it is this batch.
        case isRefused
    }

    /// Single samples that go at once; after them the back-off counts.
    private static let quickSingles = 4

    /// As `status-500`; nil while nothing fails.
    private var code: String?
    /// Equal answers in a row, and nothing taken since.
    private var failures = 0
    /// Samples of the first of these batches.
    private var size = 0
    /// Single samples of the backlog that failed.
    private var turn = 0
    /// Whether a single sample that is new was tried.
    private var hasTriedNew = false
    /// Whether something was taken since: the server is there.
    private var isProven = false

    init() {}

    /// Whether single samples go.
    var isSearching: Bool { !isProven && failures >= 2 }
    /// Whether a new sample need not wait for the back-off: the first may show that it is there.
    var wantsNew: Bool { isSearching && !hasTriedNew }

    /// How many samples go next: one, or once more those that failed; nil: as without a doubt.
    func batch(hasLanes: Bool) -> Int? {
        if isSearching { return 1 }
        return !isProven && failures == 1 && !hasLanes ? size : nil
    }

    /// One sample of each stream in turn.
    func inTurn(_ streams: [StreamID]) -> [StreamID] {
        guard isSearching, !streams.isEmpty else { return streams }
        let start = turn % streams.count
        return Array(streams[start...] + streams[..<start])
    }

    /// A server failed at a draft.
    mutating func fail(_ draft: OutboxBatch, _ reason: DeliveryReason) -> Step {
        if code != reason.code { self = OutboxDoubt() }
        code = reason.code
        if isProven {
            // Whether it takes the next is to be seen anew: it may be down by then.
            if draft.samples.count <= 1 { (failures, hasTriedNew, isProven) = (2, false, false) }
            return .isRefused
        }
        if failures == 0 { size = draft.samples.count }
        if isSearching {
            if draft.lane == .live { hasTriedNew = true } else { turn += 1 }
        }
        failures += 1
        return (2..<2 + Self.quickSingles).contains(failures) ? .soon : .later
    }

    /// Another failure came between: what came before it says nothing.
    mutating func interrupt(_ reason: DeliveryReason) {
        if !isProven, code != reason.code { self = OutboxDoubt() }
    }

    /// A draft was taken: the server is there.
    ///
    /// - Parameters:
    ///   - isWhole: Whether no part of it is looked for any more.
    mutating func succeed(_ draft: OutboxBatch, isWhole: Bool, isLast: Bool) {
        guard code != nil else { return }
        let isAll = draft.lane == .backlog && draft.samples.count >= size && isWhole
        if isLast || isAll && !isSearching { self = OutboxDoubt() } else { isProven = true }
    }
}

extension DeliveryReason {
    /// Whether the server says that it failed; what is sent need not be wrong.
    var isServerFault: Bool { code.hasPrefix("status-5") }

    /// Whether a server that was reached failed, or fell silent, maybe for what it was sent.
    var mayBeOfItem: Bool { isServerFault || ["silent", "closed"].contains(code) }
}
