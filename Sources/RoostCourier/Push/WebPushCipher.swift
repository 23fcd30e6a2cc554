import Core

/// Encrypts messages for browsers, so that the push service cannot read them.
///
/// - Source: RFC 8291, sections 3 and 4; RFC 8188, section 2.
enum WebPushCipher {
    /// Bytes of an encrypted message; Mozilla's path through Google's service takes 2 744.
    static let bodyLimit = 2_700
    /// Bytes of salt, record size, length of the key, key, delimiter and tag.
    static let overhead = 16 + 4 + 1 + 65 + 1 + 16
    static let plainLimit = bodyLimit - overhead
    private static let recordSize: [UInt8] = [0, 0, 0x10, 0]  // 4 096

    /// - Parameters:
    ///   - plain: At most `plainLimit` bytes.
    ///   - sender: A key for this message alone.
    ///   - salt: 16 random bytes.
    /// - Returns: The body of the request, in one record.
    static func encrypt(
        _ plain: [UInt8],
        for endpoint: PushEndpoint,
        from sender: CurveKey,
        salt: [UInt8]
    ) throws(CryptoFailure) -> [UInt8] {
        guard plain.count <= plainLimit, salt.count == 16 else {
            throw CryptoFailure("a message has at most \(plainLimit) bytes, and a salt 16")
        }
        let input = try CourierCrypto.hkdfSHA256(
            secret: try sender.agree(with: endpoint.key),
            salt: endpoint.secret,
            info: Array("WebPush: info\0".utf8) + endpoint.key + sender.point,
            count: 32
        )
        let key = try CourierCrypto.hkdfSHA256(
            secret: input,
            salt: salt,
            info: Array("Content-Encoding: aes128gcm\0".utf8),
            count: 16
        )
        let nonce = try CourierCrypto.hkdfSHA256(
            secret: input,
            salt: salt,
            info: Array("Content-Encoding: nonce\0".utf8),
            count: 12
        )
        // The byte 2 says that this record is the last one.
        let sealed = try CourierCrypto.seal(plain + [2], key: key, nonce: nonce)
        return salt + recordSize + [65] + sender.point + sealed
    }
}
