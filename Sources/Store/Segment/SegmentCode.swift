/// The prefix codes of the deltas: one for each context, fixed by version 1 of the format.
///
/// A context is how lively the channel has been (`SegmentModel.level`, 0…11) and how large the
/// neighbouring delta is (0, 1, more). A token is a delta of −15…15, the bit length 5…15 of a
/// larger one, or the escape for bit lengths from 16. The codes are canonical: shorter first, then
/// by token.
///
/// - Source: `Benchmarks/segment-codes.py`, which computes the lengths (package-merge, at most ten
///   bits) from a real 1 Hz day of two SDS011, a day of the SDS011 5331 and of the DHT22 5332 of
///   Sensor.Community at 150 s, a minute series, and geometric distributions as the prior.
enum SegmentCode {
    static let tokenCount = 43
    static let escape = 42
    /// A bit length plus this is its token.
    static let lengthToken = 26
    static let contextCount = 36
    /// The longest code in bits, which is how many the decoder reads ahead.
    static let maximumLength = 10

    /// Code lengths in hexadecimal, one row for each context, one digit for each token.
    static let lengths: [String] = [
        "12355778898a9aaa9aaaaaaaaaaaaaaaaaaaaaaaaaa",
        "123558699a8aaaaaaaaaaaaaaaaaaaaa8aaaaaaaaaa",
        "1326688999999aaaaaaaaaaaaaaaaaa6aaa5aaaaaaa",
        "123556798aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "123558698aa99aaaaaaaaaaaaaaaaaa99aaaaaaaaaa",
        "123558698aaaaaaa8aaaaaaaaaaaaaa9aaaaaaaaaaa",
        "123556789aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "132557698aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "1235586a8a9aaaaaaaaa9aaaaaaaaaa8aaaaaaaaaaa",
        "222446576778899aaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "2324364758697a7a8a9a9aaaaaaaaaaaaaaaaaaaaaa",
        "2324364658698a8aaa9aaaaaaaaaaaa89aaaaaaaaaa",
        "3333344455566778788999aaaaaaaaa9aaaaaaaaaaa",
        "343435354646575869697a8a8a8a9a97aaaaaaaaaaa",
        "3434344546465757686879797a8a9a8689aaaaaaaaa",
        "344444445555555566666777777888759aaaaaaaaaa",
        "444444454546465657575868696878758aaaaaaaaaa",
        "45454545464646465757575868686974679aaaaaaaa",
        "45445555555556556566566666666863599aaaaaaaa",
        "54454555565555565656566657676863599aaaaaaaa",
        "55555656565656565757575767576862468aaaaaaaa",
        "55565555666665666666676666766662367aaaaaaaa",
        "55565656565656665666666667676862368aaaaaaaa",
        "57676667676766676766576866676862247aaaaaaaa",
        "56666676777777676777677777777772235aaaaaaaa",
        "67666666677767677677777777677772235aaaaaaaa",
        "7777777777777767677667777767677223469aaaaaa",
        "8777868877878887888688788878888322349aaaaaa",
        "7778777788778778878788887878888322349aaaaaa",
        "7888878888888769888678898777898322346aaaaaa",
        "99999999999999999999999a9a9aa9a3322349aaaaa",
        "888888888888888888888889989799843223489aaaa",
        "69999888999aa799999769a997789994322348aaaaa",
        "9999999999999999999999999aaaaaa44322348aaaa",
        "9999999999999999999999999aaaaaa44322348aaaa",
        "99999999999999999aaa99aaaa9aaa944322347aaaa",
    ]

    /// Code by context and token: its bits, lowest first, shifted by four, and its length.
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

    /// The bits that the decoder reads ahead.
    static let mask: UInt64 = 1 << maximumLength - 1
    /// Where an entry of `decoding` has min(|delta|, 2): in place for the next look-up.
    static let neighbourMask = 3 << maximumLength

    /// Token by context and the next ten bits of the stream.
    ///
    /// From the lowest bit: the length in four bits, the token in six, min(|delta|, 2) in two.
    static let decoding: [UInt16] = {
        let size = 1 << maximumLength
        var table = [UInt16](repeating: 0, count: contextCount * size)
        for (index, entry) in encoding.enumerated() {
            let (context, token) = index.quotientAndRemainder(dividingBy: tokenCount)
            let (code, length) = (Int(entry >> 4), Int(entry & 15))
            let neighbour = min((token + 1) / 2, 2) << maximumLength
            for bits in stride(from: code, to: size, by: 1 << length) {
                table[context * size + bits] = UInt16(neighbour | token << 4 | length)
            }
        }
        return table
    }()

    private static func reversed(_ code: Int, _ length: Int) -> Int {
        (0..<length).reduce(0) { $0 | (code >> $1 & 1) << (length - 1 - $1) }
    }
}
