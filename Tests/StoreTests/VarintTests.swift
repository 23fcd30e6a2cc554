import Testing

@testable import Store

@Suite struct VarintTests {
    @Test(
        arguments: [
            (0, [0]), (127, [0x7F]), (128, [0x80, 1]), (300, [0xAC, 2]),
            (UInt64.max, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]),
        ] as [(UInt64, [UInt8])]
    )
    func isReadAsItIsWritten(value: UInt64, bytes: [UInt8]) {
        var written: [UInt8] = []
        Varint.append(value, to: &written)
        #expect(written == bytes)
        var offset = 1
        #expect(Varint.read([9] + bytes + [9], at: &offset) == value)
        #expect(offset == 1 + bytes.count)
        for count in 0..<bytes.count {
            offset = 0
            #expect(Varint.read(bytes[..<count], at: &offset) == nil)
            #expect(offset == count)
        }
    }

    /// No writer makes them; what reads damaged bytes must not take them for a smaller number.
    @Test(arguments: [0x02, 0x7F, 0x80, 0x81] as [UInt8])
    func moreThan64BitsAreNoNumber(last: UInt8) {
        var offset = 0
        let bytes = [UInt8](repeating: 0xFF, count: 9) + [last, 0]
        #expect(Varint.read(bytes[...], at: &offset) == nil)
        #expect(offset == 9)
    }
}
