import COpenSSL

/// A public ed25519 key that signs updates.
package struct UpdateKey: Hashable, Sendable {
    /// Keys that a station trusts at most; more are left out, and said.
    package static let countMax = 16
    package static let byteCountMax = 4_096

    /// 32 bytes.
    package let point: [UInt8]

    /// - Parameter point: 32 bytes, as RFC 8032 encodes a public key.
    package init(point: [UInt8]) {
        precondition(point.count == 32, "an ed25519 key has 32 bytes")
        self.point = point
    }

    /// - Parameter pem: As `openssl pkey -pubout` writes it; nil for anything else.
    package init?(pem: String) {
        var point = [UInt8](repeating: 0, count: 32)
        guard pem.utf8.count <= Self.byteCountMax, copenssl_read_ed25519(pem, &point) else {
            return nil
        }
        self.init(point: point)
    }

    /// The first 16 hexadecimal digits of the SHA-256 of the key's 32 bytes.
    package var id: String { String(UpdateDigest.of(point).prefix(16)) }

    /// Whether the key signed these bytes.
    package func signed(_ bytes: [UInt8], _ signature: [UInt8]) -> Bool {
        signature.count == 64 && copenssl_verify_ed25519(point, bytes, bytes.count, signature)
    }
}
