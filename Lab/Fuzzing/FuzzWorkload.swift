/// Spoilt input for a reader, another for each seed.
package protocol FuzzWorkload: AnyObject {
    /// Name of the reader under test.
    var name: String { get }
    /// Inputs that were read as good in spite of it: with none of many, nothing was tried.
    var takenCount: Int { get }

    /// Spoils something in the way of this seed and has it read.
    ///
    /// - Returns: What is wrong with the reader, and the input; nil when nothing is.
    func fault(seed: UInt64) throws -> String?
}

struct FuzzError: Error, CustomStringConvertible {
    let description: String
}
