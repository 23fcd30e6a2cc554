import Core
import HardwareIO
import Profiles

/// A part on I²C as a pure value: raw numbers that drift in the middle of their range.
package struct I2CSensorSimulator: SerialPeer {
    private let dialect: I2CSensorDialect
    private var raw: DriftingValue
    /// Hundredths of each floating-point number, by its place among the values.
    private var floats: [Int: DriftingValue] = [:]
    private var cutter = BusQuestionCutter()

    /// - Throws: `DialectError` when the profile's settings make no sense.
    package init(_ profile: Profile, seed: UInt64) throws(DialectError) {
        dialect = try I2CSensorDialect(profile)
        raw = DriftingValue(seed: seed, start: 26_000, within: 20_000...32_000)
        for (index, value) in dialect.values.enumerated() where value.isFloat {
            let range = profile.channels[index].range
            let width = (range.upperBound - range.lowerBound) * 100 / 3
            let low = Int(range.lowerBound * 100 + width)
            let drift = low...(low + max(Int(width), 1))
            floats[index] = DriftingValue(
                seed: seed &+ UInt64(index),
                start: drift.lowerBound,
                within: drift
            )
        }
    }

    package var nextActivity: MonotonicInstant? { nil }
    package mutating func advance(to now: MonotonicInstant) -> [UInt8] { [] }

    package mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] {
        cutter.cut(bytes).flatMap { answer($0) }
    }

    private mutating func answer(_ question: BusQuestion) -> [UInt8] {
        let check = dialect.check
        let counts = question.steps.map { check.contentCount(of: $0) }
        var content = content(question.number, count: counts.reduce(0, +))[...]
        let results = zip(question.steps, counts).map { step, count -> BusAnswer.Result in
            switch step {
            case .attribute: return .failed(22)
            case .write, .pause: return .bytes([], choice: 0)
            case .read:
                defer { content = content.dropFirst(count) }
                let bytes = check.checked(Array(content.prefix(count)), from: dialect.checkStart)
                return .bytes(bytes, choice: 0)
            }
        }
        return BusAnswer(results, number: question.number).bytes
    }

    /// What the part answers to a question, without checksums.
    private mutating func content(_ number: Int, count: Int) -> [UInt8] {
        var content: [UInt8] = []
        while content.count < count {
            // A serial number stays; values do not.
            let isSerial = number == I2CSensorDialect.Act.serial.rawValue
            let word = isSerial ? 0x5EED : raw.next()
            content += [UInt8(word >> 8 & 0xFF), UInt8(word & 0xFF)]
        }
        content = Array(content.prefix(count))
        guard number == I2CSensorDialect.Act.measure.rawValue else { return content }
        for (index, value) in dialect.values.enumerated() {
            guard let hundredths = floats[index]?.next() else { continue }
            value.field.put((Float(hundredths) / 100).bitPattern, into: &content)
        }
        for condition in dialect.conditions {
            condition.field.put(condition.value, into: &content)
        }
        return content
    }
}
