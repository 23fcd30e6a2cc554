import Core
import HardwareIO
import Profiles
import Runtime

/// Any sensor that a driver of Linux shows as files: IIO, hwmon, 1-wire.
///
/// One attribute holds one value: as `NAME_input` or `NAME` whole, or as `NAME_raw`, to which
/// `NAME_offset` is added before it is multiplied by `NAME_scale`. The profile multiplies that by
/// its own scale, since IIO gives thousandths of a degree and kilopascals. All of it is exact.
///
/// - Source: Linux, Documentation/ABI/testing/sysfs-bus-iio; Documentation/hwmon/sysfs-interface.
package struct KernelSensorDialect: SensorDialect {
    /// One channel of the part.
    private struct Value: Hashable, Sendable {
        let quantity: Quantity
        /// Name of the attribute without its ending.
        let attribute: String
        let scale: RationalScale
        /// What the file says when there is no value, such as the value after power-on.
        let absent: Set<String>
    }

    /// Steps of one value in a question.
    private static let stepsEach = 3
    /// Values of one part.
    static let valueLimit = BusQuestion.stepLimit / stepsEach

    private let pace: BusPace
    private let values: [Value]
    private var scanner = LineScanner(limit: BusAnswer.byteLimit, skipsFirst: false)

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
        values = Self.values(&reader, profile.channels)
        if Self.question(values).bytes.count >= BusQuestion.byteLimit {
            reader.problem("values", "their names are too long for one question")
        }
        reader.finish()
        guard problems.problems.isEmpty else { throw DialectError(problems.problems) }
    }

    private static func values(
        _ reader: inout ObjectReader,
        _ channels: [ChannelProfile]
    ) -> [Value] {
        guard var object = reader.object("values") else {
            reader.problem("values", "is missing: name the attribute of each channel")
            return []
        }
        if channels.count > valueLimit {
            reader.problem("values", "expected at most \(valueLimit), found \(channels.count)")
            return []
        }
        let values = channels.compactMap { channel -> Value? in
            let name = channel.quantity.name
            guard var entry = object.object(name) else {
                object.problem(name, "is missing: the channel has no attribute")
                return nil
            }
            defer { entry.finish() }
            let scale = RationalScale(&entry)
            let absent = entry.array("absent", limit: 8).compactMap { value in
                if case .string(let text) = value { text } else { nil }
            }
            guard let attribute = entry.required("attribute") else { return nil }
            guard BusQuestion.isAttribute(attribute), attribute.utf8.count <= 48 else {
                entry.problem("attribute", #"expected a name such as "in_temp""#)
                return nil
            }
            return Value(
                quantity: channel.quantity,
                attribute: attribute,
                scale: scale,
                absent: Set(absent)
            )
        }
        object.finish()
        return values
    }

    package func doubtLimits(isLive: Bool) -> SensorDoubt.Limits {
        pace.doubtLimits(isLive: isLive)
    }

    package mutating func decode(_ bytes: Span<UInt8>, _ body: (SensorUtterance) -> Void) {
        let (values, shown) = (values, self)
        scanner.scan(bytes) { line in
            guard let line, let answer = BusAnswer(line),
                answer.results.count == values.count * Self.stepsEach
            else { return body(.rejected("not an answer of the bus")) }
            body(shown.utterance(answer.results))
        }
    }

    /// A measurement, unless no value could be read at all.
    private func utterance(_ results: [BusAnswer.Result]) -> SensorUtterance {
        var (outcomes, flaws): ([Outcome], [String]) = ([], [])
        for (index, value) in values.enumerated() {
            let start = index * Self.stepsEach
            switch Self.read(value, Array(results[start..<(start + Self.stepsEach)])) {
            case .success(let outcome): outcomes.append(outcome)
            case .failure(let flaw):
                flaws.append("\(value.attribute) \(flaw.words)")
                outcomes.append(.noData(.badFrames))
            }
        }
        guard flaws.count < values.count else { return .rejected(flaws[0]) }
        guard !outcomes.allSatisfy({ $0 == .noData(.warmingUp) }) else {
            return .rejected("\(values[0].attribute) says what it says after power-on")
        }
        return .measurement(outcomes, id: nil)
    }

    private static func read(
        _ value: Value,
        _ results: [BusAnswer.Result]
    ) -> Result<Outcome, LineFlaw> {
        guard case .bytes(let bytes, let choice) = results[0] else {
            return .failure(LineFlaw(BusFault.text(results[0])))
        }
        let text = BusFault.trimmed(bytes)
        if value.absent.contains(String(decoding: text, as: UTF8.self)) {
            return .success(.noData(.warmingUp))
        }
        guard var number = ExactDecimal(text) else {
            return .failure(LineFlaw("says \(BusFault.shown(text)), which is no number"))
        }
        if choice == 1 {
            // Without an offset nothing is added; without a scale nothing is multiplied.
            guard let offset = constant(results[1], or: .zero),
                let scale = constant(results[2], or: ExactDecimal(digits: 1, places: 0)),
                let scaled = number.plus(offset)?.times(scale)
            else { return .failure(LineFlaw("has an offset or a scale that is no number")) }
            number = scaled
        }
        guard let fixed = value.scale.apply(number, decimals: value.quantity.decimals) else {
            return .failure(LineFlaw("says \(BusFault.shown(text)), which is too large"))
        }
        return .success(.value(fixed))
    }

    private static func constant(
        _ result: BusAnswer.Result,
        or usual: ExactDecimal
    ) -> ExactDecimal? {
        switch result {
        case .bytes(let bytes, _): ExactDecimal(BusFault.trimmed(bytes))
        case .failed(BusFault.noSuchFile): usual
        case .failed, .skipped: nil
        }
    }

    /// Each answer has a checksum, so the first one after a loss counts.
    package mutating func loseInput(isCut: Bool) { scanner.restart(skipsFirst: false) }

    /// Three steps for each value: the value, its offset, its scale.
    private static func question(_ values: [Value]) -> BusQuestion {
        let steps = values.flatMap { value -> [BusQuestion.Step] in
            let name = value.attribute
            // Channels of one type may share them: `in_voltage0_raw` has `in_voltage_scale`.
            let type = String(name.reversed().drop { $0.isNumber }.reversed())
            let names = type == name ? [name] : [name, type]
            return [
                .attribute(["\(name)_input", "\(name)_raw", name]),
                .attribute(names.map { "\($0)_offset" }), .attribute(names.map { "\($0)_scale" }),
            ]
        }
        return BusQuestion(steps)
    }

    package func commands(for act: SensorAct) -> [SensorCommand] {
        guard act == .measure else { return [] }
        return [
            SensorCommand(
                "read attributes",
                Self.question(values).bytes,
                isReadOnly: true,
                patience: pace.patience
            )
        ]
    }

    /// None: the kernel's driver has proved what it is.
    package var questions: [SensorCommand] { [] }
}
