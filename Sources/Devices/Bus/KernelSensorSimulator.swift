import Core
import HardwareIO
import Profiles

/// A sensor that a driver of the kernel shows, as a pure value: files with values that drift.
package struct KernelSensorSimulator: SerialPeer {
    /// A fault of the part.
    package enum Fault: Hashable, Sendable {
        /// Each so many-th reading fails with an error number: a DHT22's tenth, `5`.
        case failing(each: Int, code: Int32)
        /// Each reading fails.
        case failed(code: Int32)
        /// The file says this.
        case text(String)
        /// No reading comes back.
        case hanging
    }

    private struct Attribute: Sendable {
        let name: String
        var value: DriftingValue
    }

    package var fault: Fault?
    private var attributes: [Attribute]
    private var input: [UInt8] = []
    private var questionCount = 0

    /// - Throws: `DialectError` when the profile's settings make no sense.
    package init(_ profile: Profile, seed: UInt64) throws(DialectError) {
        _ = try KernelSensorDialect(profile)
        var names: [(String, ChannelProfile)] = []
        profile.readSettings { reader in
            guard var values = reader.object("values") else { return }
            for channel in profile.channels {
                guard var entry = values.object(channel.quantity.name),
                    let name = entry.string("attribute")
                else { continue }
                names.append((name, channel))
            }
        }
        attributes = names.enumerated().map { index, named in
            let range = Self.raw(named.1)
            let middle = (range.lowerBound + range.upperBound) / 2
            return Attribute(
                name: named.0,
                value: DriftingValue(seed: seed &+ UInt64(index), start: middle, within: range)
            )
        }
    }

    /// Raw values around the middle of what a channel can be, in thousandths.
    private static func raw(_ channel: ChannelProfile) -> ClosedRange<Int> {
        switch channel.quantity.name {
        case "temperature": 15_000...25_000
        case "humidity": 35_000...65_000
        case "pressure": 98...103
        default: 100...900
        }
    }

    package var nextActivity: MonotonicInstant? { nil }
    package mutating func advance(to now: MonotonicInstant) -> [UInt8] { [] }

    package mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] {
        input += bytes
        var answers: [UInt8] = []
        while let end = input.firstIndex(of: UInt8(ascii: "\n")) {
            let line = Array(input[..<end])
            input.removeSubrange(...end)
            guard fault != .hanging, let question = BusQuestion(line) else { continue }
            questionCount += 1
            let results = question.steps.map { answer($0) }
            answers += BusAnswer(results, number: question.number).bytes
        }
        if input.count > BusQuestion.byteLimit { input.removeAll() }
        return answers
    }

    private mutating func answer(_ step: BusQuestion.Step) -> BusAnswer.Result {
        guard case .attribute(let names) = step else { return .failed(22) }
        for (choice, name) in names.enumerated() {
            guard let index = attributes.firstIndex(where: { "\($0.name)_input" == name }) else {
                continue
            }
            switch fault {
            case .failed(let code): return .failed(code)
            case .failing(let each, let code) where questionCount % each == 0: return .failed(code)
            case .text(let text): return .bytes(Array(text.utf8), choice: choice)
            default: break
            }
            let value = attributes[index].value.next()
            return .bytes(Array("\(value)\n".utf8), choice: choice)
        }
        return .failed(BusFault.noSuchFile)
    }
}
