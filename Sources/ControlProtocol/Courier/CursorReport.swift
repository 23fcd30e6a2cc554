import FoundationEssentials

/// Cursors that followers of the store have left with the station; the answer to `cursor`.
package struct CursorReport: Codable, Hashable, Sendable {
    /// Bytes of a name at most, ≥ 1.
    package static let nameByteLimit = 64
    /// Bytes of a blob at most; an empty one removes the name.
    package static let blobByteLimit = 1_024
    /// Names at most; one more is refused with `busy`.
    package static let nameLimit = 16

    /// The newest blob of one name.
    package struct Cursor: Codable, Hashable, Sendable {
        package let name: String
        private let blob: Data
        /// Sequence number of the blob in this process; 0 for one that it found in the store.
        package let number: Int64

        package init(name: String, blob: [UInt8], number: Int64) {
            (self.name, self.blob, self.number) = (name, Data(blob), number)
        }

        package var bytes: [UInt8] { Array(blob) }
    }

    /// Cursors, sorted by name.
    package let cursors: [Cursor]
    /// Number of this request's blob, or the newest number there is.
    package let number: Int64
    /// Blobs up to this number are on the card; later ones may be lost in a power cut.
    package let durable: Int64
    /// Samples recorded since this time, in seconds since the machine started, reach the card with
    /// this blob or later; nil where that is not known.
    package var openSinceSeconds: Double?

    package init(cursors: [Cursor], number: Int64, durable: Int64) {
        (self.cursors, self.number, self.durable) = (cursors, number, durable)
    }
}
