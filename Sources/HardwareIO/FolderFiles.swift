/// The small files of one folder, with what a file system promises of each step and no more.
///
/// A write reaches the card with `sync`, a change of names with `syncFolder`; before that a power
/// cut may undo either. Each call may block for as long as the card does.
package protocol FolderFiles: Sendable {
    /// The whole file; nil when there is none.
    ///
    /// - Throws: `StorageError`, also for a file of more than `FolderFilesLimit.byteMax`.
    func read(_ name: String) throws(StorageError) -> [UInt8]?

    /// Makes a file anew with this content.
    func write(_ name: String, _ bytes: [UInt8]) throws(StorageError)

    /// Brings a file's content to the card.
    func sync(_ name: String) throws(StorageError)

    /// Gives a file a second name, which no file may have yet; does nothing without the file.
    func link(_ name: String, as other: String) throws(StorageError)

    /// Gives a file another name; a file that has it is replaced in the same step.
    func rename(_ name: String, to other: String) throws(StorageError)

    /// Removes a name; does nothing when there is no such file.
    func remove(_ name: String) throws(StorageError)

    /// Brings the names to the card.
    func syncFolder() throws(StorageError)
}

/// Bounds of `FolderFiles`.
package enum FolderFilesLimit {
    /// Bytes of a file at most; what is larger is no settings file.
    package static let byteMax = 1 << 16
}
