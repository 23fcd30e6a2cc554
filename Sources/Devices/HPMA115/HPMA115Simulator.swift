import HardwareIO
import Readings

/// An HPMA115C0 or S0 as a pure value: sends a frame a second until it is told to stop.
///
/// - Source: as in `HPMA115Dialect`.
package struct HPMA115Simulator: SerialPeer {
    /// Whether it is an S0, which sends frames like a Plantower's by itself.
    private let isLong: Bool
    private var drift: DriftingValue
    private var input: [UInt8] = []  // At most the last four bytes.
    private var next: MonotonicInstant?

    package init(
        seed: UInt64 = 1,
        isLong: Bool = false,
        poweredAt now: MonotonicInstant = .boot
    ) {
        self.isLong = isLong
        drift = DriftingValue(seed: seed, start: 12, within: 1...300)
        next = now.advanced(by: .seconds(1))
    }

    package var isMeasuring: Bool { next != nil }
    package var nextActivity: MonotonicInstant? { next }

    package mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] {
        var answer: [UInt8] = []
        for byte in bytes {
            input = input.suffix(3) + [byte]
            switch input {
            case [0x68, 0x01, 0x01, 0x96]:
                if next == nil { next = now.advanced(by: .seconds(1)) }
                answer += [0xA5, 0xA5]
            case [0x68, 0x01, 0x40, 0x57]: answer += [0xA5, 0xA5]
            case [0x68, 0x01, 0x02, 0x95]:
                next = nil
                answer += [0xA5, 0xA5]
            case [0x68, 0x01, 0x04, 0x93]: answer += next == nil ? [0x96, 0x96] : answerToRead()
            default: break
            }
        }
        return answer
    }

    package mutating func advance(to now: MonotonicInstant) -> [UInt8] {
        var sent: [UInt8] = []
        while let due = next, due <= now {
            sent += frame()
            next = due.advanced(by: .seconds(1))
        }
        return sent
    }

    /// Both answer in the short form.
    private mutating func answerToRead() -> [UInt8] {
        guard isLong else { return frame() }
        let pm25 = drift.next()
        return Self.checked([0x40, 0x05, 0x04] + Self.bytes([pm25, pm25 + pm25 / 5 + 1]))
    }

    private mutating func frame() -> [UInt8] {
        let pm25 = drift.next()
        let pm10 = pm25 + pm25 / 5 + 1
        guard isLong else {
            let words = [pm25 * 3 / 4, pm25, pm25 + 1, pm10, 0, 0]
            return Self.checked([0x40, 0x0D, 0x04] + Self.bytes(words))
        }
        let words = [0, pm25, pm10] + Array(repeating: 0, count: 10)
        let content = [0x42, 0x4D, 0, 0x1C] + Self.bytes(words)
        return content + Self.bytes([content.reduce(0) { $0 + Int($1) }])
    }

    private static func checked(_ bytes: [UInt8]) -> [UInt8] { bytes + [0 &- bytes.reduce(0, &+)] }

    private static func bytes(_ words: [Int]) -> [UInt8] {
        words.flatMap { word -> [UInt8] in [UInt8(word >> 8), UInt8(word & 0xFF)] }
    }
}
