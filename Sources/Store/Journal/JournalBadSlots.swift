/// Slots of a ring that refused a write: they are left out, however many there are.
///
/// A slot that refused while another stored the block is bad until the process ends. Where none
/// stored it the card as a whole may have refused: such slots are tried once more after a
/// checkpoint, or when no other is left. Bound: the ring's slots.
package struct JournalBadSlots: Hashable, Sendable {
    private var confirmed: Set<Int> = []
    private var suspects: Set<Int> = []
    /// Suspects of before, which are tried once more.
    private var forgiven: Set<Int> = []

    package init() {}

    package var count: Int { confirmed.count + suspects.count }

    func contains(_ slot: Int) -> Bool { confirmed.contains(slot) || suspects.contains(slot) }

    /// Marks slots as bad that refused a block which another slot stored.
    mutating func confirm(_ slots: [Int]) { confirmed.formUnion(slots) }

    /// Marks slots as suspect that refused a block, with no other slot tried.
    ///
    /// Where that leaves none at all, each is tried again.
    mutating func suspect(_ slots: [Int], of slotCount: Int) {
        confirmed.formUnion(forgiven.intersection(slots))
        suspects.formUnion(slots)
        suspects.subtract(confirmed)
        if count >= slotCount { self = JournalBadSlots() }
    }

    /// Lets slots be tried again whose errors may have been those of the whole card.
    ///
    /// - Returns: Whether there is any.
    @discardableResult
    mutating func forgive() -> Bool {
        guard !suspects.isEmpty else { return false }
        forgiven.formUnion(suspects)
        suspects = []
        return true
    }
}
