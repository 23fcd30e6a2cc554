import FoundationEssentials

/// A page of the records that are not in the station's history file yet.
///
/// First records that are in no block of the journal, then the journal's blocks: records written
/// between two pages come twice, and none is left out. Ask for all pages, then open the history.
package struct TailReport: Codable, Hashable, Sendable {
    /// The records of one block, or of a block yet to be written.
    package struct Part: Codable, Hashable, Sendable {
        /// The block's number in the journal; nil while no block holds it.
        package let sequence: UInt64?
        /// The lowest number that its block can get, while no block holds it.
        ///
        /// By it a reader knows whether it has read this part's block already; nil from older
        /// stations.
        package let earliestSequence: UInt64?
        /// Thirty-two hexadecimal digits.
        package let bootID: String
        /// Records in the format of a journal block, in base64: `SPEC.md`, *Records*.
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

    /// Folder of the station's store; nil while it has none open.
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
