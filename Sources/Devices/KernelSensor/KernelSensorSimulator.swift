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
        let decimals: Int
        let scale: RationalScale
        /// In units of the channel's last digit.
        var value: DriftingValue

        /// What the file says: the value before scale and offset.
        mutating func next() -> String {
            let channel = Double(value.next()) * Self.unit(decimals)
            let offset = scale.offset.rounded(decimals: 9)?.doubleValue ?? 0
            let factor = scale.factor.rounded(decimals: 9)?.doubleValue ?? 1
            let raw = (channel - offset) * Double(scale.divisor) / factor
            return FixedPoint(Int64((raw * 1e9).rounded()), decimals: 9).description
        }

        static func unit(_ decimals: Int) -> Double {
            (0..<decimals).reduce(1.0) { unit, _ in unit / 10 }
        }
    }

    package var fault: Fault?
    private var attributes: [Attribute]
    private let ending: String
    private var cutter = BusQuestionCutter()
    private var questionCount = 0

    /// - Throws: `DialectError` when the profile's settings make no sense.
    package init(_ profile: Profile, seed: UInt64) throws(DialectError) {
        _ = try KernelSensorDialect(profile)
        var found: [Attribute] = []
        profile.readSettings { reader in
            guard var values = reader.object("values") else { return }
            for channel in profile.channels {
                guard var entry = values.object(channel.quantity.name),
                    let name = entry.string("attribute")
                else { continue }
                let range = Self.middle(of: channel)
                found.append(
                    Attribute(
                        name: name,
                        decimals: channel.quantity.decimals,
                        scale: RationalScale(&entry),
                        value: DriftingValue(
                            seed: seed &+ UInt64(found.count),
                            start: (range.lowerBound + range.upperBound) / 2,
                            within: range
                        )
                    )
                )
            }
        }
        attributes = found
        // A 1-wire part has its value in a file without an ending.
        ending = profile.sensorMatches.first?.subsystem == "w1" ? "" : "_input"
    }

    /// The middle of what a channel can be, in units of its last digit.
    private static func middle(of channel: ChannelProfile) -> ClosedRange<Int> {
        let unit = Attribute.unit(channel.quantity.decimals)
        let (low, high) = (channel.range.lowerBound / unit, channel.range.upperBound / unit)
        return Int((low * 2 + high) / 3)...Int((low + high * 2) / 3)
    }

    package var nextActivity: MonotonicInstant? { nil }
    package mutating func advance(to now: MonotonicInstant) -> [UInt8] { [] }

    package mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] {
        cutter.cut(bytes).flatMap { question -> [UInt8] in
            guard fault != .hanging else { return [] }
            questionCount += 1
            let results = question.steps.map { answer($0) }
            return BusAnswer(results, number: question.number).bytes
        }
    }

    private mutating func answer(_ step: BusQuestion.Step) -> BusAnswer.Result {
        guard case .attribute(let names) = step else { return .failed(22) }
        for (choice, name) in names.enumerated() {
            guard let index = attributes.firstIndex(where: { $0.name + ending == name }) else {
                continue
            }
            switch fault {
            case .failed(let code): return .failed(code)
            case .failing(let each, let code) where questionCount % each == 0: return .failed(code)
            case .text(let text): return .bytes(Array(text.utf8), choice: choice)
            default: break
            }
            return .bytes(Array("\(attributes[index].next())\n".utf8), choice: choice)
        }
        return .failed(BusFault.noSuchFile)
    }
}
