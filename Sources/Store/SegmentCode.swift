/// The prefix codes of the deltas: one for each context, fixed by version 1 of the format.
///
/// A context is how lively the channel has been (`SegmentModel.level`, 0…11) and how large the
/// neighbouring delta is (0, 1, more). A token is a delta of −7…7, the bit length 4…14 of a larger
/// one, or the escape for bit lengths from 16. The codes are canonical: shorter first, then by token.
///
/// - Source: `Benchmarks/segment-codes.py`, which computes the lengths (package-merge, at most ten
///   bits) from a real 1 Hz day of two SDS011, a day of the SDS011 5331 and of the DHT22 5332 of
///   Sensor.Community at 150 s, a minute series, and geometric distributions as the prior.
enum SegmentCode {
    static let tokenCount = 28
    static let escape = 27
    static let contextCount = 36
    /// The longest code in bits, which is how many the decoder looks at.
    static let maximumLength = 10

    /// Code lengths in hexadecimal, one row for each context, one digit for each token.
    static let lengths: [String] = [
        "123548899aaaaaa9aaaaaaaaaaaa",
        "123558688a7aaaaaa78aaaaaaaaa",
        "13266889999a9aaa5aaa5aaaaaaa",
        "123458899aaaaaa9aaaaaaaaaaaa",
        "1234597a9aaaaaaaaaaaaaaaaaaa",
        "1235497a9aaaaaaaaaaaaaaaaaaa",
        "1235566889999aa9aaaaaaaaaaaa",
        "1325497a9aaaaaaaaaaaaaaaaaaa",
        "1235576a8a9a9aa77aaaaaaaaaaa",
        "2224455767888998aaaaaaaaaaaa",
        "2324364758696986aaaaaaaaaaaa",
        "232436465768898788aaaaaaaaaa",
        "333334445556677589aaaaaaaaaa",
        "343435364647475489aaaaaaaaaa",
        "3434344546465654589a9aaaaaaa",
        "34444444454555536899aaaaaaaa",
        "44444545464646525899aaaaaaaa",
        "45454546464646424688aaaaaaaa",
        "45444555555556523588aaaaaaaa",
        "44454555565555523588aaaaaaaa",
        "5555555656565652246889aaaaaa",
        "55565655666665622367aaaaaaaa",
        "56565656565656622367aaaaaaaa",
        "67776767677766622247aaaaaaaa",
        "56666676677776632235aaaaaaaa",
        "66666666677766632235aaaaaaaa",
        "6777676767777663223469aaaaaa",
        "7777867777778774322349aaaaaa",
        "7777777777777774322349aaaaaa",
        "6988867878888764322346aaaaaa",
        "999999aaa9aa99953322349aaaaa",
        "888888888888999443223489aaaa",
        "69999888999a97944322348aaaaa",
        "999999999aaaaaa544322348aaaa",
        "999999999aaaaaa544322348aaaa",
        "9aaaaa9a9aaa99a544322347aaaa",
    ]

    /// For each context and token: the code, first bit lowest, shifted by four, and its length.
    static let encoding: [UInt16] = lengths.flatMap { row in
        let lengths = row.utf8.map { Int($0 < 0x3A ? $0 - 0x30 : $0 - 0x57) }
        precondition(lengths.count == tokenCount)
        var codes = [UInt16](repeating: 0, count: tokenCount)
        var code = 0
        for length in 1...maximumLength {
            for token in 0..<tokenCount where lengths[token] == length {
                codes[token] = UInt16(reversed(code, length) << 4 | length)
                code += 1
            }
            code <<= 1
        }
        precondition(code == 2 << maximumLength, "a code must be complete")
        return codes
    }

    /// For each context and the next ten bits: the token, shifted by four, and its length.
    static let decoding: [UInt16] = {
        let size = 1 << maximumLength
        var table = [UInt16](repeating: 0, count: contextCount * size)
        for (index, entry) in encoding.enumerated() {
            let (context, token) = index.quotientAndRemainder(dividingBy: tokenCount)
            let (code, length) = (Int(entry >> 4), Int(entry & 15))
            for bits in stride(from: code, to: size, by: 1 << length) {
                table[context * size + bits] = UInt16(token << 4 | length)
            }
        }
        return table
    }()

    private static func reversed(_ code: Int, _ length: Int) -> Int {
        (0..<length).reduce(0) { $0 | (code >> $1 & 1) << (length - 1 - $1) }
    }
}
