import Core
import HardwareIO
import Profiles

/// An instrument that writes lines as its profile describes them; every value drifts in its range.
package struct LineDeviceSimulator: SerialPeer {
    private let format: LineFormat
    private var drifts: [DriftingValue]
    private var next: MonotonicInstant?
    private var input: [UInt8] = []  // At most as long as the query.

    /// A part that begins to write one interval after it gets power.
    ///
    /// - Throws: `DialectError` when the profile's settings make no sense.
    package init(
        _ profile: Profile,
        seed: UInt64 = 1,
        poweredAt now: MonotonicInstant = .boot
    ) throws(DialectError) {
        format = try LineFormat(profile)
        drifts = format.fields.indices.map { index in
            DriftingValue(seed: seed &+ UInt64(index), start: 500, within: 0...1_000)
        }
        let step = format.interval * (format.burst?.count ?? 1)
        next = format.query == nil ? now.advanced(by: step + (format.burst?.delay ?? .zero)) : nil
    }

    /// Time from one transmission to the next.
    private var step: Duration { format.interval * (format.burst?.count ?? 1) }

    var delimiter: UInt8 { format.delimiter }

    package var nextActivity: MonotonicInstant? { next }

    package mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] {
        guard let query = format.query else { return [] }
        var answer: [UInt8] = []
        for byte in bytes {
            input = input.suffix(max(0, query.count - 1)) + [byte]
            if input == query { answer += line() }
        }
        return answer
    }

    package mutating func advance(to now: MonotonicInstant) -> [UInt8] {
        var sent: [UInt8] = []
        while let due = next, due <= now {
            for _ in 0..<(format.burst?.count ?? 1) { sent += line() }
            next = due.advanced(by: step)
        }
        return sent
    }

    /// The next line, with its end.
    mutating func line() -> [UInt8] {
        var texts: [String] = []
        for index in format.fields.indices {
            let field = format.fields[index]
            let thousandth = Double(drifts[index].next()) / 1_000
            let limits = field.limits ?? 0...1
            let value = limits.lowerBound + (limits.upperBound - limits.lowerBound) * thousandth
            let decimals = field.quantity?.decimals ?? 0
            var factor = 1.0
            for _ in 0..<decimals { factor *= 10 }
            texts.append("\(FixedPoint(Int64(value * factor), decimals: decimals))")
        }
        let delimiter = String(UnicodeScalar(format.delimiter))
        var bytes = format.prefix + Array(texts.joined(separator: delimiter).utf8)
        if format.isChecked {
            let summed = bytes.first == UInt8(ascii: "$") ? bytes.dropFirst() : bytes[...]
            let sum = summed.reduce(0, ^)
            let digits = String(sum, radix: 16, uppercase: true)
            bytes += Array("*\(sum < 16 ? "0" : "")\(digits)".utf8)
        }
        return bytes + [0x0D, 0x0A]
    }
}
