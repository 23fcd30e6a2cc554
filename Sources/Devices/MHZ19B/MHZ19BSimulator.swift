import Core
import HardwareIO

/// An MH-Z19B as a pure value: answers the read command and nothing else.
package struct MHZ19BSimulator: SerialPeer {
    /// Values in ppm that a cold part sends: `first` twice after power-on, then `later` until warm.
    ///
    /// - Source: replies of a part on a desk, plugged in cold.
    package static let coldValues = (first: 1_215, later: 410)

    private let coldFor: Duration
    private var coldCount = 0
    private var drift: DriftingValue
    private var input: [UInt8] = []  // At most the last nine bytes.

    /// - Parameters:
    ///   - coldFor: From power on; what it says later is none of `coldValues` then.
    package init(seed: UInt64 = 1, coldFor: Duration = .zero) {
        self.coldFor = coldFor
        let bounds = coldFor > .zero ? 420...1_200 : 400...5_000
        drift = DriftingValue(seed: seed, start: 620, within: bounds)
    }

    package var nextActivity: MonotonicInstant? { nil }

    package mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] {
        var answer: [UInt8] = []
        for byte in bytes {
            input = input.suffix(MHZ19BDialect.byteCount - 1) + [byte]
            if input == MHZ19BDialect.readCommand { answer += reply(at: now) }
        }
        return answer
    }

    package mutating func advance(to now: MonotonicInstant) -> [UInt8] { [] }

    private mutating func reply(at now: MonotonicInstant) -> [UInt8] {
        let value: Int
        if MonotonicInstant.boot.duration(to: now) < coldFor {
            coldCount += 1
            value = coldCount <= 2 ? Self.coldValues.first : Self.coldValues.later
        } else {
            value = drift.next()
        }
        let bytes: [UInt8] = [
            MHZ19BDialect.readMark, UInt8(value >> 8), UInt8(value & 0xFF), 64, 0, 0, 0,
        ]
        return [MHZ19BDialect.head] + bytes + [MHZ19BDialect.checksum(bytes)]
    }
}
