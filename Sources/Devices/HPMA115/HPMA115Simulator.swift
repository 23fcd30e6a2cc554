import Core
import HardwareIO

/// An HPMA115C0 or S0 as a pure value: measures and sends a frame a second until it is stopped.
///
/// The two are stopped apart: without unasked frames it goes on measuring and answers when asked.
///
/// - Source: Honeywell, *HPM Series Particle Sensors* datasheet 32322550, tables 4 to 7; for the
///   frames as in `HPMA115Dialect`.
package struct HPMA115Simulator: SerialPeer {
    private static let yes: [UInt8] = [0xA5, 0xA5]
    private static let no: [UInt8] = [0x96, 0x96]

    /// Whether it is an S0, which measures neither PM1 nor PM4.
    private let isLong: Bool
    private var drift: DriftingValue
    private var input: [UInt8] = []  // At most the last five bytes.
    private var next: MonotonicInstant?
    private(set) var isMeasuring = true
    /// Whether it sends frames unasked.
    private(set) var isSending = true
    /// Per cent, 30…200.
    private(set) var coefficient: UInt8 = 100

    package init(
        seed: UInt64 = 1,
        isLong: Bool = false,
        poweredAt now: MonotonicInstant = .boot
    ) {
        self.isLong = isLong
        drift = DriftingValue(seed: seed, start: 12, within: 1...300)
        next = now.advanced(by: .seconds(1))
    }

    package var nextActivity: MonotonicInstant? { next }

    package mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] {
        var answer = advance(to: now)
        for byte in bytes {
            input = input.suffix(4) + [byte]
            answer += obey(at: now)
        }
        return answer
    }

    package mutating func advance(to now: MonotonicInstant) -> [UInt8] {
        var sent: [UInt8] = []
        while let due = next, due <= now {
            sent += unaskedFrame()
            next = due.advanced(by: .seconds(1))
        }
        return sent
    }

    /// Answers the command that the last bytes are, if they are one.
    private mutating func obey(at now: MonotonicInstant) -> [UInt8] {
        if input.count == 5, input.starts(with: [0x68, 0x02, 0x08]), input.reduce(0, &+) == 0 {
            guard (30...200).contains(input[3]) else { return Self.no }
            coefficient = input[3]
            return Self.yes
        }
        switch Array(input.suffix(4)) {
        case [0x68, 0x01, 0x01, 0x96]: isMeasuring = true
        case [0x68, 0x01, 0x02, 0x95]: isMeasuring = false
        case [0x68, 0x01, 0x20, 0x77]: isSending = false
        case [0x68, 0x01, 0x40, 0x57]: isSending = true
        case [0x68, 0x01, 0x04, 0x93]: return isMeasuring ? answerToRead() : Self.no
        case [0x68, 0x01, 0x10, 0x87]: return Self.checked([0x40, 0x02, 0x10, coefficient])
        default: return []
        }
        next = isMeasuring && isSending ? next ?? now.advanced(by: .seconds(1)) : nil
        return Self.yes
    }

    /// The S0's has two words, the C0's four and two reserved.
    private mutating func answerToRead() -> [UInt8] {
        let (pm1, pm25, pm4, pm10) = measure()
        return isLong
            ? Self.checked([0x40, 0x05, 0x04] + Self.bytes([pm25, pm10]))
            : Self.checked([0x40, 0x0D, 0x04] + Self.bytes([pm1, pm25, pm4, pm10, 0, 0]))
    }

    /// The first word of an S0's is reserved.
    private mutating func unaskedFrame() -> [UInt8] {
        let (pm1, pm25, pm4, pm10) = measure()
        let measured = isLong ? [0, pm25, pm10, 0] : [pm1, pm25, pm4, pm10]
        let words = measured + Array(repeating: 0, count: 9)
        let content = [0x42, 0x4D, 0, 0x1C] + Self.bytes(words)
        return content + Self.bytes([content.reduce(0) { $0 + Int($1) }])
    }

    private mutating func measure() -> (pm1: Int, pm25: Int, pm4: Int, pm10: Int) {
        let pm25 = drift.next()
        return (pm25 * 3 / 4, pm25, pm25 + 1, pm25 + pm25 / 5 + 1)
    }

    private static func checked(_ bytes: [UInt8]) -> [UInt8] { bytes + [0 &- bytes.reduce(0, &+)] }

    private static func bytes(_ words: [Int]) -> [UInt8] {
        words.flatMap { word -> [UInt8] in [UInt8(word >> 8), UInt8(word & 0xFF)] }
    }
}
