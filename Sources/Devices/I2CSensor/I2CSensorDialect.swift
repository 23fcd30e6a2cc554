import Core
import HardwareIO
import Profiles
import Runtime

/// Any part on I²C that no driver of the kernel has, as its profile describes it: what to write,
/// how long to wait, how many bytes to read, and where its values are in them.
///
/// - Source: the parts' data sheets; Sensirion's checksum is CRC-8 with the polynomial 0x31.
package struct I2CSensorDialect: SensorDialect {
    /// How bytes that were read are checked.
    enum Check: String, Hashable, Sendable, CaseIterable {
        /// Not at all.
        case none
        /// A CRC-8 after every two bytes.
        case words
        /// A CRC-8 as the last byte.
        case whole
    }

    /// One channel of the part.
    struct Value: Hashable, Sendable {
        let quantity: Quantity
        let field: I2CField
        let isSigned: Bool
        /// Four bytes that are a floating-point number, as IEEE 754 has it.
        let isFloat: Bool
        let scale: RationalScale
    }

    /// A command of the part, by the act that it is for; its number is that of the question.
    enum Act: Int, CaseIterable {
        case measure, start, rest, serial

        var key: String { "\(self)" }
    }

    static let valueLimit = 32
    /// Longest waits of the command that lets the part rest, ms: a stop waits for it.
    static let restPauseLimit = 500
    /// Longest waits of the commands that start the part and read its number, ms.
    static let commandPauseLimit = 5_000

    private let pace: BusPace
    let values: [Value]
    /// What a measurement must have so that it counts.
    let conditions: [I2CCondition]
    private let steps: [Act: [BusQuestion.Step]]
    let check: Check
    let checkStart: UInt8
    private var scanner = LineScanner(limit: BusAnswer.byteLimit, skipsFirst: false)
    private var serial: String?

    package var rhythm: SensorRhythm { pace.rhythm }
    package var quantities: [Quantity] { values.map(\.quantity) }
    package var missingByteCount: Int { 4 }

    /// Creates the dialect that the profile describes.
    ///
    /// - Throws: `DialectError` when the profile's settings make no sense.
    package init(_ profile: Profile) throws(DialectError) {
        let problems = ProblemList()
        guard var reader = ObjectReader(profile.settings, at: "settings", problems) else {
            throw DialectError(problems.problems)
        }
        pace = BusPace(&reader, profile)
        let known = Check.allCases.map(\.rawValue)
        check = reader.string("check", in: known).flatMap(Check.init) ?? .none
        checkStart = UInt8(reader.whole("checkStart", in: 0...255) ?? 255)
        var steps: [Act: [BusQuestion.Step]] = [:]
        for act in Act.allCases {
            let found = Self.steps(&reader, act.key)
            if !found.isEmpty { steps[act] = found }
        }
        for (act, all) in steps where act != .measure {
            let limit = act == .rest ? Self.restPauseLimit : Self.commandPauseLimit
            let pause = Self.pause(of: all)
            if pause > limit { reader.problem(act.key, "waits \(pause) ms, at most \(limit)") }
        }
        self.steps = steps
        let (check, measure) = (check, steps[.measure] ?? [])
        if !measure.contains(where: { if case .read = $0 { true } else { false } }) {
            reader.problem("measure", #"reads nothing: it needs a step such as "read 6""#)
        }
        if check == .words {
            for (act, all) in steps {
                for case .read(let count) in all where count % 3 != 0 {
                    reader.problem(act.key, "reads \(count) bytes: with words, three times as many")
                }
            }
        }
        let bitCount = 8 * measure.reduce(0) { $0 + check.contentCount(of: $1) }
        values = Self.values(&reader, profile.channels, bitCount: bitCount)
        conditions = I2CCondition.list(&reader, among: bitCount)
        for (index, value) in reader.array("addresses", limit: 8).enumerated() {
            // Where the part can be on its bus: for people, as the configuration names one.
            if case .string(let text) = value, BusPlace("/dev/i2c-0@\(text)") != nil { continue }
            reader.problem("addresses[\(index)]", #"expected an address such as "0x62""#)
        }
        reader.finish()
        guard problems.problems.isEmpty else { throw DialectError(problems.problems) }
    }

    private static func steps(_ reader: inout ObjectReader, _ key: String) -> [BusQuestion.Step] {
        reader.array(key, limit: 16).enumerated().compactMap { index, value in
            if case .string(let text) = value, let step = step(text) { return step }
            let example = #""write 2416", "wait 15" in milliseconds, or "read 6""#
            reader.problem("\(key)[\(index)]", "expected \(example), found \(value.shown)")
            return nil
        }
    }

    /// All waits of a command, in milliseconds.
    private static func pause(of steps: [BusQuestion.Step]) -> Int {
        steps.reduce(0) { sum, step in
            if case .pause(let milliseconds) = step { sum + milliseconds } else { sum }
        }
    }

    private static func step(_ text: String) -> BusQuestion.Step? {
        let parts = text.split(separator: " ")
        guard parts.count == 2 else { return nil }
        switch parts[0] {
        case "write":
            guard let bytes = Hexadecimal.bytes(String(parts[1])),
                (1...BusQuestion.writeLimit).contains(bytes.count)
            else { return nil }
            return .write(bytes)
        case "wait":
            return PlainDecimal.whole(parts[1].utf8, in: 1...BusQuestion.pauseLimit)
                .map { .pause(milliseconds: $0) }
        case "read":
            return PlainDecimal.whole(parts[1].utf8, in: 1...BusQuestion.readLimit)
                .map { .read(count: $0) }
        default: return nil
        }
    }

    private static func values(
        _ reader: inout ObjectReader,
        _ channels: [ChannelProfile],
        bitCount: Int
    ) -> [Value] {
        guard var object = reader.object("values") else {
            reader.problem("values", "is missing: say where each channel is in the bytes")
            return []
        }
        if channels.count > valueLimit {
            reader.problem("values", "expected at most \(valueLimit), found \(channels.count)")
        }
        let values = channels.prefix(valueLimit).compactMap { channel -> Value? in
            let name = channel.quantity.name
            guard var entry = object.object(name) else {
                object.problem(name, "is missing: the channel has no place in the bytes")
                return nil
            }
            defer { entry.finish() }
            let isFloat = entry.bool("float") ?? false
            return Value(
                quantity: channel.quantity,
                field: I2CField(&entry, count: isFloat ? 32 : nil, among: bitCount),
                isSigned: entry.bool("signed") ?? false,
                isFloat: isFloat,
                scale: RationalScale(&entry)
            )
        }
        object.finish()
        return values
    }

    package func doubtLimits(isLive: Bool) -> SensorDoubt.Limits {
        pace.doubtLimits(isLive: isLive)
    }

    // MARK: Answers

    package mutating func decode(_ bytes: Span<UInt8>, _ body: (SensorUtterance) -> Void) {
        var serial = serial
        let known = self
        scanner.scan(bytes) { line in
            guard let line, let answer = BusAnswer(line), let act = Act(rawValue: answer.number),
                answer.results.count == known.steps[act]?.count
            else { return body(.rejected("not an answer of the bus")) }
            body(known.utterance(act, answer.results, &serial))
        }
        self.serial = serial
    }

    private func utterance(
        _ act: Act,
        _ results: [BusAnswer.Result],
        _ serial: inout String?
    ) -> SensorUtterance {
        var content: [UInt8] = []
        for result in results {
            guard case .bytes(let bytes, _) = result else {
                return .rejected("\(act.key) \(BusFault.text(result))")
            }
            guard !bytes.isEmpty else { continue }
            guard let checked = check.content(of: bytes, from: checkStart) else {
                return .rejected("\(act.key): a checksum is wrong")
            }
            content += checked
        }
        switch act {
        case .start, .rest: return .reply(act.key, id: serial, facts: [])
        case .serial:
            guard content.contains(where: { $0 != 0 }) else { return .rejected("no serial number") }
            serial = Hexadecimal.text(content)
            return .reply(act.key, id: serial, facts: [])
        case .measure: return measurement(content, serial)
        }
    }

    private func measurement(_ content: [UInt8], _ serial: String?) -> SensorUtterance {
        for condition in conditions where condition.field.value(in: content) != condition.value {
            return .rejected("\(Act.measure.key): \(condition.flaw)")
        }
        var outcomes: [Outcome] = []
        for value in values {
            guard let raw = value.field.value(in: content) else {
                return .rejected("too few bytes")
            }
            guard let number = Self.number(raw, value),
                let fixed = value.scale.apply(number, decimals: value.quantity.decimals)
            else { return .rejected("\(value.quantity.name) is no number") }
            outcomes.append(.value(fixed))
        }
        return .measurement(outcomes, id: serial)
    }

    private static func number(_ raw: UInt32, _ value: Value) -> ExactDecimal? {
        guard !value.isFloat else {
            // Nine digits after the point: more than a float of four bytes has.
            let scaled = (Double(Float(bitPattern: raw)) * 1e9).rounded(.toNearestOrEven)
            guard scaled.isFinite, abs(scaled) < 9e18 else { return nil }
            return ExactDecimal(digits: Int128(Int64(scaled)), places: 9)
        }
        let limit = Int64(1) << Int64(value.field.count)
        let isNegative = value.isSigned && Int64(raw) >= limit / 2
        return ExactDecimal(digits: Int128(isNegative ? Int64(raw) - limit : Int64(raw)), places: 0)
    }

    /// Each answer has a checksum, so the first one after a loss counts.
    package mutating func loseInput(isCut: Bool) { scanner.restart(skipsFirst: false) }

    // MARK: Questions

    private func command(_ name: String, _ act: Act, isReadOnly: Bool = false) -> [SensorCommand] {
        guard let steps = steps[act] else { return [] }
        return [
            SensorCommand(
                name,
                BusQuestion(steps, number: act.rawValue).bytes,
                reply: act == .measure ? nil : act.key,
                isReadOnly: isReadOnly,
                patience: patience(of: act)
            )
        ]
    }

    /// A stop waits for the rest, twice at most, and has two seconds for that.
    private func patience(of act: Act) -> Duration {
        let usual = SensorCommand.usualPatience
        switch act {
        case .measure: return pace.patience
        case .start, .serial: return usual + .milliseconds(Self.pause(of: steps[act] ?? []))
        case .rest: return usual
        }
    }

    package func commands(for act: SensorAct) -> [SensorCommand] {
        switch act {
        case .wake: command("start measuring", .start)
        case .measure: command("measure", .measure)
        case .rest: command("rest", .rest)
        }
    }

    package var questions: [SensorCommand] {
        command("read serial number", .serial, isReadOnly: true)
    }
}

extension I2CSensorDialect.Check {
    /// How many bytes of content a step gives.
    func contentCount(of step: BusQuestion.Step) -> Int {
        guard case .read(let count) = step else { return 0 }
        switch self {
        case .none: return count
        case .words: return count / 3 * 2
        case .whole: return max(count - 1, 0)
        }
    }

    /// The bytes without their checksums; nil when one is wrong.
    func content(of bytes: [UInt8], from start: UInt8) -> [UInt8]? {
        switch self {
        case .none: return bytes
        case .whole:
            let content = Array(bytes.dropLast())
            return Self.crc(content, from: start) == bytes.last ? content : nil
        case .words:
            guard bytes.count % 3 == 0 else { return nil }
            var content: [UInt8] = []
            for index in stride(from: 0, to: bytes.count, by: 3) {
                let word = Array(bytes[index..<(index + 2)])
                guard Self.crc(word, from: start) == bytes[index + 2] else { return nil }
                content += word
            }
            return content
        }
    }

    /// The bytes with their checksums, as a part sends them.
    func checked(_ content: [UInt8], from start: UInt8) -> [UInt8] {
        switch self {
        case .none: content
        case .whole: content + [Self.crc(content, from: start)]
        case .words:
            stride(from: 0, to: content.count, by: 2).flatMap { index in
                let word = Array(content[index..<(index + 2)])
                return word + [Self.crc(word, from: start)]
            }
        }
    }

    /// CRC-8 with the polynomial 0x31, as Sensirion and others use it: `BE EF` from 0xFF is `92`.
    static func crc(_ bytes: [UInt8], from start: UInt8) -> UInt8 {
        bytes.reduce(start) { sum, byte in
            (0..<8).reduce(sum ^ byte) { sum, _ in
                sum & 0x80 == 0 ? sum << 1 : sum << 1 ^ 0x31
            }
        }
    }
}
