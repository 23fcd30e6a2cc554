import Testing

@testable import RoostWeb

@Suite struct KeyPairTests {
    private static let now = EncryptionStage.start
    private static let names = CertificateNames(["balcony"])

    @Test func authorityIsLimitedToItsNames() throws {
        let made = try Authority.make("balcony", Self.names)
        let read = try Certificate(made.text)
        #expect(read.from == Authority.epoch - Authority.earlySeconds)
        #expect(read.until == Authority.end)
        #expect(read.constraints.contains("Permitted"))
        #expect(CertificateNames.permitted(in: read.constraints) == ["balcony", "balcony.local"])
        #expect(read.constraints.contains("IP:192.168.0.0/255.255.0.0"))
        #expect(Authority.fault(read, Self.names, now: Self.now) == nil)
        #expect(KeyPair(reading: made.text) == made)
        #expect(read.fingerprint.split(separator: ":").count == 32)
    }

    @Test func stationNameMayBeAnyText() throws {
        for name in ["", "Süd/Balkon, \"1\"", String(repeating: "ü", count: 300), "a\u{301}🙂"] {
            let made = try Authority.make(name, Self.names)
            #expect(KeyPair(reading: made.text) != nil)
        }
    }

    @Test func serverIsForNamesAndAddresses() throws {
        let authority = try Authority.make("balcony", Self.names)
        let signer = try Certificate(authority.text)
        let addresses = ["192.168.1.7", "fd00::7"]
        let made = try Authority.makeServer(
            authority,
            Self.names,
            addresses: addresses,
            now: Self.now
        )
        let read = try Certificate(made.text)
        for host in Self.names.names + addresses { #expect(read.isFor(host)) }
        for host in ["bank.example", "192.168.1.8", "local"] { #expect(!read.isFor(host)) }
        #expect(read.isSigned(by: signer))
        #expect(read.until - read.from == Authority.serverLifeSeconds)
        let isDue = { (days: Int64, addresses: [String]) in
            let now = Self.now + days * 86_400
            return Authority.isServerDue(
                read,
                of: signer,
                Self.names,
                addresses: addresses,
                now: now
            )
        }
        #expect(!isDue(0, addresses))
        #expect(!isDue(263, addresses))
        #expect(isDue(264, addresses), "two thirds of 397 days")
        #expect(isDue(-2, addresses), "made while the clock was ahead")
        #expect(isDue(0, addresses + ["10.0.0.1"]))
    }

    @Test func authorityIsDueWhenNamesDifferOrItEnds() throws {
        let read = try Certificate(Authority.make("b", Self.names).text)
        let later = Authority.end - 397 * 86_400
        #expect(Authority.fault(read, Self.names, now: later) == nil)
        #expect(Authority.fault(read, Self.names, now: later + 1) != nil)
        #expect(Authority.fault(read, Self.names, now: nil) == nil, "no trusted time")
        #expect(Authority.fault(read, CertificateNames(["attic"]), now: nil) != nil)
        #expect(Authority.fault(read, Self.names, now: 0) == nil, "no clock yet")
    }

    /// Cut at every place, or with one letter changed: it is refused, and nothing crashes.
    @Test func damageIsFound() throws {
        let made = try Authority.make("balcony", Self.names)
        let text = Array(made.text.utf8)
        for count in stride(from: 0, to: text.count - 30, by: 37) {
            #expect(KeyPair(reading: String(decoding: text[..<count], as: UTF8.self)) == nil)
        }
        var generator = SplitMix(state: 20_261_123)
        for _ in 0..<60 {
            var bytes = text
            bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(
                in: 0...255,
                using: &generator
            )
            _ = KeyPair(reading: String(decoding: bytes, as: UTF8.self))
        }
        let other = try Authority.make("balcony", Self.names)
        #expect(KeyPair(reading: made.certificate + other.key) == nil, "another's key")
        let locked =
            "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----"
        #expect(KeyPair(reading: made.certificate + locked) == nil)
    }
}

/// - Source: Steele, Lea, Flood, *Fast splittable pseudorandom number generators*, 2014.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}
