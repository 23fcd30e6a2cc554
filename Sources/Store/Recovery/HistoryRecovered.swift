import Core

/// The result of copying a damaged history into a new one.
package struct HistoryRecovered: Hashable, Sendable {
    /// Slots that cannot be read: their content is unknown; they may have been empty.
    package let lost: Int
    /// Last remaining positions of chains whose newest slots are lost.
    let floors: HistoryFloors
}

/// The position up to which chains are whole; later records of the journal belong to them.
struct HistoryFloors: Hashable, Sendable {
    var samples: [StreamID: HistoryPosition] = [:]
    var events: HistoryPosition?
}
