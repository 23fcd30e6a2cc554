import ControlProtocol
import Core
import Store

/// Writes the store's events, and the faults of its journal.
struct StoreReporter: Sendable {
    let context: StationContext
    private var badSlotCount = 0

    init(_ context: StationContext) { self.context = context }

    /// Names slots of the journal that refuse, whenever they have become more.
    mutating func reportBadSlots(_ count: Int, of blocks: Int) {
        guard count != badSlotCount else { return }
        let hasMore = count > badSlotCount
        badSlotCount = count
        guard count > 0 else { return context.faults.clear(.journalWorn) }
        context.faults.raise(
            .journalWorn,
            "\(count) of the journal's \(blocks) slots refuse to be written; the others are used",
            isTold: true
        )
        guard hasMore else { return }
        report(.journalWorn, .error, ["slots": "\(count)", "blocks": "\(blocks)"])
    }

    func report(_ opening: StationStore.Opening) {
        let log =
            opening.isLogCutShort
            ? "; its last write was cut short, and is copied from the journal again" : ""
        report(.storeOpen, .info, ["history": "\(opening.history)\(log)"])
        if opening.lacksCursors { report(.deliveryUnknown, .warning) }
        for loss in opening.losses { report(.storeDamaged, .error, ["what": loss]) }
    }

    func report(_ history: HistoryOpening) {
        report(.historySetAside, .error, ["what": "\(history)"])
    }

    func report(
        _ kind: EventKind.Plain,
        _ severity: Event.Severity,
        _ details: KeyValuePairs<String, String> = [:]
    ) {
        context.recorder.recordSoon(
            Event(
                at: context.clock.now,
                source: "store",
                kind: .plain(kind),
                severity: severity,
                details
            )
        )
    }
}

extension StoreReport.State {
    /// The worst that holds.
    ///
    /// - Parameters:
    ///   - faults: The kinds of the present faults.
    ///   - isOpen: Whether the store was open in this process.
    ///   - isHistoryFull: Whether the card has no room for the history.
    init(_ faults: Set<Fault.Kind>, isOpen: Bool, isHistoryFull: Bool) {
        if faults.contains(.storeNotWriting) {
            self = isOpen ? .failing : .missing
        } else if faults.contains(.historyNotTaking) {
            self = isHistoryFull ? .full : .historyFailing
        } else if faults.contains(.historyFull) {
            self = .full
        } else {
            self = isOpen ? .ok : .opening
        }
    }
}
