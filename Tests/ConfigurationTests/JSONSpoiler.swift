import Core
import Profiles

/// Spoils configurations; the same seed spoils in the same way.
struct JSONSpoiler {
    private var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    private mutating func pick(_ count: Int) -> Int { Int(random.next() % UInt64(max(1, count))) }

    /// A text with one to four of its bytes changed, doubled or lost.
    mutating func spoil(_ text: [UInt8]) -> [UInt8] {
        var text = text
        for _ in 0...pick(4) where !text.isEmpty {
            let place = pick(text.count)
            switch pick(4) {
            case 0: text[place] = UInt8(truncatingIfNeeded: random.next())
            case 1: text.remove(at: place)
            case 2: text.insert(text[place], at: place)
            default: text.removeSubrange(place..<min(text.count, place + pick(40)))
            }
        }
        return text
    }

    /// A value with one to three places changed.
    mutating func spoil(_ value: JSONValue) -> JSONValue {
        var value = value
        for _ in 0...pick(3) { value = change(value) }
        return value
    }

    private mutating func change(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(var fields) where !fields.isEmpty:
            let key = fields.keys.sorted()[pick(fields.count)]
            switch pick(8) {
            case 0: fields[key] = nil
            case 1:
                fields["\(key)s"] = fields[key]
                fields[key] = nil
            default: fields[key] = fields[key].map { change($0) }
            }
            return .object(fields)
        case .array(var values) where !values.isEmpty:
            let place = pick(values.count)
            switch pick(6) {
            case 0: values.remove(at: place)
            case 1: values.append(values[place])
            case 2: values = Array(repeating: values[place], count: pick(80))
            default: values[place] = change(values[place])
            }
            return .array(values)
        default: return Self.others[pick(Self.others.count)]
        }
    }

    private static let others: [JSONValue] = [
        .null, .bool(true), .number(0), .number(1), .number(-1), .number(0.5), .number(9),
        .number(1e9), .number(-1e300), .number(600), .number(86_400), .number(3_600.5),
        .string(""), .string("x"), .string("*"), .string("*/*"), .string("a/b/c"), .string("eaqi"),
        .string("poor"), .string("good"), .string("motion"), .string("\u{301}"),
        .string("warning"), .string("station"), .string(String(repeating: "ä", count: 201)),
        .array([]), .array([.string("humid")]), .object([:]), .object(["atLeast": .number(3)]),
    ]
}
