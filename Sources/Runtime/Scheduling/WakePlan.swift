import Core

/// When to wake for a set of time windows, so that the processor wakes as rarely as can be.
///
/// Pure. Waking at the earliest window *end* and serving every window that has opened by then needs
/// the fewest wake-ups for the windows known at that moment (stabbing intervals greedily).
struct WakePlan<Tag: Sendable>: Sendable {
    package typealias Ticket = UInt64

    private struct Window: Sendable {
        let ticket: Ticket
        let opens: MonotonicInstant
        let closes: MonotonicInstant
        let tag: Tag
    }

    // Sorted by `closes`, latest first, ties in order of arrival from the back: the next is last.
    // Bound: one per waiting task, so by the number of children; linear work is cheapest here.
    private var windows: [Window] = []
    private var nextTicket: Ticket = 0

    init() {}

    var isEmpty: Bool { windows.isEmpty }
    var count: Int { windows.count }

    /// The instant to wake at: the earliest window end.
    var nextWake: MonotonicInstant? { windows.last?.closes }

    /// Adds the window `[opens, opens + tolerance]`.
    mutating func add(
        from opens: MonotonicInstant,
        tolerance: Duration,
        _ tag: Tag
    ) -> Ticket {
        precondition(tolerance >= .zero, "a window cannot close before it opens")
        nextTicket += 1
        let closes = opens.advanced(by: tolerance)
        insert(Window(ticket: nextTicket, opens: opens, closes: closes, tag: tag))
        return nextTicket
    }

    private mutating func insert(_ window: Window) {
        var index = windows.endIndex
        while index > 0, windows[index - 1].closes <= window.closes { index -= 1 }
        windows.insert(window, at: index)
    }

    /// Moves the first window whose tag `isWanted` to `[opens, opens + tolerance]`.
    ///
    /// Does nothing when there is none.
    mutating func move(
        to opens: MonotonicInstant,
        tolerance: Duration,
        where isWanted: (Tag) -> Bool
    ) {
        precondition(tolerance >= .zero, "a window cannot close before it opens")
        guard let index = windows.lastIndex(where: { isWanted($0.tag) }) else { return }
        let (old, closes) = (windows.remove(at: index), opens.advanced(by: tolerance))
        insert(Window(ticket: old.ticket, opens: opens, closes: closes, tag: old.tag))
    }

    /// Removes a window; does nothing when it was removed already.
    mutating func remove(_ ticket: Ticket) {
        guard let index = windows.lastIndex(where: { $0.ticket == ticket }) else { return }
        windows.remove(at: index)
    }

    /// Removes and returns every window that has opened by `now`, the one that closes first at the
    /// front.
    mutating func takeOpen(at now: MonotonicInstant) -> [Tag] {
        var taken: [Tag] = []
        var index = windows.endIndex
        while index > 0 {
            index -= 1
            guard windows[index].opens <= now else { continue }
            taken.append(windows.remove(at: index).tag)
        }
        return taken
    }
}
