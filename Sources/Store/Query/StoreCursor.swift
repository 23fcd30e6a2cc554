/// How far a follower of the store has got, in its own words.
///
/// A cursor never causes a write: it lies in a block that is written anyway.
package struct StoreCursor: Hashable, Sendable {
    /// UTF-8 bytes of a name at most, ≥ 1.
    package static let nameByteLimit = 64
    /// Bytes of a blob at most.
    package static let blobByteLimit = 1_024
    /// Names that a store keeps.
    package static let countMax = 16

    package let name: String
    /// Content of the cursor; empty when the name is given up.
    package let blob: [UInt8]

    /// - Precondition: Both are within their limits.
    package init(name: String, blob: [UInt8]) {
        precondition(
            Self.isValid(name: name, blob: blob),
            "a cursor has 64 and 1 024 bytes at most"
        )
        (self.name, self.blob) = (name, blob)
    }

    package static func isValid(name: String, blob: [UInt8]) -> Bool {
        (1...nameByteLimit).contains(name.utf8.count) && blob.count <= blobByteLimit
    }
}
