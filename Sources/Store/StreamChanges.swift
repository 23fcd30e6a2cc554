import Core

/// Changes of streams' places in the history, and of the content that it could not take.
package struct StreamChanges: Hashable, Sendable {
    /// Streams that have no place now: the journal keeps their samples, and all that came after.
    package var placeless: [StreamDescription] = []
    /// Samples given up since, because the journal needed their room; marks record them.
    package var samplesGivenUp = 0
    /// Streams that were gone from the rings and gave their places to others.
    package var recycled: [StreamID] = []
    /// Places that there are.
    package var places = 0
    /// Runs of samples taken since that could not be read to their end.
    package var damagedSegments = 0
    /// Why the second copy of the small tables is not written; nil when it is.
    package var copyTrouble: String?

    package init() {}

    /// The part that lasts after the changes were reported.
    var rest: StreamChanges {
        var rest = StreamChanges()
        (rest.placeless, rest.copyTrouble) = (placeless, copyTrouble)
        return rest
    }
}
