import Core
import HardwareIO
import Profiles

/// Format of the lines of a simple instrument, as its profile describes it: `a;b;c;…`.
///
/// A line is taken whole or not at all: the number of fields must be right and each of them a plain
/// decimal, or one of the words that stand for no value.
package struct LineFormat: Hashable, Sendable {
    /// Bytes of the longest line.
    static let lineLimit = 512
    /// Fields of one line.
    static let fieldLimit = 64
    /// Bytes of what every line begins with.
    static let prefixLimit = 64
    /// Bytes of the question for a line.
    static let queryLimit = 256
    /// Seconds between two questions to a device on the network.
    package static let askedInterval = 1.0...3_600.0

    /// One field of the line.
    struct Field: Hashable, Sendable {
        /// Quantity that the field holds; nil when the field is ignored.
        let quantity: Quantity?
        /// Values outside make the whole line unbelievable: without a checksum this is the check.
        let limits: ClosedRange<Double>?
    }

    let delimiter: UInt8
    /// Bytes that every line begins with; empty for none.
    let prefix: [UInt8]
    let fields: [Field]
    /// Words for *no value*: `nan`, `--`.
    let absent: Set<String>
    /// Sent to get a line; nil when lines come by themselves.
    let query: [UInt8]?
    /// Time from one line to the next; over HTTP from one request to the next.
    package let interval: Duration
    /// Lines that come together; nil when each comes when it is measured.
    let burst: SensorBurst?
    /// Whether the last two characters after `*` are the exclusive or of what is before.
    let isChecked: Bool
    /// Channels of the profile, with units and ranges of the values.
    let channels: [ChannelProfile]

    package var quantities: [Quantity] { fields.compactMap(\.quantity) }

    /// Reads the driver's settings of a profile.
    ///
    /// - Parameter profile: Its `settings` name delimiter and fields, its `channels` what they are.
    /// - Throws: `DialectError` with every problem.
    package init(_ profile: Profile) throws(DialectError) {
        let problems = ProblemList()
        guard var reader = ObjectReader(profile.settings, at: "settings", problems) else {
            throw DialectError(problems.problems)
        }
        let delimiter = reader.string("delimiter") ?? ";"
        if delimiter.utf8.count != 1 || Self.isUnusable(delimiter) {
            reader.problem("delimiter", "expected one character that is in no number")
        }
        self.delimiter = delimiter.utf8.first ?? UInt8(ascii: ";")
        prefix = Self.bytes(&reader, "prefix", limit: Self.prefixLimit)
        if prefix.contains(where: { $0 == 0x0A || $0 == 0x0D }) {
            reader.problem("prefix", "holds the end of a line, so no line could begin with it")
        }
        // Over HTTP the request is the query.
        let isAsked = profile.kind == .http
        let question = isAsked ? [] : Self.bytes(&reader, "query", limit: Self.queryLimit)
        query = question.isEmpty ? nil : question
        isChecked = reader.bool("checksum") ?? false
        let range = isAsked ? Self.askedInterval : 0.1...3_600
        interval = reader.seconds("intervalSeconds", in: range) ?? .seconds(isAsked ? 5 : 1)
        burst = Self.burst(&reader, isStream: !isAsked && query == nil)
        let words = reader.array("absent", limit: 16)
        absent = Set(words.compactMap { if case .string(let word) = $0 { word } else { nil } })
        if absent.count != words.count {
            reader.problem("absent", "expected an array of different texts")
        }
        channels = profile.channels
        fields = Self.fields(&reader, profile.channels)
        reader.finish()
        guard problems.problems.isEmpty else { throw DialectError(problems.problems) }
    }

    private static func burst(_ reader: inout ObjectReader, isStream: Bool) -> SensorBurst? {
        let count = reader.number("burstCount", in: 1...60).map { Int($0) }
        let delay = reader.seconds("pushDelaySeconds", in: 0...600)
        if !isStream, count != nil || delay != nil {
            reader.problem("burstCount", "lines that are asked for come one at a time")
        }
        // One line with a delay is a burst, too.
        guard count != nil || delay != nil else { return nil }
        return SensorBurst(count: count ?? 1, delay: delay ?? .zero)
    }

    private static func fields(
        _ reader: inout ObjectReader,
        _ channels: [ChannelProfile]
    ) -> [Field] {
        let names = reader.array("fields", limit: fieldLimit)
        switch reader.value("fields") {
        case nil: reader.problem("fields", "is missing: name the line's fields in order")
        case .array(let all)? where all.isEmpty: reader.problem("fields", "names no field")
        default: break
        }
        var used: Set<String> = []
        let fields = names.enumerated().map { index, value in
            guard case .string(let name) = value else {
                // A place that is not kept.
                if value != .null {
                    reader.problem("fields[\(index)]", "expected a channel's name or null")
                }
                return Field(quantity: nil, limits: nil)
            }
            guard let channel = channels.first(where: { $0.quantity.name == name }) else {
                let known = channels.map(\.quantity.name).joined(separator: ", ")
                reader.problem(
                    "fields[\(index)]",
                    "no channel is named \(name); there are \(known)"
                )
                return Field(quantity: nil, limits: nil)
            }
            if !used.insert(name).inserted {
                reader.problem("fields[\(index)]", "\(name) is another field already")
            }
            return Field(quantity: channel.quantity, limits: channel.range)
        }
        for channel in channels where !used.contains(channel.quantity.name) && !names.isEmpty {
            reader.problem("fields", "the channel \(channel.quantity.name) is in no field")
        }
        return fields
    }

    private static func bytes(_ reader: inout ObjectReader, _ key: String, limit: Int) -> [UInt8] {
        let bytes = Array((reader.string(key) ?? "").utf8)
        guard bytes.count > limit else { return bytes }
        reader.problem(key, "expected at most \(limit) bytes, found \(bytes.count)")
        return []
    }

    private static func isUnusable(_ delimiter: String) -> Bool {
        delimiter.utf8.contains { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || [UInt8(ascii: "."), UInt8(ascii: "-"), 0x0A, 0x0D, 0].contains(byte)
        }
    }

    /// Reads one line, its end left out.
    ///
    /// - Parameter line: Bytes of the line.
    /// - Returns: An outcome for each quantity, or why the line is not to be believed.
    package func read(_ line: ArraySlice<UInt8>) -> Result<[Outcome], LineFlaw> {
        guard line.starts(with: prefix) else { return .failure(LineFlaw("another beginning")) }
        var content = line.dropFirst(prefix.count)
        if isChecked {
            guard let checked = Self.checked(line) else { return .failure(LineFlaw("checksum")) }
            content = checked.dropFirst(prefix.count)
        }
        let texts = Devices.fields(of: content, at: delimiter)
        guard texts.count == fields.count else {
            return .failure(LineFlaw("\(fields.count) fields expected, found \(texts.count)"))
        }
        var outcomes: [Outcome] = []
        for (index, (text, field)) in zip(texts, fields).enumerated() {
            guard let quantity = field.quantity else { continue }
            switch outcome(Self.trimmed(text), quantity, field.limits) {
            case .success(let outcome): outcomes.append(outcome)
            case .failure(let flaw):
                let shown = PlainText.shown(String(decoding: text, as: UTF8.self))
                return .failure(
                    LineFlaw("field \(index + 1), \(quantity.name): \"\(shown)\" \(flaw.words)")
                )
            }
        }
        return .success(outcomes)
    }

    private func outcome(
        _ text: ArraySlice<UInt8>,
        _ quantity: Quantity,
        _ limits: ClosedRange<Double>?
    ) -> Result<Outcome, LineFlaw> {
        if absent.contains(String(decoding: text, as: UTF8.self)) {
            return .success(.noData(.notMeasured))
        }
        // As many digits as were sent: at the channel's own resolution where they fit it.
        guard let value = PlainDecimal.read(text, decimals: 9) else {
            return .failure(LineFlaw("is no plain number"))
        }
        if let limits, !limits.contains(value.doubleValue) {
            let (low, high) = (
                JSONValue.number(limits.lowerBound), JSONValue.number(limits.upperBound)
            )
            return .failure(LineFlaw("is not within \(low.shown)…\(high.shown)"))
        }
        guard let mantissa = value.mantissa(atDecimals: quantity.decimals) else {
            return .success(.value(value))
        }
        return .success(.value(FixedPoint(mantissa, decimals: quantity.decimals)))
    }

    /// The line before `*hh`, when the digits are right.
    private static func checked(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let star = line.lastIndex(of: UInt8(ascii: "*")) else { return nil }
        let digits = line[(star + 1)...]
        guard digits.count == 2, let sum = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
        else { return nil }
        let content = line[..<star]
        // As NMEA does: a `$` at the start is not in the sum.
        let summed = content.first == UInt8(ascii: "$") ? content.dropFirst() : content
        return summed.reduce(0, ^) == sum ? content : nil
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = text
        while text.first == 0x20 { text = text.dropFirst() }
        while text.last == 0x20 { text = text.dropLast() }
        return text
    }
}

/// Why a line is not to be believed.
package struct LineFlaw: Error, Hashable, Sendable {
    package let words: String

    init(_ words: String) { self.words = words }
}
