import Core
import HardwareIO

/// The camera that takes pictures of motions, and its ring of pictures on a card.
///
/// Neither may block the caller's thread.
package protocol MotionCamera: Sendable {
    /// Whether the camera is plugged in; nil where that is unknown, as with a program.
    func isThere() -> Bool?

    /// Text for people while it is not plugged in.
    var absence: String { get }

    /// Takes one picture.
    ///
    /// - Throws: Why there is none, as text for the log and the page of records;
    ///   `CancellationError`.
    func picture() async throws -> [UInt8]

    /// Opens the ring to change it.
    ///
    /// - Parameter asFound: Whether it may have any shape, and is not made where there is none, as
    ///   for pictures that go.
    /// - Returns: What `body` returns.
    /// - Throws: `StorageError`, `CancellationError`.
    func changeRing<Value: Sendable>(
        asFound: Bool,
        _ body: @escaping @Sendable (PictureRing) throws(StorageError) -> Value
    ) async throws -> Value
}
