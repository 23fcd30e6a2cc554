import FoundationEssentials

/// A page of the records that are not in the station's history file yet, or of those that came
/// after a follower's position.
///
/// First records that are in no block of the journal, then the journal's blocks: records written
/// between two pages come twice, and none is left out. Ask for all pages, then open the history.
///
/// A follower then goes on from `end`: it gets each record once, from memory, and asks again with
/// `next`. Without `next` memory lacks some of them, or they are of another process of the station:
/// the follower begins with the first page and the history.
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

        /// - Parameter sequence: Nil for a follower, whose records may be of several blocks.
        package init(sequence: UInt64? = nil, bootID: String, payload: [UInt8]) {
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
    /// Where the next page begins, for `GetTail.from`; nil on the last.
    package let next: String?
    /// Where a follower goes on, for `GetTail.from`; on the first page only, and nil without
    /// a store.
    package let end: String?
    /// Name of the limits that pages go by; nil from older stations.
    package var levels: String?

    package init(
        folder: String?,
        bootID: String?,
        nowSeconds: Double,
        parts: [Part],
        next: String?,
        end: String? = nil
    ) {
        self.folder = folder
        self.bootID = bootID
        self.nowSeconds = nowSeconds
        self.parts = parts
        self.next = next
        self.end = end
    }
}

/// The condition under which a follower's `tail` is answered.
package struct TailCondition: Codable, Hashable, Sendable {
    /// Number of samples to wait for, 1…2 048: the station keeps no more in memory.
    package let atLeast: Int
    /// Longest wait of the oldest sample, 0…86 400 s; nil waits for `atLeast` only.
    package let orAfterSeconds: Double?

    package init(atLeast: Int = 1, orAfterSeconds: Double? = nil) {
        (self.atLeast, self.orAfterSeconds) = (atLeast, orAfterSeconds)
    }
}
