import Alerts
import Core
import HardwareIO
import Profiles

/// Reads `when` of a rule: one key, which is the kind.
struct AlertConditionReader {
    static let values = -1e6...1e6

    /// A condition as the file has it; its limits still lack the values that end it.
    enum Found {
        case value(limit: Double, isFloor: Bool)
        case mean(over: Int, limit: Double, isFloor: Bool)
        case index(AirIndex, band: String)
        case plain(AlertRule.Condition)

        var isOfChannels: Bool {
            if case .plain(let condition) = self { condition.isOfChannels } else { true }
        }

        var limits: Limits? {
            switch self {
            case .value(let limit, let isFloor), .mean(_, let limit, let isFloor):
                Limits(values: [limit], isFloor: isFloor)
            case .index(let index, let band):
                Limits(
                    values: index.scales.compactMap { index.start(of: band, for: $0.quantity) },
                    isFloor: false
                )
            case .plain: nil
            }
        }

        /// Name in the file.
        var kind: String {
            switch self {
            case .value: "value"
            case .mean: "mean"
            case .index: "index"
            case .plain(let condition): condition.kind
            }
        }
    }

    struct Limits {
        let values: [Double]
        let isFloor: Bool
    }

    static let kinds =
        [
            "value", "mean", "index", "rise", "unusual", "silent", "stuck", "flagged", "event",
            "laser",
        ]
        + AlertTopic.allCases.map(\.rawValue)

    private var reader: ObjectReader

    init(_ reader: ObjectReader) { self.reader = reader }

    /// The condition; nil, with the problems noted, when something needed is wrong.
    mutating func condition() -> Found? {
        let there = Self.kinds.filter { reader.value($0) != nil }
        reader.finish()
        guard let kind = there.first, there.count == 1 else {
            let found = there.isEmpty ? "none" : there.joined(separator: " and ")
            reader.problems(
                "expected one of \(Self.kinds.joined(separator: ", ")), found \(found)"
            )
            return nil
        }
        guard var object = reader.object(kind) else { return nil }
        defer { object.finish() }
        if let topic = AlertTopic(rawValue: kind) { return .plain(.trouble(topic)) }
        switch kind {
        case "value":
            return Self.limit(&object).map { .value(limit: $0.limit, isFloor: $0.isFloor) }
        case "mean":
            let over = Self.span("overSeconds", 60...31_622_400, &object, nil)
            guard let limit = Self.limit(&object), let over else { return nil }
            return .mean(over: over, limit: limit.limit, isFloor: limit.isFloor)
        case "index": return Self.index(&object)
        case "rise": return Self.rise(&object)
        case "unusual":
            let (score, by) = (object.number("z", in: 1...100), object.number("by", in: 0...1e6))
            let days = Self.whole("days", 7...60, &object)
            return .plain(.unusual(score: score ?? 4, by: by ?? 10, days: days ?? 14))
        default: return Self.conditionOfParts(kind, &object)
        }
    }

    /// Conditions that compare no value with a limit.
    private static func conditionOfParts(_ kind: String, _ object: inout ObjectReader) -> Found? {
        switch kind {
        case "silent":
            return .plain(.silent(intervals: whole("intervals", 1...1_000, &object) ?? 3))
        case "stuck": return .plain(.flagged(.unchanging, orStuck: true))
        case "flagged":
            let flags = object.flags("flags")
            if flags.isEmpty, object.value("flags") == nil {
                object.problem("flags", "is missing, as [\"ceiling\"]")
            }
            return flags.isEmpty ? nil : .plain(.flagged(flags, orStuck: false))
        case "event": return event(&object)
        default:
            let used = object.number("usedPercent", in: 1...1_000)
            let days = whole("daysLeft", 0...3_650, &object)
            return .plain(.laser(usedPercent: used ?? 90, daysLeft: days ?? 60))
        }
    }

    private static func whole(
        _ key: String,
        _ range: ClosedRange<Double>,
        _ object: inout ObjectReader
    ) -> Int? {
        guard let number = object.number(key, in: range) else { return nil }
        if number != number.rounded() {
            object.problem(key, "expected a whole number, found \(JSONValue.number(number).shown)")
        }
        return Int(number.rounded())
    }

    /// The time of a mean, which sums over slots of 10 s, 5 min or 6 h make up.
    private static func span(
        _ key: String,
        _ range: ClosedRange<Double>,
        _ object: inout ObjectReader,
        _ standard: Int?
    ) -> Int? {
        if standard == nil, object.value(key) == nil { object.problem(key, "is missing") }
        guard let seconds = whole(key, range, &object) else { return standard }
        let slot = seconds < 300 ? 10 : seconds <= 90_000 ? 300 : 21_600
        guard seconds % slot == 0 else {
            let nearest = (seconds + slot / 2) / slot * slot
            object.problem(
                key,
                "expected a multiple of \(slot) s, found \(seconds)",
                meant: "\(nearest)"
            )
            return nil
        }
        return seconds
    }

    private static func limit(_ object: inout ObjectReader) -> (limit: Double, isFloor: Bool)? {
        let (most, least) = (
            object.number("atLeast", in: values), object.number("atMost", in: values)
        )
        let isThere = object.value("atLeast") != nil || object.value("atMost") != nil
        if !isThere { object.problem("atLeast", "is missing; or atMost, for low values") }
        guard most == nil || least == nil else {
            object.problem("atMost", "either atLeast or atMost, not both")
            return nil
        }
        return most.map { ($0, false) } ?? least.map { ($0, true) }
    }

    private static func index(_ object: inout ObjectReader) -> Found? {
        let ids = AirIndexTables.all.map(\.id)
        let index = object.required("of").flatMap { id -> AirIndex? in
            if let index = AirIndexTables.named(id) { return index }
            _ = object.string("of", in: ids)
            return nil
        }
        guard object.required("atLeast") != nil, let index,
            let band = object.string("atLeast", in: Self.bands(index))
        else { return nil }
        return .index(index, band: band)
    }

    /// The names of its bands but the best; some name two alike.
    private static func bands(_ index: AirIndex) -> [String] {
        var names = Array(index.bandNames.dropFirst())
        if let last = names.last { names = names.dropLast().filter { $0 != last } + [last] }
        return names
    }

    private static func rise(_ object: inout ObjectReader) -> Found? {
        let over = span("overSeconds", 60...3_600, &object, 900)
        let (by, times) = (
            object.number("by", in: 0...1e6), object.number("times", in: 1...1_000)
        )
        if object.value("by") == nil { object.problem("by", "is missing") }
        guard let by, let over else { return nil }
        return .plain(.rise(over: over, by: by, times: times ?? 2))
    }

    private static func event(_ object: inout ObjectReader) -> Found? {
        let kind = object.required("kind")
        if let kind, !EventKind.names.contains(kind) {
            object.problem(
                "kind",
                "no event is named \"\(PlainText.shown(kind))\"",
                meant: Spelling.nearest(to: kind, among: EventKind.names)
            )
        }
        let source = object.string("source")
        let count = whole("count", 1...1_000, &object)
        let within = whole("withinSeconds", 1...2_592_000, &object)
        if let kind, kind.hasPrefix("alert") {
            object.problem("kind", "events of alerts raise no alerts")
            return nil
        }
        return kind.map {
            .plain(.event(kind: $0, source: source, count: count ?? 1, within: within ?? 86_400))
        }
    }
}
