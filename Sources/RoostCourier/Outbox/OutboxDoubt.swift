import Core

/// Decides whether a server fails because of one sample in a batch, or fails at everything.
///
/// A server that answers 5xx to one batch twice may be down, or unable to accept one sample of it.
/// So single samples are tried, of each stream and new ones too: where one is accepted the server
/// is there, and the next batch that it fails at is halved as if it were refused.
struct OutboxDoubt: Hashable, Sendable {
    /// Next step of an outbox after a failure.
    enum Step: Hashable, Sendable {
        /// Send a single sample at once.
        case soon
        /// Wait for the back-off.
        case later
        /// Treat the batch as refused, since the server accepts others.
        case isRefused
    }

    /// Single samples that are sent at once before the back-off counts.
    private static let quickSingles = 4

    /// Code of the failure, such as `status-500`; nil while nothing fails.
    private var code: String?
    /// Equal failures in a row, with nothing accepted since.
    private var failures = 0
    /// Samples in the first of the failed batches.
    private var size = 0
    /// Number of single samples of the backlog that failed.
    private var turn = 0
    /// Whether a single new sample was tried.
    private var hasTriedNew = false
    /// Whether a sample was accepted since: the server is there.
    private var isProven = false

    init() {}

    /// Whether single samples are sent.
    var isSearching: Bool { !isProven && failures >= 2 }
    /// Whether a new sample need not wait for the back-off, to show that the server is there.
    var wantsNew: Bool { isSearching && !hasTriedNew }

    /// Size of the next batch: 1, or that of the failed batch; nil: as without failures.
    func batch(hasLanes: Bool) -> Int? {
        if isSearching { return 1 }
        return !isProven && failures == 1 && !hasLanes ? size : nil
    }

    /// Orders the streams so that each gives a single sample in turn.
    func inTurn(_ streams: [StreamID]) -> [StreamID] {
        guard isSearching, !streams.isEmpty else { return streams }
        let start = turn % streams.count
        return Array(streams[start...] + streams[..<start])
    }

    /// Records that the server failed at a draft.
    mutating func fail(_ draft: OutboxBatch, _ reason: DeliveryReason) -> Step {
        if code != reason.code { self = OutboxDoubt() }
        code = reason.code
        if isProven {
            // The server may be down by now: find out again whether it accepts the next one.
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

    /// Records another kind of failure, which makes the earlier ones say nothing.
    mutating func interrupt(_ reason: DeliveryReason) {
        if !isProven, code != reason.code { self = OutboxDoubt() }
    }

    /// Records that a draft was accepted: the server is there.
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
    /// Whether the server says that it failed itself; the request need not be wrong.
    var isServerFault: Bool { code.hasPrefix("status-5") }

    /// Whether one item may be the cause: the server was reached, and failed or did not answer.
    var mayBeOfItem: Bool { isServerFault || ["silent", "closed"].contains(code) }
}
