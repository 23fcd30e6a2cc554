import COpenSSL

/// The primitives of an age file, by OpenSSL's libcrypto.
enum AgeCipher {
    static let tagByteCount = 16

    /// A key of 32 bytes from a passphrase; nil without the memory, 2^`logCost` KiB.
    static func scrypt(_ passphrase: String, salt: [UInt8], logCost: Int) -> [UInt8]? {
        var key = [UInt8](repeating: 0, count: 32)
        let count = passphrase.utf8.count
        let isDone = copenssl_scrypt(
            passphrase,
            count,
            salt,
            salt.count,
            CUnsignedInt(logCost),
            &key
        )
        return isDone ? key : nil
    }

    /// HKDF-SHA256 (RFC 5869), 32 bytes.
    static func derive(_ secret: [UInt8], salt: [UInt8], info: String) -> [UInt8] {
        var key = [UInt8](repeating: 0, count: 32)
        let info = Array(info.utf8)
        let isDone = salt.withUnsafeBufferPointer { salt in
            secret.withUnsafeBufferPointer { secret in
                info.withUnsafeBufferPointer { info in
                    var inputs = copenssl_hkdf()
                    (inputs.salt, inputs.salt_count) = (salt.baseAddress, salt.count)
                    (inputs.secret, inputs.secret_count) = (secret.baseAddress, secret.count)
                    (inputs.info, inputs.info_count) = (info.baseAddress, info.count)
                    return copenssl_derive(&inputs, &key, key.count)
                }
            }
        }
        precondition(isDone, "HKDF-SHA256 fails only without memory")
        return key
    }

    static func hmac(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 32)
        let isDone = copenssl_hmac(key, key.count, bytes, bytes.count, &code)
        precondition(isDone, "HMAC-SHA256 fails only without memory")
        return code
    }

    static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        let isDone = copenssl_sha256(bytes, bytes.count, &digest)
        precondition(isDone, "SHA-256 fails only without memory")
        return digest
    }

    static func random(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// ChaCha20-Poly1305 (RFC 8439): the text with its tag behind it.
    static func seal(_ plain: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8] {
        var sealed = [UInt8](repeating: 0, count: plain.count + tagByteCount)
        let isDone = withParameters(key, nonce) {
            copenssl_seal($0, plain, plain.count, &sealed)
        }
        precondition(isDone, "ChaCha20-Poly1305 fails only without memory")
        return sealed
    }

    /// - Returns: Nil when the tag is wrong.
    static func open(_ sealed: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8]? {
        guard sealed.count >= tagByteCount else { return nil }
        var plain = [UInt8](repeating: 0, count: sealed.count - tagByteCount)
        let isDone = withParameters(key, nonce) {
            copenssl_unseal($0, sealed, sealed.count, &plain)
        }
        return isDone ? plain : nil
    }

    private static func withParameters(
        _ key: [UInt8],
        _ nonce: [UInt8],
        _ body: (UnsafePointer<copenssl_gcm>) -> Bool
    ) -> Bool {
        key.withUnsafeBufferPointer { key in
            nonce.withUnsafeBufferPointer { nonce in
                var parameters = copenssl_gcm()
                (parameters.key, parameters.key_count) = (key.baseAddress, key.count)
                (parameters.nonce, parameters.is_chacha) = (nonce.baseAddress, true)
                return body(&parameters)
            }
        }
    }
}
