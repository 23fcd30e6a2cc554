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

    /// The value times `10^exponent`, as for another unit; nil where it does not fit.
    ///
    /// - Parameter exponent: 0…9.
    package func scaled(byPowerOfTen exponent: Int) -> FixedPoint? {
        guard exponent > decimals else {
            return FixedPoint(mantissa, decimals: decimals - exponent)
        }
        let whole = FixedPoint(mantissa, decimals: 0).mantissa(atDecimals: exponent - decimals)
        return whole.map { FixedPoint($0, decimals: 0) }
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

extension FixedPoint {
    /// Reads a decimal as sensors, files and Python's `repr` write it: `2.37`, `-0.5`, `1e-05`.
    ///
    /// Digits after the point are kept as written, nine at most: the rest is rounded away from zero
    /// at a half, because it is the noise of a double. Nil for anything else, for `nan` and `inf`,
    /// and when the number does not fit 18 digits.
    package init?(decimal text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count <= 40 else { return nil }
        let mark = bytes.firstIndex { $0 | 0x20 == UInt8(ascii: "e") } ?? bytes.count
        var exponent = 0
        if mark < bytes.count {
            guard let power = Self.exponent(bytes[(mark + 1)...]) else { return nil }
            exponent = power
        }
        var rest = bytes[..<mark]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
        let parts = rest.split(
            separator: UInt8(ascii: "."),
            maxSplits: 2,
            omittingEmptySubsequences: false
        )
        let digits = parts.joined()
        let isNumber = digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard (1...2).contains(parts.count), isNumber, !digits.isEmpty else { return nil }
        let decimals = (parts.count == 2 ? parts[1].count : 0) - exponent
        guard let (magnitude, kept) = Self.scaled(digits.map { $0 - 48 }, decimals) else {
            return nil
        }
        self.init(isNegative ? -magnitude : magnitude, decimals: kept)
    }

    /// An exponent of up to two digits, with or without a sign.
    private static func exponent(_ bytes: ArraySlice<UInt8>) -> Int? {
        var rest = bytes
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
        let isNumber = rest.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard (1...2).contains(rest.count), isNumber else { return nil }
        let power = rest.reduce(0) { 10 * $0 + Int($1 - 48) }
        return isNegative ? -power : power
    }

    /// Digits as a mantissa with 0…9 decimals, rounded when there were more.
    private static func scaled(_ digits: [UInt8], _ decimals: Int) -> (Int64, Int)? {
        var (digits, decimals) = (digits, decimals)
        var roundsUp = false
        if decimals > 9 {
            let surplus = decimals - 9
            roundsUp = surplus <= digits.count && digits[digits.count - surplus] >= 5
            digits.removeLast(min(surplus, digits.count))
            decimals = 9
        }
        while decimals < 0 {
            digits.append(0)
            decimals += 1
        }
        let significant = digits.drop { $0 == 0 }
        guard significant.count <= 18 else { return nil }
        let magnitude = significant.reduce(Int64(0)) { $0 * 10 + Int64($1) }
        return (magnitude + (roundsUp ? 1 : 0), decimals)
    }
}
