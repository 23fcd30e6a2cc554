import HardwareIO
import Testing

@testable import Store

@Suite struct CRC32CTests {
    @Test func theOtherCRCIsTheOneOfZlib() {
        #expect(CRC32.checksum(Array("123456789".utf8)) == 0xCBF4_3926)
    }

    /// RFC 3720, appendix B.4, and the check value of the usual catalogues.
    @Test(
        arguments: [
            ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
            ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
            (Array(0..<32), 0x46DD_794E),
            ((0..<32).reversed(), 0x113F_DB5C),
            (Array("123456789".utf8), 0xE306_9283),
            ([], 0),
        ] as [([UInt8], UInt32)]
    )
    func agreesWithThePublishedVectors(bytes: [UInt8], value: UInt32) {
        #expect(CRC32C.of(bytes) == value)
        #expect(CRC32C.of(AnySequence(bytes)) == value)
    }

    @Test func doesNotMindWhereTheBytesAreSplit() {
        let bytes = (0..<97).map { UInt8(truncatingIfNeeded: $0 &* 57) }
        for split in 0...bytes.count {
            var check = CRC32C()
            check.append(bytes[..<split])
            check.append(bytes[split...])
            #expect(check.value == CRC32C.of(bytes))
        }
    }
}
