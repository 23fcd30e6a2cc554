import Core

/// Items that a server fails at while it accepts others, each tried again with back-off.
///
/// An item is a file, a drive or a notice.
///
/// Bound: `limit`; while it is full, a further failing item blocks the others.
struct ItemAsides<Item: Hashable & Sendable>: Sendable {
    static var limit: Int { 8 }

    private struct Aside {
        let item: Item
        var reason: DeliveryReason?
        var delay: RetryDelay
        var due: MonotonicInstant
        /// Whether the failure was already logged.
        var isSaid = false
    }

    private let seed: UInt64
    private var waiting: [Aside] = []

    init(seed: UInt64) { self.seed = seed }

    var items: [Item] { waiting.map(\.item) }
    /// Number of items that can still be set aside.
    var room: Int { Self.limit - waiting.count }
    /// Time when the next item is due; nil without one.
    var next: MonotonicInstant? { next { _ in true } }

    /// Items that were not tried since they were set aside.
    var untried: [Item] { waiting.filter { $0.delay.failureCount == 1 }.map(\.item) }

    func contains(_ item: Item) -> Bool { waiting.contains { $0.item == item } }

    func next(where isWanted: (Item) -> Bool) -> MonotonicInstant? {
        waiting.filter { isWanted($0.item) }.map(\.due).min()
    }

    /// Returns the item that is due first.
    func first(at now: MonotonicInstant, where isWanted: (Item) -> Bool = { _ in true }) -> Item? {
        waiting.filter { $0.due <= now && isWanted($0.item) }.min { $0.due < $1.due }?.item
    }

    /// Lists the items for reports.
    ///
    /// - Returns: The items refused now.
    func refusals(_ kind: String, _ name: (Item) -> String) -> [DeliveryStanding.Refusal] {
        waiting.map { .init(name: name($0.item), reason: $0.reason, kind: kind) }
    }

    mutating func add(_ item: Item, _ reason: DeliveryReason?, at now: MonotonicInstant) {
        guard !contains(item), room > 0 else { return }
        var delay = RetryDelay(seed: seed &+ UInt64(waiting.count))
        let due = now.advanced(by: delay.fail())
        waiting.append(Aside(item: item, reason: reason, delay: delay, due: due))
    }

    /// Restores an item that an earlier process set aside and logged.
    mutating func resume(_ item: Item) {
        guard !contains(item), room > 0 else { return }
        let delay = RetryDelay(seed: seed &+ UInt64(waiting.count))
        waiting.append(Aside(item: item, delay: delay, due: .boot, isSaid: true))
    }

    /// Records that the server failed again at an item.
    ///
    /// - Returns: Whether the log should have it: it is the item, not the server.
    mutating func fail(
        _ item: Item,
        _ reason: DeliveryReason,
        after seconds: Int? = nil,
        at now: MonotonicInstant
    ) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.item == item }) else { return false }
        waiting[index].reason = reason
        let wait = waiting[index].delay.fail(reason, afterSeconds: seconds)
        waiting[index].due = now.advanced(by: wait)
        defer { waiting[index].isSaid = true }
        return !waiting[index].isSaid
    }

    /// Records a failure of several items at once, when the faulty one is unknown.
    mutating func fail(together items: [Item], _ reason: DeliveryReason, at now: MonotonicInstant) {
        for index in waiting.indices where items.contains(waiting[index].item) {
            waiting[index].due = now.advanced(by: waiting[index].delay.fail(reason))
        }
    }

    /// Lets the next step of an item follow at once.
    mutating func advance(_ item: Item, at now: MonotonicInstant) {
        guard let index = waiting.firstIndex(where: { $0.item == item }) else { return }
        waiting[index].delay.succeed()
        waiting[index].due = now
    }

    mutating func remove(_ item: Item) { waiting.removeAll { $0.item == item } }

    mutating func removeAll(where isGone: (Item) -> Bool) {
        waiting.removeAll { isGone($0.item) }
    }

    /// Makes all items due.
    mutating func wake(at now: MonotonicInstant) {
        for index in waiting.indices { waiting[index].due = min(waiting[index].due, now) }
    }
}
