import HardwareIO

/// Reads the keys of one JSON object, checks each, and reports unknown keys.
package struct ObjectReader {
    package let place: String
    private let fields: [String: JSONValue]
    private let problems: ProblemList
    private var known: Set<String> = []
    private var isStrict = true

    /// A reader of `value`, or nil with a problem noted when it is not an object.
    package init?(_ value: JSONValue, at place: String, _ problems: ProblemList) {
        guard case .object(let fields) = value else {
            problems.add(place, "expected an object, found \(value.shown)")
            return nil
        }
        (self.fields, self.place, self.problems) = (fields, place, problems)
    }

    package func path(_ key: String) -> String { place.isEmpty ? key : "\(place).\(key)" }

    package func problem(_ key: String, _ message: String, meant suggestion: String? = nil) {
        problems.add(path(key), message, meant: suggestion)
    }

    package mutating func value(_ key: String) -> JSONValue? {
        known.insert(key)
        guard let value = fields[key], value != .null else { return nil }
        return value
    }

    /// Records a key that is asked for; does nothing while an object is read.
    package func record(
        _ key: String,
        _ kind: FieldRecorder.Field.Kind,
        _ fill: (inout FieldRecorder.Field) -> Void = { _ in }
    ) {
        guard let recorder = problems.recorder else { return }
        var field = FieldRecorder.Field(path(key), kind)
        fill(&field)
        recorder.record(field)
    }

    /// Records what counts where keys asked for before are left out, as it would stand there.
    package func record(usual: [String: String]) {
        for (key, text) in usual { problems.recorder?.set(usual: text, of: path(key)) }
    }

    /// Records that keys asked for before mean nothing in this object.
    package func leaveOut(_ keys: Set<String>) { problems.recorder?.leaveOut(keys) }

    /// Adds a problem of the object as a whole.
    package func problems(_ message: String) { problems.add(place, message) }

    /// Whether the object has the key; unlike `value`, this does not make it a known one.
    package func has(_ key: String) -> Bool { fields[key] != nil }

    package mutating func string(_ key: String, in allowed: [String]? = nil) -> String? {
        record(key, .text) { $0.choices = allowed ?? [] }
        guard let value = value(key) else { return nil }
        guard case .string(let text) = value else {
            problem(key, "expected a text, found \(value.shown)")
            return nil
        }
        if let allowed, !allowed.contains(text) {
            problem(
                key,
                "expected one of \(allowed.joined(separator: ", ")), found \(value.shown)",
                meant: Spelling.nearest(to: text, among: allowed)
            )
            return nil
        }
        guard !text.isEmpty, text.utf8.count <= 4_096 else {
            problem(key, "expected 1 to 4096 bytes of text")
            return nil
        }
        return text
    }

    /// An absolute path: its meaning must not depend on the working directory.
    package mutating func absolutePath(_ key: String, limit: Int = 4_096) -> String? {
        guard let path = string(key) else { return nil }
        guard path.hasPrefix("/"), path.utf8.count <= limit, !path.utf8.contains(0) else {
            problem(key, "expected an absolute path of at most \(limit) bytes, found \"\(path)\"")
            return nil
        }
        return path
    }

    /// A line by name (`"GPIO17"`) or by offset (`17`).
    package mutating func line(_ key: String) -> LineRequest.Line? {
        guard let found = value(key) else { return nil }
        switch found {
        case .string(let name) where !name.isEmpty: return .name(name)
        case .number(let offset) where offset == offset.rounded() && (0...1_023).contains(offset):
            return .offset(Int(offset))
        default:
            problem(key, "expected a line's name or its offset 0…1023, found \(found.shown)")
            return nil
        }
    }

    package mutating func required(_ key: String) -> String? {
        record(key, .text)
        let isPresent = value(key) != nil
        if !isPresent { problem(key, "is missing") }
        return string(key)
    }

    package mutating func bool(_ key: String) -> Bool? {
        record(key, .flag)
        guard let value = value(key) else { return nil }
        if case .bool(let flag) = value { return flag }
        problem(key, "expected true or false, found \(value.shown)")
        return nil
    }

    package mutating func number(_ key: String, in range: ClosedRange<Double>) -> Double? {
        record(key, .number) { $0.bounds = range }
        guard let value = value(key) else { return nil }
        guard case .number(let number) = value, range.contains(number) else {
            let (low, high) = (
                JSONValue.number(range.lowerBound), JSONValue.number(range.upperBound)
            )
            problem(key, "expected a number \(low.shown)…\(high.shown), found \(value.shown)")
            return nil
        }
        return number
    }

    package mutating func whole(_ key: String, in range: ClosedRange<Int>) -> Int? {
        let limits = Double(range.lowerBound)...Double(range.upperBound)
        record(key, .number) { ($0.bounds, $0.isWhole) = (limits, true) }
        guard let number = number(key, in: limits) else { return nil }
        guard let whole = Int(exactly: number) else {
            problem(key, "expected a whole number, found \(JSONValue.number(number).shown)")
            return nil
        }
        return whole
    }

    package mutating func seconds(_ key: String, in range: ClosedRange<Double>) -> Duration? {
        number(key, in: range).map { .milliseconds(Int64(($0 * 1_000).rounded())) }
    }

    package mutating func object(_ key: String) -> ObjectReader? {
        record(key, .object)
        // What is within is recorded, too.
        let absent: JSONValue? = problems.recorder == nil ? nil : .object([:])
        return (value(key) ?? absent).flatMap { ObjectReader($0, at: path(key), problems) }
    }

    /// Objects in an array.
    package mutating func objects(_ key: String, limit: Int) -> [ObjectReader] {
        array(key, limit: limit).enumerated().compactMap { index, value in
            ObjectReader(value, at: path("\(key)[\(index)]"), problems)
        }
    }

    package mutating func array(_ key: String, limit: Int) -> [JSONValue] {
        record(key, .list)
        guard let value = value(key) else { return [] }
        guard case .array(let values) = value else {
            problem(key, "expected an array, found \(value.shown)")
            return []
        }
        guard values.count <= limit else {
            problem(key, "expected at most \(limit) entries, found \(values.count)")
            return []
        }
        return values
    }

    /// Accepts every other key unread.
    package mutating func ignoreTheRest() { isStrict = false }

    /// Adds a problem for each key that was never read, with the nearest known key.
    package func finish() {
        for key in fields.keys.sorted() where isStrict && !known.contains(key) {
            let nearest = Spelling.nearest(to: key, among: known)
            let all = ", known are \(known.sorted().joined(separator: ", "))"
            problem(key, "unknown key" + (nearest == nil ? all : ""), meant: nearest)
        }
    }
}
