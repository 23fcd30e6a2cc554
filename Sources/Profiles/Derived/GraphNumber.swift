import Core

/// The arithmetic of a processing graph: whole numbers only, so every CPU agrees to the last bit.
///
/// A value between two nodes is a count of 10⁻⁹ in 64 bits, so its size is below 9.2 × 10⁹. A
/// constant of a profile is a count of 10⁻¹⁸ in 128 bits. Products are computed in 128 bits and
/// rounded once, halves away from zero. A result that does not fit is no value, never a trap.
enum GraphNumber {
    /// One, as a value.
    static let one: Int64 = 1_000_000_000
    /// One, as a constant.
    static let constantOne: Int128 = 1_000_000_000_000_000_000

    /// A value from a reading; nil when it does not fit.
    static func value(_ reading: FixedPoint) -> Int64? {
        reading.mantissa(atDecimals: 9)
    }

    /// A value as it leaves the graph.
    static func reading(_ value: Int64, decimals: Int) -> FixedPoint {
        var divisor: Int128 = 1
        for _ in decimals..<9 { divisor *= 10 }
        // Never larger than the value itself.
        return FixedPoint(Int64(quotient(Int128(value), divisor)), decimals: decimals)
    }

    /// `numerator / denominator` rounded to a whole number, halves away from zero.
    ///
    /// - Returns: The nearest whole number.
    static func quotient(_ numerator: Int128, _ denominator: Int128) -> Int128 {
        let (whole, rest) = numerator.quotientAndRemainder(dividingBy: denominator)
        guard rest.magnitude >= denominator.magnitude - rest.magnitude else { return whole }
        return numerator < 0 ? whole - 1 : whole + 1
    }

    /// `left × right / divisor`, rounded; nil when the product does not fit in 128 bits.
    static func product(_ left: Int128, _ right: Int128, over divisor: Int128) -> Int128? {
        let (product, overflow) = left.multipliedReportingOverflow(by: right)
        return overflow || product == .min ? nil : quotient(product, divisor)
    }

    /// A constant from what was written in JSON: the shortest decimal that means the same double.
    ///
    /// - Returns: nil beyond ±10⁹, or with more than 18 digits after the point.
    static func constant(_ number: Double) -> Int128? {
        guard number.magnitude <= 1e9 else { return nil }
        let parts = number.description.split(separator: "e", maxSplits: 1)
        let digits = parts[0].split(separator: ".", maxSplits: 1)
        guard let whole = Int128(digits[0] + (digits.count > 1 ? digits[1] : "")),
            let exponent = parts.count > 1 ? Int(parts[1]) : 0
        else { return nil }
        var places = exponent - (digits.count > 1 ? digits[1].utf8.count : 0) + 18
        var constant = whole
        while places < 0, constant % 10 == 0, constant != 0 {
            (constant, places) = (constant / 10, places + 1)
        }
        guard constant != 0 else { return 0 }
        guard places >= 0, places <= 36 else { return nil }
        for _ in 0..<places {
            let (next, overflow) = constant.multipliedReportingOverflow(by: 10)
            guard !overflow else { return nil }
            constant = next
        }
        return constant
    }

    /// A constant as a value, rounded to 10⁻⁹.
    static func value(_ number: Double) -> Int64? {
        constant(number).flatMap { Int64(exactly: quotient($0, 1_000_000_000)) }
    }
}
