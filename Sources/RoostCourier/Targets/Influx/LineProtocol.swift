import Core

/// Writer of samples in InfluxDB's line protocol.
///
/// `roost,device=dust,station=balcony pm10=20.5,pm25=12.3 1763785800000`: tags and fields sorted by
/// name, values always as floating point numbers, time in milliseconds, `\n` after each line. A
/// quantity without a value has no field.
///
/// - Source: InfluxData, *Line protocol reference* (v1 and v2 agree).
struct LineProtocol: Hashable, Sendable {
    let measurement: String
    /// Tags besides `device`; one without a value is left out, as the protocol requires.
    let tags: [String: String]
    /// Whether doubts about values are written, as the text field `q`.
    let hasFlags: Bool

    init(measurement: String = "roost", tags: [String: String], hasFlags: Bool = false) {
        (self.measurement, self.tags, self.hasFlags) = (measurement, tags, hasFlags)
    }

    /// Makes the line of a sample with its newline; nil without a value or a date.
    ///
    /// - Parameters:
    ///   - refused: Quantities that have no field.
    /// - Returns: The line.
    func line(_ sample: OutboxSample, without refused: Set<String> = []) -> String? {
        guard let time = sample.time else { return nil }
        var fields: [(name: String, value: String)] = []
        var flags = Quality()
        for (quantity, outcome) in zip(sample.quantities, sample.outcomes)
        where !refused.contains(quantity.name) {
            if outcome == .noData(.outOfRange) { flags.insert(.outOfRange) }
            guard case .value(let value, let quality) = outcome else { continue }
            fields.append((Self.key(quantity.name), value.description))
            flags.formUnion(quality)
        }
        guard !fields.isEmpty else { return nil }
        if hasFlags, !flags.isEmpty {
            fields.append(("q", Self.text(flags.names.joined(separator: ","))))
        }
        fields.sort { $0.name < $1.name }
        var tags = tags.filter { !$0.value.isEmpty }
        tags["device"] = sample.device
        let tagged = tags.sorted { $0.key < $1.key }
            .map { ",\(Self.key($0.key))=\(Self.key($0.value))" }
        let fielded = fields.map { "\($0.name)=\($0.value)" }
        let head = Self.name(measurement) + tagged.joined()
        let values = fielded.joined(separator: ",")
        return "\(head) \(values) \(time.nanoseconds / 1_000_000)\n"
    }

    /// Escapes a measurement's name: comma and space.
    private static func name(_ text: String) -> String { escaped(text, marks: ", ") }

    /// Escapes a tag's name or value, or a field's name: comma, equals sign and space.
    private static func key(_ text: String) -> String { escaped(text, marks: ",= ") }

    /// Quotes a text field: quote and backslash are escaped.
    private static func text(_ text: String) -> String {
        "\"" + text.map { "\"\\".contains($0) ? "\\\($0)" : "\($0)" }.joined() + "\""
    }

    /// Replaces line ends by spaces and backslashes by slashes.
    ///
    /// Outside of text fields the protocol has no way to write either.
    private static func escaped(_ text: String, marks: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            let mapped: Character =
                scalar.value < 0x20 ? " " : scalar == "\\" ? "/" : Character(scalar)
            escaped += marks.contains(mapped) ? "\\\(mapped)" : "\(mapped)"
        }
        return escaped
    }
}
