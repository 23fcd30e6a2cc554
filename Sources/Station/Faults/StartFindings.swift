/// What the start of an image found wrong; it holds until the next start.
package struct StartFindings: Hashable, Sendable {
    /// Mistakes in the files of the boot partition, a sentence each.
    package var fileProblems: [String]
    /// The data partition cannot be used.
    package var isDataInMemory: Bool

    package init(fileProblems: [String] = [], isDataInMemory: Bool = false) {
        (self.fileProblems, self.isDataInMemory) = (fileProblems, isDataInMemory)
    }
}
