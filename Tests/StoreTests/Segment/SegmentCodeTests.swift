import Testing

@testable import Store

@Suite struct SegmentCodeTests {
    @Test func everyCodeIsComplete() {
        #expect(SegmentCode.lengths.count == SegmentCode.contextCount)
        for row in SegmentCode.lengths {
            let lengths = row.compactMap(\.hexDigitValue)
            #expect(lengths.count == SegmentCode.tokenCount)
            #expect(lengths.reduce(0) { $0 + 1_024 >> $1 } == 1_024)
        }
    }

    @Test func everyTokenIsReadBack() {
        for context in 0..<SegmentCode.contextCount {
            for token in 0..<SegmentCode.tokenCount {
                let entry = SegmentCode.encoding[context * SegmentCode.tokenCount + token]
                let found = SegmentCode.decoding[context << 10 | Int(entry >> 4)]
                #expect(Int(found >> 4 & 63) == token)
                #expect(Int(found >> 10) == min((token + 1) / 2, 2))
                #expect(found & 15 == entry & 15)
            }
        }
    }

    @Test func codesAreCanonicalAndFirstBitLowest() {
        // Context 0 has the lengths 1, 2, 3, 5, 5, 7 …: 0, 10, 110, 11100, 11101, …
        let expected: [(token: Int, bits: UInt16, length: UInt16)] = [
            (0, 0b0, 1), (1, 0b01, 2), (2, 0b011, 3), (3, 0b00111, 5), (4, 0b10111, 5),
        ]
        for (token, bits, length) in expected {
            #expect(SegmentCode.encoding[token] == bits << 4 | length)
        }
    }
}
