/// Result of comparing a file with the receiver's copy.
package struct FileProof: Hashable, Sendable {
    /// Path with the target's prefix, such as `hourly/Sun Nov  6 07:49:04 2022.csv`.
    package let path: String
    /// Samples in the file's time.
    package let samples: Int
    package let holding: FileHolding
}
