/// Result of comparing a file with the receiver's copy.
package struct FileProof: Hashable, Sendable {
    /// `hourly/Sun Nov  6 07:49:04 2022.csv`, with the target's prefix.
    package let path: String
    /// Samples in its time.
    package let samples: Int
    package let holding: FileHolding
}
