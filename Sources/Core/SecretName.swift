/// The name of a secret: a file of that name holds it, never the configuration.
package struct SecretName: Hashable, Sendable, CustomStringConvertible {
    /// Name of 1…64 letters, digits, `.`, `_` and `-`, not beginning with a point.
    package let text: String

    /// Parses a name; nil when `text` is not one.
    package init?(_ text: String) {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isPlain, (1...64).contains(text.utf8.count), !text.hasPrefix(".") else { return nil }
        self.text = text
    }

    package var description: String { text }
}
