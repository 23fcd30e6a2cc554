import Testing

@testable import RoostWeb

@Suite struct SHA256Tests {
    /// - Source: NIST, *Examples with Intermediate Values*, SHA-256; CAVP short messages.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func agreesWithTheStandard(message: String, digest: String) {
        #expect(Self.hex(SHA256.digest(message)) == digest)
    }

    @Test func agreesWithTheStandardOnAMillionBytes() {
        let message = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        let digest = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        #expect(Self.hex(SHA256.digest(message)) == digest)
    }

    /// Lengths around a block's size differ in their padding.
    @Test func padsEachLength() {
        let digests = Set((0...130).map { SHA256.digest([UInt8](repeating: 0, count: $0)) })
        #expect(digests.count == 131)
        // Python's hashlib, of 55, 56 and 64 zeros.
        let known = [
            55: "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7",
            56: "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb",
            64: "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b",
        ]
        for (count, digest) in known {
            #expect(Self.hex(SHA256.digest([UInt8](repeating: 0, count: count))) == digest)
        }
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
