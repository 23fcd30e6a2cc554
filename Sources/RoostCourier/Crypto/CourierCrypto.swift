import COpenSSL

/// Failure of a cryptographic operation; its text names no key and no plain text.
package struct CryptoFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ words: String) { description = words }

    /// Returns an error with the failed attempt and OpenSSL's last error on this thread.
    static func reason(_ attempt: String) -> Self {
        var words = [CChar](repeating: 0, count: 256)
        copenssl_reason(&words, words.count)
        let bytes = words.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        let text = String(decoding: bytes, as: UTF8.self)
        return Self(text.isEmpty ? attempt : "\(attempt): \(text)")
    }
}

/// The cryptography that targets and receivers need, by OpenSSL's libcrypto: bytes in, bytes out.
package enum CourierCrypto {
    /// The 32 bytes of SHA-256 (FIPS 180-4).
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] { StreamingHash.of(bytes, .sha256) }

    /// The 32 bytes of SHA-256 of a text in UTF-8.
    package static func sha256(_ text: String) -> [UInt8] { sha256(Array(text.utf8)) }

    /// The 16 bytes of MD5 (RFC 1321), for services that check files by it; it is no protection.
    package static func md5(_ bytes: [UInt8]) -> [UInt8] { StreamingHash.of(bytes, .md5) }

    /// The 32 bytes of HMAC-SHA256 (RFC 2104, RFC 4231).
    package static func hmacSHA256(key: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 32)
        let isDone = copenssl_hmac(key, key.count, bytes, bytes.count, &code)
        precondition(isDone, "HMAC-SHA256 fails only without memory")
        return code
    }

    /// Makes a key by HKDF-SHA256 (RFC 5869), extract and expand, of 1…8 160 bytes.
    ///
    /// Throws `CryptoFailure` for another count.
    package static func hkdfSHA256(
        secret: [UInt8],
        salt: [UInt8],
        info: [UInt8],
        count: Int
    ) throws(CryptoFailure) -> [UInt8] {
        guard (1...8160).contains(count) else {
            throw CryptoFailure("HKDF-SHA256 gives 1 to 8160 bytes, not \(count)")
        }
        var key = [UInt8](repeating: 0, count: count)
        let isDone = salt.withUnsafeBufferPointer { salt in
            secret.withUnsafeBufferPointer { secret in
                info.withUnsafeBufferPointer { info in
                    var inputs = copenssl_hkdf()
                    (inputs.salt, inputs.salt_count) = (salt.baseAddress, salt.count)
                    (inputs.secret, inputs.secret_count) = (secret.baseAddress, secret.count)
                    (inputs.info, inputs.info_count) = (info.baseAddress, info.count)
                    return copenssl_derive(&inputs, &key, count)
                }
            }
        }
        guard isDone else { throw .reason("HKDF-SHA256 failed") }
        return key
    }

    /// Encrypts by AES-GCM (NIST SP 800-38D): AES-128 or AES-256 by the key's length.
    ///
    /// - Parameters:
    ///   - key: 16 or 32 bytes.
    ///   - nonce: 12 bytes, never twice with one key.
    ///   - open: Sent in the clear and protected against change.
    /// - Returns: The encrypted text and 16 bytes of tag behind it.
    /// - Throws: `CryptoFailure` for another length of key or nonce.
    package static func seal(
        _ plain: [UInt8],
        key: [UInt8],
        nonce: [UInt8],
        authenticating open: [UInt8] = []
    ) throws(CryptoFailure) -> [UInt8] {
        try checkLengths(key: key, nonce: nonce)
        var sealed = [UInt8](repeating: 0, count: plain.count + 16)
        let isDone = withParameters(key, nonce, open) {
            copenssl_seal($0, plain, plain.count, &sealed)
        }
        guard isDone else { throw .reason("AES-GCM could not encrypt") }
        return sealed
    }

    /// Decrypts what `seal` made, and checks its tag.
    ///
    /// - Throws: `CryptoFailure` for wrong lengths, and when text, tag, key, nonce or the
    ///   authenticated bytes are not those it was made of.
    package static func unseal(
        _ sealed: [UInt8],
        key: [UInt8],
        nonce: [UInt8],
        authenticating open: [UInt8] = []
    ) throws(CryptoFailure) -> [UInt8] {
        try checkLengths(key: key, nonce: nonce)
        guard sealed.count >= 16 else { throw CryptoFailure("shorter than AES-GCM's tag") }
        var plain = [UInt8](repeating: 0, count: sealed.count - 16)
        let isDone = withParameters(key, nonce, open) {
            copenssl_unseal($0, sealed, sealed.count, &plain)
        }
        guard isDone else { throw .reason("AES-GCM found another tag") }
        return plain
    }

    /// Bytes of the system's random generator.
    package static func random(_ count: Int) throws(CryptoFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        guard copenssl_random(&bytes, count) else { throw .reason("no random bytes") }
        return bytes
    }

    /// Signs by RS256 (RFC 7518, section 3.3: RSASSA-PKCS1-v1_5 with SHA-256).
    ///
    /// The PEM is an RSA key of at most 8 192 bits, PKCS #8 or PKCS #1, without a password; throws
    /// `CryptoFailure` for another.
    static func signRS256(_ bytes: [UInt8], pem: Secret) throws(CryptoFailure) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: 1024)
        let count = copenssl_sign_rs256(pem.reveal(), bytes, bytes.count, &signature, 1024)
        guard count > 0 else { throw .reason("cannot sign with this RSA key") }
        return Array(signature.prefix(count))
    }

    private static func checkLengths(key: [UInt8], nonce: [UInt8]) throws(CryptoFailure) {
        guard key.count == 16 || key.count == 32 else {
            throw CryptoFailure("AES takes a key of 16 or 32 bytes, not \(key.count)")
        }
        guard nonce.count == 12 else {
            throw CryptoFailure("AES-GCM takes a nonce of 12 bytes, not \(nonce.count)")
        }
    }

    private static func withParameters(
        _ key: [UInt8],
        _ nonce: [UInt8],
        _ open: [UInt8],
        _ body: (UnsafePointer<copenssl_gcm>) -> Bool
    ) -> Bool {
        key.withUnsafeBufferPointer { key in
            nonce.withUnsafeBufferPointer { nonce in
                open.withUnsafeBufferPointer { open in
                    var parameters = copenssl_gcm()
                    (parameters.key, parameters.key_count) = (key.baseAddress, key.count)
                    parameters.nonce = nonce.baseAddress
                    (parameters.open, parameters.open_count) = (open.baseAddress, open.count)
                    return body(&parameters)
                }
            }
        }
    }
}
