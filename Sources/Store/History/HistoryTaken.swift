import Core
import Glibc

/// Counts of what one transaction stored and of what it could not store.
package struct HistoryTaken: Hashable, Sendable {
    package var samples = 0
    package var events = 0
    /// Blocks whose records could not be read to the end.
    var damagedBlocks = 0
    /// Samples that were given up because their streams have no place; a mark records each.
    var samplesWithoutPlace = 0
    /// Streams that have no place: the block that needs one, and all after it, wait.
    package var placeless: [StreamDescription] = []
    /// Streams that were gone from the rings and gave their places to others.
    package var recycled: [StreamID] = []
    /// Segments that could not be decoded to the end.
    package var damagedSegments = 0

    package init() {}
}
