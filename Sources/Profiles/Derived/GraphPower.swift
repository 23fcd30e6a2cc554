/// Powers in whole numbers, for the humidity fit: no library function, the same bits everywhere.
///
/// Numbers have 62 bits after the point. `x^y = 2^(y · log₂ x)`: the logarithm comes bit by bit
/// from repeated squaring, the exponential from its Taylor series. The result is off by less than
/// `(y + 8) × 2⁻⁶⁰` of itself, or by 2⁻⁶² at least.
enum GraphPower {
    static let one: Int128 = 1 << 62
    /// ln 2.
    private static let logOfTwo: Int128 = 3_196_577_161_300_663_915

    /// `base ^ exponent`.
    ///
    /// - Parameters:
    ///   - base: With 62 bits after the point, 0…1; others count as the nearer end.
    ///   - exponent: A count of 10⁻⁹, 0…64; others count as the nearer end.
    /// - Returns: With 62 bits after the point, 0…1.
    static func power(_ base: Int128, _ exponent: Int64) -> Int128 {
        let exponent = min(max(exponent, 0), 64 * GraphNumber.one)
        guard base < one, exponent > 0 else { return one }
        guard base > 0 else { return 0 }
        let logarithm = GraphNumber.quotient(log2(base) * Int128(exponent), 1_000_000_000)
        return exp2(logarithm)
    }

    /// The binary logarithm of 0 < x < 1.
    private static func log2(_ number: Int128) -> Int128 {
        var (mantissa, result) = (number, Int128(0))
        while mantissa < one {
            mantissa <<= 1
            result -= one
        }
        var bit = one >> 1
        while bit > 0 {
            mantissa = (mantissa * mantissa + one / 2) >> 62
            if mantissa >= one << 1 {
                mantissa = (mantissa + 1) >> 1
                result += bit
            }
            bit >>= 1
        }
        return result
    }

    /// Two to a power ≤ 0.
    private static func exp2(_ exponent: Int128) -> Int128 {
        let whole = exponent >> 62
        guard whole > -64 else { return 0 }
        let angle = ((exponent - (whole << 62)) * logOfTwo + one / 2) >> 62
        var (term, sum, index) = (one, one, Int128(1))
        while term > 0 {  // Ends: each term is at most 0.7 of the one before.
            term = ((term * angle) >> 62) / index
            sum += term
            index += 1
        }
        return sum >> Int(-whole)
    }
}
