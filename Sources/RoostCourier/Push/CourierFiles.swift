/// The few files that the courier keeps by itself, in a folder that is its own.
package protocol CourierFiles: Sendable {
    /// Reads a file.
    ///
    /// - Returns: nil when there is none.
    /// - Throws: `CourierFilesError` for a file that cannot be read, that other users may read, or
    ///   that has more than `limit` bytes.
    func read(_ name: String, limit: Int) async throws -> [UInt8]?

    /// Writes a file in one step, for the courier's user alone: after a power cut there is the old
    /// one or the new one.
    ///
    /// - Throws: `CourierFilesError`; then the old file is there.
    func replace(_ name: String, _ bytes: [UInt8]) async throws
}

/// Why a file of the courier cannot be used.
package struct CourierFilesError: Error, Hashable, Sendable, CustomStringConvertible {
    /// With the file and the next step.
    package let description: String

    package init(_ words: String) { description = words }
}
