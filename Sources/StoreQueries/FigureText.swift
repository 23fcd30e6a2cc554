import Core

/// Figures as people read them.
package enum FigureText {
    /// `512 B`, `3.4 KB`, `64 MB`, in powers of a thousand.
    package static func bytes(_ count: Double) -> String {
        let units = ["B", "KB", "MB", "GB", "TB"]
        var (value, unit) = (count, 0)
        while abs(value) >= 1_000, unit < units.count - 1 {
            (value, unit) = (value / 1_000, unit + 1)
        }
        return "\(unit == 0 ? "\(Int(value.rounded()))" : rounded(value)) \(units[unit])"
    }

    /// Two digits after the point below ten, one below a thousand, none above.
    package static func rounded(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "many" }
        let magnitude = abs(value)
        if magnitude >= 1_000 { return "\(Int(value.rounded()))" }
        let decimals = magnitude < 10 ? 2 : 1
        let scale: Double = decimals == 2 ? 100 : 10
        return FixedPoint(Int64((value * scale).rounded()), decimals: decimals).description
    }
}

extension Double {
    /// The nearest number with so many digits after the point.
    func rounded(decimals: Int) -> Double {
        let scale = (0..<decimals).reduce(1.0) { product, _ in product * 10 }
        return (self * scale).rounded() / scale
    }
}
