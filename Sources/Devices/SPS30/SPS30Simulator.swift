import Core
import HardwareIO

/// An SPS30 as a pure value, with every command of its serial line.
///
/// Frames with a wrong check byte are ignored. Asleep its line is off: a byte switches it on for
/// 100 ms, and a wake-up in that time is heard. The cleaning interval outlasts a reset.
///
/// - Source: Sensirion, *Datasheet SPS30*, version 1.0, section 5.3; Sensirion's own client
///   `sensirion-uart-sps30` 1.0 for sleep, wake-up and the lengths of the answers.
package struct SPS30Simulator: SerialPeer {
    /// How values are sent, by the second byte of the start command.
    private enum Format: UInt8 {
        case float = 0x03
        case integer = 0x05
    }

    private enum State: Hashable {
        case idle
        case measuring(Format)
        /// Its line is on until the instant; nil while it is off.
        case asleep(lineOnUntil: MonotonicInstant?)
    }

    /// Error codes with which the part refuses a command.
    private enum Refusal: UInt8, Error {
        case length = 0x01
        case unknownCommand = 0x02
        case parameter = 0x04
        case state = 0x43
    }

    static let productType = "00080000"
    /// Firmware 2.2, hardware 7, SHDLC 2.0, with a zero behind the first two.
    static let version: [UInt8] = [2, 2, 0, 7, 0, 2, 0]
    private static let wakePatience: Duration = .milliseconds(100)
    private static let cleaningTime: Duration = .seconds(10)

    package let serial: String
    /// Seconds; a week as it is delivered.
    private(set) var cleaningInterval: UInt32 = 604_800
    private var state = State.idle
    private var drift: DriftingValue
    private var pending: [UInt8]?  // Since a flag; at most `SPS30Dialect.limit` bytes.
    private var lastReadAt: MonotonicInstant?
    private var cleanUntil = MonotonicInstant.boot

    package init(seed: UInt64 = 1) {
        serial = "5D" + String(seed, radix: 16, uppercase: true)
        drift = DriftingValue(seed: seed, start: 1_100, within: 50...90_000)
    }

    var isMeasuring: Bool { if case .measuring = state { true } else { false } }
    package var isAsleep: Bool { if case .asleep = state { true } else { false } }
    package var nextActivity: MonotonicInstant? { nil }
    package mutating func advance(to now: MonotonicInstant) -> [UInt8] { [] }

    package mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] {
        var answer: [UInt8] = []
        for byte in bytes {
            if byte == SPS30Dialect.flag {
                if let pending, !pending.isEmpty { answer += self.answer(to: pending, at: now) }
                pending = []
            } else if let count = pending?.count, count > 0 || byte != 0xFF {
                if count < SPS30Dialect.limit { pending?.append(byte) } else { pending = nil }
            } else if case .asleep = state {
                state = .asleep(lineOnUntil: now.advanced(by: Self.wakePatience))
            }
        }
        return answer
    }

    private mutating func answer(to stuffed: [UInt8], at now: MonotonicInstant) -> [UInt8] {
        if case .asleep(let end) = state {
            state = .asleep(lineOnUntil: now.advanced(by: Self.wakePatience))
            guard let end, now <= end else { return [] }
        }
        guard let content = SPS30Dialect.unstuffed(stuffed), content.count >= 4, content[0] == 0,
            ~content.dropLast().reduce(0, &+) == content.last,
            content.count == Int(content[2]) + 4
        else { return [] }
        let (command, data) = (content[1], Array(content[3..<(content.count - 1)]))
        guard !isAsleep || [0x11, 0xD3].contains(command) else { return [] }
        do throws(Refusal) {
            let found = try obey(command, data, at: now)
            return reply(command, state: 0, found)
        } catch {
            return reply(command, state: error.rawValue, [])
        }
    }

    private mutating func obey(
        _ command: UInt8,
        _ data: [UInt8],
        at now: MonotonicInstant
    ) throws(Refusal) -> [UInt8] {
        switch command {
        case 0x00:
            try require(data.count == 2, else: .length)
            guard data[0] == 0x01, let format = Format(rawValue: data[1]) else {
                throw .parameter
            }
            try require(state == .idle, else: .state)
            state = .measuring(format)
        case 0x01:
            try require(isMeasuring, else: .state)
            state = .idle
        case 0x03: return try values(at: now)
        case 0x10:
            try require(state == .idle, else: .state)
            state = .asleep(lineOnUntil: nil)
        case 0x11:
            try require(isAsleep, else: .state)
            state = .idle
        case 0x56:
            try require(isMeasuring, else: .state)
            cleanUntil = now.advanced(by: Self.cleaningTime)
        case 0x80: return try cleaning(data)
        case 0xD0:
            try require(data.count == 1, else: .length)
            let texts: [UInt8: String] = [0x00: Self.productType, 0x03: serial]
            guard let text = texts[data[0]] else { throw .parameter }
            return Array(text.utf8) + [0]
        case 0xD1: return Self.version
        case 0xD2:
            try require(data.count == 1, else: .length)
            // No fault of fan or laser, and a reserved byte.
            return [0, 0, 0, 0, 0]
        case 0xD3: state = .idle
        default: throw .unknownCommand
        }
        return []
    }

    private func require(_ condition: Bool, else refusal: Refusal) throws(Refusal) {
        guard condition else { throw refusal }
    }

    /// Reads or sets the interval.
    private mutating func cleaning(_ data: [UInt8]) throws(Refusal) -> [UInt8] {
        try require(data.count == 1 || data.count == 5, else: .length)
        try require(data[0] == 0, else: .parameter)
        guard data.count == 5 else { return Self.bigEndian(cleaningInterval) }
        cleaningInterval = data.dropFirst().reduce(0) { $0 << 8 | UInt32($1) }
        return []
    }

    private func reply(_ command: UInt8, state: UInt8, _ data: [UInt8]) -> [UInt8] {
        SPS30Dialect.stuffed([0x00, command, state, UInt8(data.count)] + data)
    }

    /// New values once a second, and none while the fan cleans itself.
    private mutating func values(at now: MonotonicInstant) throws(Refusal) -> [UInt8] {
        guard case .measuring(let format) = state else { throw .state }
        let isNew = lastReadAt.map { $0.duration(to: now) >= .milliseconds(900) } ?? true
        guard isNew, cleanUntil <= now else { return [] }
        lastReadAt = now
        let pm25 = Float(drift.next()) / 100
        let values = [
            pm25 * 0.75, pm25, pm25 * 1.25, pm25 * 1.5, pm25 * 5, pm25 * 6, pm25 * 6.25,
            pm25 * 6.5, pm25 * 6.75, 0.5,
        ]
        switch format {
        case .float: return values.flatMap { Self.bigEndian($0.bitPattern) }
        case .integer:
            // The size is in nm.
            return (values.dropLast() + [500]).flatMap { value in
                Self.bigEndian(UInt32(value.rounded())).suffix(2)
            }
        }
    }

    private static func bigEndian(_ word: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
    }
}
