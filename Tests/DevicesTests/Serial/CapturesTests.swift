import Profiles
import Testing

@testable import Devices
@testable import Fuzzing

/// Bytes of real parts, in front of everybody who could claim them.
@Suite struct CapturesTests {
    private static func bytes(_ capture: String) throws -> [UInt8] {
        if capture.hasSuffix(".log") { return Array(try Fixture.data(capture)) }
        return try SDS011Recording(hexDump: Fixture.text(capture)).pieces.flatMap(\.self)
    }

    @Test(
        arguments: [
            ("SDS01x.hexdump", "sds011"), ("PMSx003.hexdump", "plantower"),
            ("PMS3003.hexdump", "plantower"), ("HPMA115C0.hexdump", "hpma115"),
            ("bgeigie/nano-204-20120920.log", "bgeigie-nano"),
            // Similar and foreign parts, which no dialect may accept.
            ("SDS198.hexdump", nil), ("MCU680.hexdump", nil),
        ] as [(String, String?)]
    )
    func areProvedByTheirOwnDriverAlone(capture: String, driver: String?) throws {
        let bytes = try Self.bytes(capture)
        #expect(bytes.count >= 60)
        var proved: [String] = []
        for kind in DeviceCatalog.kinds {
            var proof = SensorProof(try kind.dialect(BenchProfile.make(of: kind)))
            if proof.hear(bytes) != nil { proved.append(kind.driver) }
        }
        #expect(proved == [driver].compactMap(\.self))
    }
}
