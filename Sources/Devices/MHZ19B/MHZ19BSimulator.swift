import Core
import HardwareIO

/// An MH-Z19B as a pure value: answers the read command and nothing else.
package struct MHZ19BSimulator: SerialPeer {
    private var drift: DriftingValue
    private var input: [UInt8] = []  // At most the last nine bytes.

    package init(seed: UInt64 = 1) {
        drift = DriftingValue(seed: seed, start: 620, within: 400...5_000)
    }

    package var nextActivity: MonotonicInstant? { nil }

    package mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] {
        var answer: [UInt8] = []
        for byte in bytes {
            input = input.suffix(MHZ19BDialect.byteCount - 1) + [byte]
            if input == MHZ19BDialect.readCommand { answer += reply() }
        }
        return answer
    }

    package mutating func advance(to now: MonotonicInstant) -> [UInt8] { [] }

    private mutating func reply() -> [UInt8] {
        let value = drift.next()
        let bytes: [UInt8] = [
            MHZ19BDialect.readMark, UInt8(value >> 8), UInt8(value & 0xFF), 64, 0, 0, 0,
        ]
        return [MHZ19BDialect.head] + bytes + [MHZ19BDialect.checksum(bytes)]
    }
}
