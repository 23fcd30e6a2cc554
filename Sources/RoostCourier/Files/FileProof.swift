/// Result of comparing a file with the receiver's copy.
struct FileProof: Hashable, Sendable {
    /// Path with the target's prefix, such as `hourly/Sun Nov  6 07:49:04 2022.csv`.
    let path: String
    /// Samples in the file's time.
    let samples: Int
    let holding: FileHolding
}
