import Core

/// The result of copying a damaged history into a new one.
package struct HistoryRecovered: Hashable, Sendable {
    /// Slots that cannot be read: their content is unknown; they may have been empty.
    package let lost: Int
    /// Ends of the chains whose newest slots are lost.
    let floors: HistoryFloors
}

/// Positions up to which damaged chains are whole.
///
/// `JournalReplay` adds the journal's later records to these chains.
struct HistoryFloors: Hashable, Sendable {
    var samples: [StreamID: HistoryPosition] = [:]
    var events: HistoryPosition?
}
