/// An exact decimal, `mantissa × 10^−decimals`.
///
/// A sensor's value, never rounded.
package struct FixedPoint: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let mantissa: Int64
    /// Digits after the point, 0…9.
    package let decimals: Int

    package init(_ mantissa: Int64, decimals: Int) {
        precondition((0...9).contains(decimals), "decimals are 0…9")
        self.mantissa = mantissa
        self.decimals = decimals
    }

    /// The mantissa at another resolution, or nil when digits would be lost or overflow.
    package func mantissa(atDecimals wanted: Int) -> Int64? {
        let factor = Self.powersOfTen[abs(wanted - decimals)]
        if wanted >= decimals {
            let (scaled, overflow) = mantissa.multipliedReportingOverflow(by: factor)
            return overflow ? nil : scaled
        }
        return mantissa % factor == 0 ? mantissa / factor : nil
    }

    /// The nearest double, for display and for limits; the exact value is the mantissa.
    package var doubleValue: Double { Double(mantissa) / Double(Self.powersOfTen[decimals]) }

    package static func == (left: FixedPoint, right: FixedPoint) -> Bool {
        left.decimals == right.decimals
            ? left.mantissa == right.mantissa
            : left.normalized == right.normalized
    }

    package static func < (left: FixedPoint, right: FixedPoint) -> Bool {
        let decimals = max(left.decimals, right.decimals)
        guard let leftScaled = left.mantissa(atDecimals: decimals),
            let rightScaled = right.mantissa(atDecimals: decimals)
        else { return left.doubleValue < right.doubleValue }
        return leftScaled < rightScaled
    }

    package func hash(into hasher: inout Hasher) {
        let (mantissa, decimals) = normalized
        hasher.combine(mantissa)
        hasher.combine(decimals)
    }

    package var description: String {
        guard decimals > 0 else { return "\(mantissa)" }
        let digits = String(mantissa.magnitude)
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        let point = padded.index(padded.endIndex, offsetBy: -decimals)
        return (mantissa < 0 ? "-" : "") + padded[..<point] + "." + padded[point...]
    }

    private var normalized: (mantissa: Int64, decimals: Int) {
        var (mantissa, decimals) = (mantissa, decimals)
        while decimals > 0, mantissa % 10 == 0 {
            (mantissa, decimals) = (mantissa / 10, decimals - 1)
        }
        return (mantissa, decimals)
    }

    private static let powersOfTen: [Int64] = [
        1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
    ]
}

extension FixedPoint: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    package init(integerLiteral value: Int64) { self.init(value, decimals: 0) }

    /// A literal such as `12.3`, with as many decimals as needed, at most nine.
    package init(floatLiteral value: Double) {
        var decimals = 0
        var scaled = value
        while decimals < 9, abs(scaled - scaled.rounded()) > abs(scaled) * 1e-12 {
            decimals += 1
            scaled = value * Double(Self.powersOfTen[decimals])
        }
        self.init(Int64(scaled.rounded()), decimals: decimals)
    }
}
