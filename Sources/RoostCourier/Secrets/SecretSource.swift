import Core

/// Reader of secrets by name.
package protocol SecretSource: Sendable {
    /// - Throws: `SecretError` that names the file and the next step.
    func secret(_ name: SecretName) throws(SecretError) -> Secret
}

/// Error of reading a secret.
package struct SecretError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Name of the secret; nil where the error is about all of them.
    package let name: SecretName?
    /// Sentence with the file and the next step, without the secret.
    package let description: String

    package init(_ name: SecretName?, _ description: String) {
        (self.name, self.description) = (name, description)
    }
}
