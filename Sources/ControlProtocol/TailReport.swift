import FoundationEssentials

/// A page of the records that are not in the station's history yet, for those who read the
/// history's file.
///
/// First what no block of the journal holds, then the journal's blocks: what is written between two
/// pages comes twice, and nothing is left out. Ask for all pages, then open the history.
package struct TailReport: Codable, Hashable, Sendable {
    /// The records of one block, or of what will be one.
    package struct Part: Codable, Hashable, Sendable {
        /// The block's number in the journal; nil while no block holds it.
        package let sequence: UInt64?
        /// The lowest number that its block can get, while no block holds it.
        ///
        /// Lets a reader see whether a block that it has read already is this part; nil from older
        /// stations.
        package let earliestSequence: UInt64?
        /// Thirty-two hexadecimal digits.
        package let bootID: String
        /// As in a journal block: `SPEC.md`, *Records*; in base64.
        private let payload: Data

        package init(sequence: UInt64, bootID: String, payload: [UInt8]) {
            (self.sequence, earliestSequence) = (sequence, nil)
            (self.bootID, self.payload) = (bootID, Data(payload))
        }

        package init(earliestSequence: UInt64, bootID: String, payload: [UInt8]) {
            (sequence, self.earliestSequence) = (nil, earliestSequence)
            (self.bootID, self.payload) = (bootID, Data(payload))
        }

        package var bytes: [UInt8] { Array(payload) }
    }

    /// Where the station's store is; nil while it has none open.
    package let folder: String?
    /// The boot that the station runs in; nil where the kernel gives none.
    package let bootID: String?
    /// Seconds since that boot, now.
    package let nowSeconds: Double
    /// Oldest first.
    package let parts: [Part]
    /// Where the next page begins, for `ControlRequest.from`; nil on the last.
    package let next: String?

    package init(
        folder: String?,
        bootID: String?,
        nowSeconds: Double,
        parts: [Part],
        next: String?
    ) {
        self.folder = folder
        self.bootID = bootID
        self.nowSeconds = nowSeconds
        self.parts = parts
        self.next = next
    }
}
