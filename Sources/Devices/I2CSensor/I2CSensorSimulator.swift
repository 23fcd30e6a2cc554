import Core
import HardwareIO
import Profiles

/// A part on I²C as a pure value: raw numbers that drift in the middle of their range.
package struct I2CSensorSimulator: SerialPeer {
    private let check: I2CSensorDialect.Check
    private let checkStart: UInt8
    private var raw: DriftingValue
    private var input: [UInt8] = []

    /// - Throws: `DialectError` when the profile's settings make no sense.
    package init(_ profile: Profile, seed: UInt64) throws(DialectError) {
        _ = try I2CSensorDialect(profile)
        var (check, start) = (I2CSensorDialect.Check.none, 255)
        profile.readSettings { reader in
            check = reader.string("check").flatMap(I2CSensorDialect.Check.init) ?? .none
            start = reader.whole("checkStart", in: 0...255) ?? 255
        }
        (self.check, checkStart) = (check, UInt8(start))
        raw = DriftingValue(seed: seed, start: 26_000, within: 20_000...32_000)
    }

    package var nextActivity: MonotonicInstant? { nil }
    package mutating func advance(to now: MonotonicInstant) -> [UInt8] { [] }

    package mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] {
        input += bytes
        var answers: [UInt8] = []
        while let end = input.firstIndex(of: UInt8(ascii: "\n")) {
            let line = Array(input[..<end])
            input.removeSubrange(...end)
            guard let question = BusQuestion(line) else { continue }
            let results = question.steps.map { answer($0, number: question.number) }
            answers += BusAnswer(results, number: question.number).bytes
        }
        if input.count > BusQuestion.byteLimit { input.removeAll() }
        return answers
    }

    private mutating func answer(_ step: BusQuestion.Step, number: Int) -> BusAnswer.Result {
        switch step {
        case .attribute: return .failed(22)
        case .write, .pause: return .bytes([], choice: 0)
        case .read(let count):
            // A serial number stays; values do not.
            let word = number == 3 ? 0x5EED : raw.next()
            let pair = [UInt8(word >> 8 & 0xFF), UInt8(word & 0xFF)]
            var bytes: [UInt8] = []
            switch check {
            case .none: while bytes.count < count { bytes += pair }
            case .words:
                let sum = I2CSensorDialect.Check.crc(pair, from: checkStart)
                while bytes.count < count { bytes += pair + [sum] }
            case .whole:
                while bytes.count < count - 1 { bytes += pair }
                bytes = Array(bytes.prefix(count - 1))
                bytes.append(I2CSensorDialect.Check.crc(bytes, from: checkStart))
            }
            return .bytes(Array(bytes.prefix(count)), choice: 0)
        }
    }
}
