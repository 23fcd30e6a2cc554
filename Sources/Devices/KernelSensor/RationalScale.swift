import Core
import Profiles

/// An exact decimal on its way from a register or a file to a channel.
///
/// `digits × 10^−places`, with 128 bits: a product of two numbers of 18 digits fits.
struct ExactDecimal: Hashable, Sendable {
    let digits: Int128
    /// Digits after the point, 0…27.
    let places: Int

    static let zero = ExactDecimal(digits: 0, places: 0)

    init(digits: Int128, places: Int) { (self.digits, self.places) = (digits, places) }

    /// Reads what the kernel prints: a sign, digits, one point.
    ///
    /// - Returns: nil for anything else, such as `nan`, and for more than 18 digits.
    init?(_ text: some Collection<UInt8>) {
        guard let value = PlainDecimal.read(text, decimals: 9) else { return nil }
        (digits, places) = (Int128(value.mantissa), value.decimals)
    }

    static func powerOfTen(_ exponent: Int) -> Int128 {
        (0..<exponent).reduce(Int128(1)) { power, _ in power * 10 }
    }

    /// The sum; nil when it does not fit.
    func plus(_ other: ExactDecimal) -> ExactDecimal? {
        let places = max(self.places, other.places)
        let (left, isLeftOver) = digits.multipliedReportingOverflow(
            by: Self.powerOfTen(places - self.places)
        )
        let (right, isRightOver) = other.digits.multipliedReportingOverflow(
            by: Self.powerOfTen(places - other.places)
        )
        let (sum, isOver) = left.addingReportingOverflow(right)
        return isLeftOver || isRightOver || isOver ? nil : ExactDecimal(digits: sum, places: places)
    }

    /// The product; nil when it does not fit.
    func times(_ other: ExactDecimal) -> ExactDecimal? {
        let (product, isOver) = digits.multipliedReportingOverflow(by: other.digits)
        guard !isOver, places + other.places <= 27 else { return nil }
        return ExactDecimal(digits: product, places: places + other.places)
    }

    /// The value at a channel's resolution, half a unit rounded away from zero.
    ///
    /// - Parameter divisor: 1 or more, by which it is divided first.
    /// - Returns: nil when it does not fit 64 bits.
    func rounded(decimals: Int, dividedBy divisor: Int128 = 1) -> FixedPoint? {
        var (top, bottom) = (digits, divisor)
        let power = Self.powerOfTen(abs(decimals - places))
        let isOver: Bool
        if decimals >= places {
            (top, isOver) = top.multipliedReportingOverflow(by: power)
        } else {
            (bottom, isOver) = bottom.multipliedReportingOverflow(by: power)
        }
        guard !isOver else { return nil }
        let (quotient, rest) = top.quotientAndRemainder(dividingBy: bottom)
        let isUp = rest.magnitude * 2 >= bottom.magnitude
        let value = isUp ? quotient + (top < 0 ? -1 : 1) : quotient
        return Int64(exactly: value).map { FixedPoint($0, decimals: decimals) }
    }
}

/// What a raw number is multiplied by, and what is added: exact, as a data sheet writes it.
struct RationalScale: Hashable, Sendable {
    /// `175` of `175/65535`.
    let factor: ExactDecimal
    /// 1…10⁹: `65535`.
    let divisor: Int128
    /// Added after that.
    let offset: ExactDecimal

    /// The value of a raw number at a channel's resolution; nil when it does not fit.
    func apply(_ raw: ExactDecimal, decimals: Int) -> FixedPoint? {
        guard let product = raw.times(factor) else { return nil }
        let whole = ExactDecimal(digits: divisor, places: 0)
        guard let shift = offset.times(whole), let sum = product.plus(shift) else { return nil }
        return sum.rounded(decimals: decimals, dividedBy: divisor)
    }

    /// Reads `scale` and `offset` of a value in a profile's settings.
    init(_ reader: inout ObjectReader) {
        let parts = (reader.string("scale") ?? "1").split(
            separator: "/",
            omittingEmptySubsequences: false
        )
        let factor = parts.first.flatMap { ExactDecimal($0.utf8) }
        let divisor =
            parts.count == 2
            ? PlainDecimal.whole(parts[1].utf8, in: 1...999_999_999) : parts.count == 1 ? 1 : nil
        if factor == nil || divisor == nil || factor?.digits == 0 {
            let example = #"expected a number such as "0.001", or a fraction such as "175/65535""#
            reader.problem("scale", example)
        }
        let offset = ExactDecimal((reader.string("offset") ?? "0").utf8)
        if offset == nil { reader.problem("offset", #"expected a number such as "-45""#) }
        self.factor = factor ?? .zero
        self.divisor = Int128(divisor ?? 1)
        self.offset = offset ?? .zero
    }
}
