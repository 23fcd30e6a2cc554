import Core

/// Decides whether a server fails at one item, or at everything.
///
/// Files, drives and notices are sent one at a time. A server that fails at one of them some times
/// in the same way may be down, or unable to accept that one: so another one is tried, the first at
/// once. If it is accepted, the failed ones have to be set aside. Bound: `limit` failed items.
struct ItemDoubt<Item: Hashable & Sendable>: Sendable {
    static var limit: Int { ItemAsides<Item>.limit }

    /// Equal failures in a row before another item goes.
    let patience: Int
    /// The last failure; nil while nothing fails.
    private(set) var reason: DeliveryReason?
    /// Equal failures in a row, with nothing accepted since.
    private var failures = 0
    /// Items that the server failed at since.
    private(set) var failed: [Item] = []
    private var hasHurried = false

    init(patience: Int) { self.patience = patience }

    /// Whether other items are tried.
    var isSearching: Bool { failures >= patience }

    /// Chooses the next item to send.
    ///
    /// - Parameters:
    ///   - items: In their order.
    ///   - room: How many can be set aside.
    /// - Returns: nil without items.
    func next(of items: [Item], room: Int) -> Item? {
        guard isSearching, let first = items.first else { return items.first }
        if failed.count <= min(room, Self.limit - 1), let new = items.first(where: isUntried) {
            return new
        }
        let tried = items.filter { !isUntried($0) }
        return tried.isEmpty ? first : tried[failures % tried.count]
    }

    /// Whether an item need not wait for the back-off: it may show that the server is there.
    func mayHurry(_ item: Item) -> Bool { isSearching && !hasHurried && isUntried(item) }

    private func isUntried(_ item: Item) -> Bool { !failed.contains(item) }

    /// Records that the server failed at an item, which may be the cause.
    ///
    /// - Parameters:
    ///   - item: nil for several at once.
    ///   - isSure: Whether it need not be seen again before another item goes.
    mutating func fail(_ item: Item?, _ reason: DeliveryReason, isSure: Bool = false) {
        interrupt(reason)
        self.reason = reason
        if let item, isUntried(item) {
            if isSearching { hasHurried = true }
            failed.append(item)
        }
        failures = max(failures + 1, isSure ? patience : 0)
    }

    /// Records another kind of failure, which makes the earlier ones say nothing.
    mutating func interrupt(_ reason: DeliveryReason) {
        if self.reason?.code != reason.code { self = Self(patience: patience) }
    }

    /// Records that an item was accepted: the server is there.
    ///
    /// - Returns: Those that it may be unable to take.
    mutating func succeed(_ item: Item) -> [Item] {
        defer { self = Self(patience: patience) }
        return isSearching ? failed.filter { $0 != item } : []
    }
}
