import Core

/// A password, token or key; no text, log or report shows it.
///
/// Only `reveal()` gives the value, so a reader of the code sees every place where it leaves.
package struct Secret: Hashable, Sendable {
    /// Text shown in place of a secret.
    package static let mask = ForeignText.mask

    private let text: String

    package init(_ text: String) { self.text = text }

    /// Returns the value, only for the bytes that are sent to its receiver.
    package func reveal() -> String { text }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { Self.mask }
    package var debugDescription: String { Self.mask }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
