import Testing

@testable import Eyes

@Suite struct JPEGFrameTests {
    /// Start, a quantization segment of 5 bytes, the scan's header of 4, its data, the end.
    private static let bare: [UInt8] =
        [0xFF, 0xD8, 0xFF, 0xDB, 0, 3, 7] + [0xFF, 0xDA, 0, 2, 1, 2, 3] + [0xFF, 0xD9]

    @Test func tablesAreAddedBeforeTheScan() throws {
        let whole = try #require(JPEGFrame.whole(Self.bare))
        #expect(whole.count == Self.bare.count + 420)
        #expect(Array(whole[7..<11]) == [0xFF, 0xC4, 0x01, 0xA2])
        #expect(Array(whole[(7 + 420)...]) == Array(Self.bare[7...]))
        // 162 codes of the two tables for the rest, 12 of each for the first value of a block.
        let tables = whole[11..<427]
        #expect(tables.count == 2 * (1 + 16 + 12) + 2 * (1 + 16 + 162))
        #expect(whole[12..<28].reduce(0) { $0 + Int($1) } == 12)
        #expect(whole[41..<57].reduce(0) { $0 + Int($1) } == 162)
    }

    @Test func aFrameWithTablesStaysAsItIs() throws {
        let whole = try #require(JPEGFrame.whole(Self.bare))
        #expect(JPEGFrame.whole(whole) == whole)
        #expect(JPEGFrame.whole(whole + [0, 0, 0]) == whole)
        #expect(JPEGFrame.whole(whole + [7, 0xFF, 8]) == whole)
    }

    @Test func whatIsCutOffOrNoPictureIsNone() {
        #expect(JPEGFrame.whole([]) == nil)
        #expect(JPEGFrame.whole([0xFF, 0xD8, 0xFF, 0xD9]) == nil)
        #expect(JPEGFrame.whole(Array(repeating: 0, count: 64)) == nil)
        for count in 0..<Self.bare.count {
            #expect(JPEGFrame.whole(Array(Self.bare[..<count])) == nil)
        }
    }

    @Test(arguments: [UInt64(1), 2, 3, 4])
    func anyBytesAreAnswered(seed: UInt64) {
        var state = seed
        func next() -> UInt8 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 33)
        }
        for _ in 0..<2_000 {
            var bytes = Self.bare
            for _ in 0..<(Int(next()) % 6) { bytes[Int(next()) % bytes.count] = next() }
            if let whole = JPEGFrame.whole(bytes) {
                #expect(whole.starts(with: [0xFF, 0xD8]) && whole.suffix(2) == [0xFF, 0xD9])
            }
        }
    }
}
