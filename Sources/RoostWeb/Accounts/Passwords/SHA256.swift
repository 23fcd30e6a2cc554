import COpenSSL

/// SHA-256 of short texts: what is kept of a secret that is random itself.
///
/// Passwords are not random and go through Argon2 instead.
enum SHA256 {
    /// The 32 bytes of the digest.
    static func digest(_ message: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        let isDone = copenssl_sha256(message, message.count, &digest)
        precondition(isDone, "SHA-256 fails only without memory")
        return digest
    }

    static func digest(_ text: String) -> [UInt8] { digest(Array(text.utf8)) }
}
