import COpenSSL
import Core

/// A key of the curve P-256: agrees on secrets (ECDH) and signs (ES256).
package struct CurveKey: Hashable, Sendable {
    /// 32 bytes; a program that has them can act as the owner of the key.
    package let secret: [UInt8]
    /// The public point: 65 bytes, uncompressed, the first 4.
    package let point: [UInt8]

    /// A new key.
    ///
    /// - Throws: `CryptoFailure` when the system has no random bytes.
    package init() throws(CryptoFailure) {
        var secret = [UInt8](repeating: 0, count: 32)
        var point = [UInt8](repeating: 0, count: 65)
        guard copenssl_make_pair(&secret, &point) else { throw .reason("cannot make a P-256 key") }
        (self.secret, self.point) = (secret, point)
    }

    /// The key of a secret number.
    ///
    /// - Parameter secret: 32 bytes, from 1 up to the curve's order.
    /// - Throws: `CryptoFailure` for another number.
    package init(secret: [UInt8]) throws(CryptoFailure) {
        guard secret.count == 32 else {
            throw CryptoFailure("the secret of a P-256 key has 32 bytes, not \(secret.count)")
        }
        var point = [UInt8](repeating: 0, count: 65)
        guard copenssl_point(secret, &point) else { throw .reason("no secret of a P-256 key") }
        (self.secret, self.point) = (secret, point)
    }

    /// The key in a PEM text, as Apple's `.p8` files.
    ///
    /// - Parameter pem: PKCS #8 or SEC 1, without a password.
    /// - Throws: `CryptoFailure` when it holds no P-256 key.
    package init(pem: Secret) throws(CryptoFailure) {
        var secret = [UInt8](repeating: 0, count: 32)
        guard copenssl_secret(pem.reveal(), &secret) else { throw .reason("no P-256 key in PEM") }
        try self.init(secret: secret)
    }

    /// Agrees on a secret that only both owners can compute.
    ///
    /// Source: NIST SP 800-56A, section 5.7.1.2.
    ///
    /// - Parameter peer: The other's point, 65 bytes.
    /// - Returns: The x coordinate of the product, 32 bytes.
    /// - Throws: `CryptoFailure` for a point that is not on the curve.
    package func agree(with peer: [UInt8]) throws(CryptoFailure) -> [UInt8] {
        guard peer.count == 65 else {
            throw CryptoFailure("a point of P-256 has 65 bytes, not \(peer.count)")
        }
        var shared = [UInt8](repeating: 0, count: 32)
        guard copenssl_agree(secret, peer, &shared) else {
            throw .reason("the other's point is not on P-256")
        }
        return shared
    }

    /// Signs by ES256 (RFC 7518, section 3.4): r and s, 64 bytes; another at each call.
    func signES256(_ bytes: [UInt8]) throws(CryptoFailure) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: 64)
        guard copenssl_sign_es256(secret, bytes, bytes.count, &signature) else {
            throw .reason("cannot sign with this P-256 key")
        }
        return signature
    }

    /// Whether a point's owner signed these bytes by ES256.
    package static func isES256(
        _ signature: [UInt8],
        of bytes: [UInt8],
        by point: [UInt8]
    ) -> Bool {
        guard signature.count == 64, point.count == 65 else { return false }
        return copenssl_verify_es256(point, bytes, bytes.count, signature)
    }
}

extension CurveKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "P-256 key of \(Base64.url(point))" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["point": Base64.url(point)]) }
}
