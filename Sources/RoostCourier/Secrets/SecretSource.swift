/// The name of a secret: a file of that name holds it, never the configuration.
package struct SecretName: Hashable, Sendable, CustomStringConvertible {
    /// 1…64 of letters, digits, `.`, `_` and `-`, not beginning with a point.
    package let text: String

    /// nil when `text` is no name of a secret.
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

/// Where secrets are.
package protocol SecretSource: Sendable {
    /// - Throws: `SecretError` that names the file and the next step.
    func secret(_ name: SecretName) throws(SecretError) -> Secret
}

/// Why there is no secret.
package struct SecretError: Error, Hashable, Sendable, CustomStringConvertible {
    /// nil where it is about all of them.
    package let name: SecretName?
    /// With the file and the next step, without the secret.
    package let description: String

    package init(_ name: SecretName?, _ description: String) {
        (self.name, self.description) = (name, description)
    }
}
