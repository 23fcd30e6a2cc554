/// The few files that the courier keeps in a folder of its own.
package protocol CourierFiles: Sendable {
    /// Reads a file.
    ///
    /// - Returns: nil when there is none.
    /// - Throws: `CourierFilesError` for a file that cannot be read, that other users may read, or
    ///   that has more than `limit` bytes.
    func read(_ name: String, limit: Int) async throws -> [UInt8]?

    /// Replaces a file atomically, readable only by the courier's user.
    ///
    /// - Throws: `CourierFilesError`; then the old file is there.
    func replace(_ name: String, _ bytes: [UInt8]) async throws
}

/// Why a file of the courier cannot be used.
package struct CourierFilesError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Sentence with the file and the next step.
    package let description: String

    package init(_ words: String) { description = words }
}
