import ArgumentParser
import Core

/// A time as people write it: `30s`, `5m`, `2h`, `1d`, `250ms`; a bare number is seconds.
package struct DurationArgument: ExpressibleByArgument {
    package let duration: Duration

    package init(_ duration: Duration) { self.duration = duration }

    package init?(argument: String) {
        let units: [(String, Double)] = [
            ("ms", 0.001), ("s", 1), ("min", 60), ("m", 60), ("h", 3_600), ("d", 86_400), ("", 1),
        ]
        for (suffix, seconds) in units where argument.hasSuffix(suffix) {
            guard let number = Double(argument.dropLast(suffix.count)) else { continue }
            let total = number * seconds
            guard total.isFinite, total > 0, total <= 10 * 365 * 86_400 else { return nil }
            duration = .milliseconds(Int64((total * 1_000).rounded()))
            return
        }
        return nil
    }

    package var seconds: Double { duration.inSeconds }

    package var defaultValueDescription: String { durationText(seconds: seconds) }
}

/// Seconds as people read them: `0.4 s`, `12 s`, `3 min 5 s`, `2 h 10 min`, `4 d 3 h`.
package func durationText(seconds: Double) -> String {
    let sign = seconds < 0 ? "-" : ""
    let magnitude = abs(seconds)
    if magnitude < 10 { return "\(sign)\((magnitude * 10).rounded() / 10) s" }
    let whole = Int(magnitude.rounded())
    switch whole {
    case ..<60: return "\(sign)\(whole) s"
    case ..<3_600: return "\(sign)\(whole / 60) min \(whole % 60) s"
    case ..<86_400: return "\(sign)\(whole / 3_600) h \(whole % 3_600 / 60) min"
    default: return "\(sign)\(whole / 86_400) d \(whole % 86_400 / 3_600) h"
    }
}

extension String {
    /// Padded with spaces to a width in characters; longer text is left as it is.
    package func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }

    /// Padded to a width, one space at least: what follows never touches it.
    package func column(_ width: Int) -> String { padded(to: width - 1) + " " }

    /// Moved to the right of a width in characters.
    package func aligned(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }
}
