import Core
import HardwareIO
import Pictures

/// What takes the picture of a motion, and has the ring of pictures on a card.
///
/// Neither may hold up the caller's thread.
package protocol MotionCamera: Sendable {
    /// Whether the camera is plugged in; nil where nothing can be looked for, as with a program.
    func isThere() -> Bool?

    /// What is said while it is not plugged in.
    var absence: String { get }

    /// One picture.
    ///
    /// - Throws: Why there is none, as text for the log and the page of records;
    ///   `CancellationError`.
    func picture() async throws -> [UInt8]

    /// Opens the ring to change it, made where there is none.
    ///
    /// - Returns: What `body` returns.
    /// - Throws: `StorageError`, `CancellationError`.
    func changeRing<Value: Sendable>(
        _ body: @escaping @Sendable (PictureRing) throws(StorageError) -> Value
    ) async throws -> Value
}
