import Core
import Profiles

/// Spoils profiles; the same seed spoils in the same way.
struct ProfileMutator {
    private var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    private mutating func pick(_ count: Int) -> Int { Int(random.next() % UInt64(max(1, count))) }

    /// A value with one to three places changed.
    mutating func mutate(_ value: JSONValue) -> JSONValue {
        var value = value
        for _ in 0...pick(3) { value = change(value) }
        return value
    }

    /// A text with one to four of its bytes changed, doubled or lost.
    mutating func mutate(_ text: [UInt8]) -> [UInt8] {
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

    private mutating func change(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(var fields) where !fields.isEmpty:
            let keys = fields.keys.sorted()
            let key = keys[pick(keys.count)]
            switch pick(8) {
            case 0: fields[key] = nil
            case 1:
                fields["\(key)s"] = fields[key]
                fields[key] = nil
            case 2: fields[Self.keys[pick(Self.keys.count)]] = other()
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
        default: return other()
        }
    }

    private mutating func other() -> JSONValue { Self.others[pick(Self.others.count)] }

    private static let keys = [
        "kind", "board", "match", "probe", "duty", "rule", "graph", "settings", "channels",
        "header",
        "driver", "$schema", "41", "7",
    ]

    private static let others: [JSONValue] = [
        .null, .bool(true), .number(0), .number(1), .number(-1), .number(0.5), .number(9),
        .number(10), .number(1e9), .number(1e9 + 1), .number(-1e300), .number(9_600),
        .number(86_400), .number(3_600.5), .string(""), .string("x"), .string("1a86"),
        .string("1A86"), .string("usb-serial"), .string("gpio"), .string("http"), .string("board"),
        .string("pir"), .string("sds011"), .string("µg/m³"), .string("bar"), .string("/dev/ttyS0"),
        .string("-a"), .string("a\nb"), .string("\u{301}"),
        .string(String(repeating: "ä", count: 81)),
        .string(String(repeating: "z", count: 5_000)), .array([]), .array([.number(9_600)]),
        .array([.number(1), .number(0)]), .object([:]), .object(["group": .string("x")]),
    ]
}
