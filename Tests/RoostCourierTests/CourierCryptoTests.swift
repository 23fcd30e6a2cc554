import Core
import Testing

@testable import RoostCourier

/// Checked against the numbers of the standards themselves.
@Suite struct CourierCryptoTests {
    private func hex(_ text: String) throws -> [UInt8] { try #require(Hexadecimal.bytes(text)) }
    private func base64(_ text: String) throws -> [UInt8] { try #require(Base64.bytes(text)) }

    @Test func digestsAsTheStandardsDo() throws {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(Hexadecimal.text(CourierCrypto.sha256("abc")) == abc)
        // RFC 1321, appendix A.5.
        let digest = CourierCrypto.md5(Array("message digest".utf8))
        #expect(Hexadecimal.text(digest) == "f96b697d7cb7938d525a2f31aaf161d0")
        let none = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        #expect(Hexadecimal.text(CourierCrypto.sha256([])) == none)
        var hash = StreamingHash(.sha256)
        hash.add(Array("a".utf8))
        hash.add([])
        hash.add(Array("bc".utf8))
        #expect(Hexadecimal.text(hash.finish()) == abc)
    }

    /// RFC 4231, sections 4.2 and 4.3.
    @Test func authenticatesByHMAC() throws {
        let first = CourierCrypto.hmacSHA256(
            key: [UInt8](repeating: 0x0b, count: 20),
            Array("Hi There".utf8)
        )
        let expected = "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        #expect(Hexadecimal.text(first) == expected)
        let second = CourierCrypto.hmacSHA256(
            key: Array("Jefe".utf8),
            Array("what do ya want for nothing?".utf8)
        )
        let other = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        #expect(Hexadecimal.text(second) == other)
        #expect(CourierCrypto.hmacSHA256(key: [], []).count == 32)
    }

    /// RFC 5869, appendices A.1 and A.3.
    @Test func derivesKeysByHKDF() throws {
        let secret = [UInt8](repeating: 0x0b, count: 22)
        let first = try CourierCrypto.hkdfSHA256(
            secret: secret,
            salt: Array(0x00...0x0c),
            info: Array(0xf0...0xf9),
            count: 42
        )
        let expected =
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
        #expect(Hexadecimal.text(first) == expected)
        let bare = try CourierCrypto.hkdfSHA256(secret: secret, salt: [], info: [], count: 42)
        let other =
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
        #expect(Hexadecimal.text(bare) == other)
        #expect(throws: CryptoFailure.self) {
            try CourierCrypto.hkdfSHA256(secret: secret, salt: [], info: [], count: 8161)
        }
    }

    /// Test cases 4 and 16 of McGrew and Viega, *The Galois/Counter Mode of Operation*.
    @Test(arguments: [
        (
            "feffe9928665731c6d6a8f9467308308",
            "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
                + "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091"
                + "5bc94fbc3221a5db94fae95ae7121a47"
        ),
        (
            "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
            "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
                + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
                + "76fc6ece0f4e1768cddf8853bb2d551b"
        ),
    ])
    func encryptsByAES(_ vector: (key: String, sealed: String)) throws {
        let plain = try hex(
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
                + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
        )
        let open = try hex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
        let (key, nonce) = (try hex(vector.key), try hex("cafebabefacedbaddecaf888"))
        let sealed = try CourierCrypto.seal(plain, key: key, nonce: nonce, authenticating: open)
        #expect(Hexadecimal.text(sealed) == vector.sealed)
        let opened = try CourierCrypto.unseal(sealed, key: key, nonce: nonce, authenticating: open)
        #expect(opened == plain)
        #expect(throws: CryptoFailure.self) {
            try CourierCrypto.unseal(sealed, key: key, nonce: nonce)
        }
        var changed = sealed
        changed[3] ^= 1
        #expect(throws: CryptoFailure.self) {
            try CourierCrypto.unseal(changed, key: key, nonce: nonce, authenticating: open)
        }
    }

    @Test func encryptsNothing() throws {
        let (key, nonce) = ([UInt8](repeating: 7, count: 32), [UInt8](repeating: 1, count: 12))
        let sealed = try CourierCrypto.seal([], key: key, nonce: nonce)
        #expect(sealed.count == 16)
        #expect(try CourierCrypto.unseal(sealed, key: key, nonce: nonce).isEmpty)
    }

    @Test func refusesLengthsThatAreNone() {
        let nonce = [UInt8](repeating: 1, count: 12)
        #expect(throws: CryptoFailure("AES takes a key of 16 or 32 bytes, not 24")) {
            try CourierCrypto.seal([1], key: [UInt8](repeating: 1, count: 24), nonce: nonce)
        }
        #expect(throws: CryptoFailure("AES-GCM takes a nonce of 12 bytes, not 8")) {
            let key = [UInt8](repeating: 1, count: 16)
            return try CourierCrypto.seal([1], key: key, nonce: Array(nonce.prefix(8)))
        }
        #expect(throws: CryptoFailure("shorter than AES-GCM's tag")) {
            let key = [UInt8](repeating: 1, count: 16)
            return try CourierCrypto.unseal([1], key: key, nonce: nonce)
        }
    }

    /// RFC 8291, appendix A: ECDH, HKDF and AES-128-GCM together.
    @Test func agreesAsWebPushDoes() throws {
        let own = try CurveKey(secret: base64("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
        let point =
            "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3j"
            + "l7A8"
        #expect(Base64.url(own.point) == point)
        let peer = try base64(
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoI"
                + "Aiw4"
        )
        let shared = try own.agree(with: peer)
        #expect(Base64.url(shared) == "kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs")
        let input = try CourierCrypto.hkdfSHA256(
            secret: shared,
            salt: base64("BTBZMqHH6r4Tts7J_aSIgg"),
            info: Array("WebPush: info\0".utf8) + peer + own.point,
            count: 32
        )
        #expect(Base64.url(input) == "S4lYMb_L0FxCeq0WhDx813KgSYqU26kOyzWUdsXYyrg")
        let salt = try base64("DGv6ra1nlYgDCS1FRnbzlw")
        func derive(_ label: String, _ count: Int) throws -> [UInt8] {
            let info = Array("Content-Encoding: \(label)\0".utf8)
            return try CourierCrypto.hkdfSHA256(
                secret: input,
                salt: salt,
                info: info,
                count: count
            )
        }
        let sealed = try CourierCrypto.seal(
            Array("When I grow up, I want to be a watermelon".utf8) + [2],
            key: derive("aes128gcm", 16),
            nonce: derive("nonce", 12)
        )
        let expected =
            "8pfeW0KbunFT06SuDKoJH9Ql87S1QUrdirN6GcG7sFz1y1sqLgVi1VhjVkHsUoEsbI_0LpXMuGvnzQ"
        #expect(Base64.url(sealed) == expected)
    }

    @Test func refusesAPointOffTheCurve() throws {
        let key = try CurveKey()
        var point = try CurveKey().point
        point[40] ^= 1
        #expect(throws: CryptoFailure.self) { try key.agree(with: point) }
        #expect(throws: CryptoFailure.self) {
            try CurveKey(secret: [UInt8](repeating: 0, count: 32))
        }
        #expect(throws: CryptoFailure.self) {
            try CurveKey(secret: [UInt8](repeating: 0xff, count: 32))
        }
        let other = try CurveKey()
        #expect(try key.agree(with: other.point) == other.agree(with: key.point))
        #expect(!"\(key)".contains(Hexadecimal.text(key.secret)))
    }

    @Test func hasRandomBytes() throws {
        #expect(try CourierCrypto.random(32) != CourierCrypto.random(32))
    }
}
