import Core
import Store

/// A line of a bGeigie Nano's log, made again from what the station stored of it.
///
/// The counts of five seconds and in all, and the receiver's figures, are not stored: they are 0.
///
/// - Source: `bidouilles/bGeigieNano`, README.
struct BGeigieLine: Hashable, Sendable {
    private static let needed = ["cpm", "latitude", "longitude", "altitude"]

    let text: String

    /// Whether a stream has what a line says.
    static func canDescribe(_ stream: StreamDescription) -> Bool {
        let names = stream.quantities.map(\.name)
        return needed.allSatisfy(names.contains)
    }

    /// The line of a sample; nil for a stream that has no such lines.
    init?(_ sample: DatedSample, at wall: WallTime, device: Int) {
        let names = sample.stream.quantities.map(\.name)
        let places = Self.needed.map { name in names.firstIndex(of: name) }
        guard !places.contains(nil) else { return nil }
        let values = places.map { place in place.flatMap { sample.outcomes[$0].value } }
        let hasFix = values.dropFirst().allSatisfy { $0 != nil }
        let north = Self.angle(values[1], digits: 2, ("N", "S"))
        let east = Self.angle(values[2], digits: 3, ("E", "W"))
        let items: [String] = [
            "BNRDD", String(device), wall.iso8601,
            values[0].map { String($0.mantissa) } ?? "0", "0", "0",
            values[0] == nil ? "V" : "A", north.text, north.letter, east.text, east.letter,
            values[3]?.description ?? "0", hasFix ? "A" : "V", "0", "0",
        ]
        let content = items.joined(separator: ",")
        let sum = content.utf8.reduce(UInt8(0), ^)
        let hex = String(sum, radix: 16, uppercase: true)
        text = "$\(content)*\(hex.count < 2 ? "0" : "")\(hex)"
    }

    /// Degrees with seven decimals as `dddmm.mmmm` and a letter.
    private static func angle(
        _ value: FixedPoint?,
        digits: Int,
        _ letters: (String, String)
    ) -> (text: String, letter: String) {
        guard let value, let mantissa = value.mantissa(atDecimals: 7) else {
            return (String(repeating: "0", count: digits + 2) + ".0000", letters.0)
        }
        // Ten-thousandths of a minute: 60 × 10⁴ to the degree.
        let parts = (mantissa.magnitude * 6 + 50) / 100
        let (degrees, rest) = parts.quotientAndRemainder(dividingBy: 600_000)
        let (minutes, fraction) = rest.quotientAndRemainder(dividingBy: 10_000)
        func padded(_ number: UInt64, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let text = padded(degrees, digits) + padded(minutes, 2) + "." + padded(fraction, 4)
        return (text, mantissa < 0 ? letters.1 : letters.0)
    }
}
