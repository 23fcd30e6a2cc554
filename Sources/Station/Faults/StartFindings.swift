/// Problems found at the start of an image; they hold until the next start, except for the Wi-Fi.
package struct StartFindings: Hashable, Sendable {
    /// Mistakes in the files of the boot partition, a sentence each.
    package var fileProblems: [String]
    /// The data partition cannot be used.
    package var isDataInMemory: Bool
    /// Why the station is not in its owner's Wi-Fi; nil where it is, or nothing is known.
    package var wireless: String?

    package init(
        fileProblems: [String] = [],
        isDataInMemory: Bool = false,
        wireless: String? = nil
    ) {
        (self.fileProblems, self.isDataInMemory) = (fileProblems, isDataInMemory)
        self.wireless = wireless
    }
}
