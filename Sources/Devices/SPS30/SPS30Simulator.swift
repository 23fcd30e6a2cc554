import HardwareIO
import Readings

/// An SPS30 as a pure value: answers start, stop, read and the question for its serial number.
///
/// Commands with a wrong check byte are ignored; a read while idle is answered with state 43,
/// *not allowed in this state*.
///
/// - Source: as in `SPS30Dialect`.
package struct SPS30Simulator: SerialPeer {
    package let serial: String
    package private(set) var isMeasuring = false
    private var drift: DriftingValue
    private var pending: [UInt8]?  // Since a flag; at most `SPS30Dialect.limit` bytes.
    private var lastReadAt: MonotonicInstant?

    package init(seed: UInt64 = 1) {
        serial = "5D" + String(seed, radix: 16, uppercase: true)
        drift = DriftingValue(seed: seed, start: 1_100, within: 50...90_000)
    }

    package var nextActivity: MonotonicInstant? { nil }
    package mutating func advance(to now: MonotonicInstant) -> [UInt8] { [] }

    package mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] {
        var answer: [UInt8] = []
        for byte in bytes {
            if byte == SPS30Dialect.flag {
                if let pending, !pending.isEmpty { answer += self.answer(to: pending, at: now) }
                pending = []
            } else if let count = pending?.count {
                if count < SPS30Dialect.limit { pending?.append(byte) } else { pending = nil }
            }
        }
        return answer
    }

    private mutating func answer(to stuffed: [UInt8], at now: MonotonicInstant) -> [UInt8] {
        guard let content = SPS30Dialect.unstuffed(stuffed), content.count >= 4, content[0] == 0,
            ~content.dropLast().reduce(0, &+) == content.last,
            content.count == Int(content[2]) + 4
        else { return [] }
        let refused: UInt8 = 0x43
        switch content[1] {
        case 0x00:
            defer { isMeasuring = true }
            return reply(0x00, state: isMeasuring ? refused : 0, [])
        case 0x01:
            defer { isMeasuring = false }
            return reply(0x01, state: isMeasuring ? 0 : refused, [])
        case 0x03:
            guard isMeasuring else { return reply(0x03, state: refused, []) }
            let isNew = lastReadAt.map { $0.duration(to: now) >= .milliseconds(900) } ?? true
            if isNew { lastReadAt = now }
            return reply(0x03, state: 0, isNew ? values() : [])
        case 0xD0: return reply(0xD0, state: 0, Array(serial.utf8) + [0])
        default: return reply(content[1], state: 0x02, [])
        }
    }

    private func reply(_ command: UInt8, state: UInt8, _ data: [UInt8]) -> [UInt8] {
        SPS30Dialect.stuffed([0x00, command, state, UInt8(data.count)] + data)
    }

    private mutating func values() -> [UInt8] {
        let pm25 = Float(drift.next()) / 100
        let values = [
            pm25 * 0.75, pm25, pm25 * 1.25, pm25 * 1.5, pm25 * 5, pm25 * 6, pm25 * 6.25,
            pm25 * 6.5, pm25 * 6.75, 0.5,
        ]
        return values.flatMap { value in
            let bits = value.bitPattern
            return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: bits >> $0) }
        }
    }
}
