/// The result of a row.
enum ImportStep: Hashable, Sendable {
    case header
    /// A good row, and the sample that is complete because of it.
    case row(ImportedSample?)
    case bad(ImportProblem.Reason)
}

/// Makes samples of a file's rows.
protocol ImportRows {
    mutating func read(_ fields: [String]) -> ImportStep
    /// The sample that was waiting for another row.
    mutating func finish() -> ImportedSample?
}
