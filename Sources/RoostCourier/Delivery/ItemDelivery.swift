import Core

/// State of delivering items one at a time, each tried again until it is settled.
///
/// An item that the receiver fails at while it accepts others is set aside, and tried again by
/// itself.
struct ItemDelivery<Item: Hashable & Sendable>: Sendable {
    /// Result of an attempt.
    enum Fate {
        case delivered, refused, waits
    }

    var state: DeliveryState
    var doubt: ItemDoubt<Item>
    var asides: ItemAsides<Item>
    /// Work that the receiver still does on an item; nil when none is known.
    var working: DeliveryReason?

    /// - Parameters:
    ///   - pace: Shortest time between two requests.
    ///   - patience: Failures of one item after which another is tried.
    ///   - seed: For the random part of the back-off.
    init(pace: Duration, patience: Int, seed: UInt64) {
        state = DeliveryState(pace: pace, seed: seed)
        doubt = ItemDoubt(patience: patience)
        asides = ItemAsides(seed: seed)
    }

    /// Whether an item may go now.
    func isDue(_ item: Item, at now: MonotonicInstant) -> Bool {
        now >= state.notBefore || doubt.mayHurry(item)
    }

    /// Chooses the next of the items set aside; none while the receiver may be down.
    func aside(at now: MonotonicInstant) -> Item? {
        mayTryAsides && now >= state.notBefore ? asides.first(at: now) : nil
    }

    private var mayTryAsides: Bool { state.held == nil && !doubt.isSearching }

    /// Earliest time at which an item may go without another event; nil when none waits for it.
    func nextTurn(after now: MonotonicInstant) -> MonotonicInstant? {
        if now < state.notBefore { return state.notBefore }
        return mayTryAsides ? asides.next : nil
    }

    mutating func wake(at now: MonotonicInstant, within time: Duration) {
        state.wake(at: now, within: time)
        asides.wake(at: now)
    }

    /// Begins the rest after a request for an item.
    mutating func rest(_ item: Item, at now: MonotonicInstant) {
        if !asides.contains(item) { state.notBefore = now }
        state.rest(at: now)
    }

    /// Records that the receiver is there; what it failed at meanwhile is set aside.
    mutating func accept(_ item: Item, at now: MonotonicInstant) {
        for other in doubt.succeed(item) { asides.add(other, state.trouble ?? working, at: now) }
    }

    /// Records the outcome of an attempt.
    ///
    /// - Parameters:
    ///   - name: Name of the item for people, with the number of its samples.
    /// - Returns: What became of the item, and the events to report.
    mutating func finish(
        _ item: Item,
        _ outcome: DeliveryOutcome,
        named name: (text: String, samples: Int),
        at now: MonotonicInstant
    ) -> (fate: Fate, notices: [DeliveryNotice]) {
        rest(item, at: now)
        let isAside = asides.contains(item)
        switch outcome {
        case .delivered:
            if !isAside { accept(item, at: now) }
            state.refusals = 0
            return (.delivered, state.succeed())
        case .refused(let reason), .partly(_, let reason):
            let notice = DeliveryNotice.refused(.named(name.text), samples: name.samples, reason)
            guard !isAside else { return (.refused, [notice]) }
            accept(item, at: now)
            return (.refused, [notice] + state.refuse(reason, at: now))
        case .hold(let reason) where !isAside:
            doubt.interrupt(reason)
            return (.waits, state.hold(reason, at: now))
        case .later(let reason, let seconds):
            return (.waits, fail(item, reason, after: seconds, named: name.text, at: now))
        case .unknown(let reason), .foreign(let reason), .hold(let reason):
            return (.waits, fail(item, reason, named: name.text, at: now))
        }
    }

    /// Records that the receiver fails at an item.
    mutating func fail(
        _ item: Item,
        _ reason: DeliveryReason,
        after seconds: Int? = nil,
        named name: String,
        at now: MonotonicInstant
    ) -> [DeliveryNotice] {
        if asides.contains(item) {
            let isNew = asides.fail(item, reason, after: seconds, at: now)
            return isNew ? [.setAside(.named(name), reason)] : []
        }
        reason.mayBeOfItem ? doubt.fail(item, reason) : doubt.interrupt(reason)
        state.fail(reason, after: seconds, at: now)
        return []
    }
}
