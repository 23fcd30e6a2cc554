/// Writes JSON text by hand: columns of numbers need no encoder.
struct JSONTextBuilder: Sendable {
    private(set) var text = ""
    private var needsComma = false

    init() {}

    mutating func object(_ body: (inout JSONTextBuilder) -> Void) {
        open("{")
        body(&self)
        close("}")
    }

    mutating func object(_ key: String, _ body: (inout JSONTextBuilder) -> Void) {
        name(key)
        object(body)
    }

    mutating func array<Items: Sequence>(
        _ items: Items,
        _ body: (inout JSONTextBuilder, Items.Element) -> Void
    ) {
        open("[")
        for item in items { body(&self, item) }
        close("]")
    }

    mutating func array<Items: Sequence>(
        _ key: String,
        _ items: Items,
        _ body: (inout JSONTextBuilder, Items.Element) -> Void
    ) {
        name(key)
        array(items, body)
    }

    mutating func member(_ key: String, _ value: String?) {
        name(key)
        add(value)
    }
    mutating func member(_ key: String, _ value: Int?) {
        name(key)
        add(value)
    }
    mutating func member(_ key: String, _ value: Bool?) {
        name(key)
        raw(value.map { $0 ? "true" : "false" } ?? "null")
    }

    /// Writes a number with so many digits after the point; without, the shortest exact text.
    mutating func member(_ key: String, _ value: Double?, decimals: Int? = nil) {
        name(key)
        add(value, decimals: decimals)
    }

    /// A member whose value is JSON already.
    mutating func member(_ key: String, json: String) {
        name(key)
        raw(json)
    }

    mutating func add(_ value: Int?) { raw(value.map(String.init) ?? "null") }

    mutating func add(_ value: Double?, decimals: Int? = nil) {
        guard let value, value.isFinite else { return raw("null") }
        guard let decimals else { return raw("\(value)") }
        raw(Self.fixed(value, decimals))
    }

    mutating func add(_ value: String?) {
        guard let value else { return raw("null") }
        separate()
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            // Also escapes characters that would end a script in HTML.
            case "<", ">", "&", "\u{2028}", "\u{2029}": escape(scalar)
            default:
                if scalar.value < 0x20 || scalar.value == 0x7F {
                    escape(scalar)
                } else {
                    text.unicodeScalars.append(scalar)
                }
            }
        }
        text += "\""
        needsComma = true
    }

    /// JSON that is ready.
    mutating func raw(_ json: String) {
        separate()
        text += json
        needsComma = true
    }

    /// A number with exactly so many digits after the point, rounded to nearest.
    static func fixed(_ value: Double, _ decimals: Int) -> String {
        let digits = max(0, min(decimals, 9))
        let scale = (0..<digits).reduce(1.0) { product, _ in product * 10 }
        let scaled = (value * scale).rounded()
        guard abs(scaled) < 9e15 else { return "\(value)" }
        let whole = Int64(scaled)
        let sign = whole < 0 ? "-" : ""
        guard digits > 0 else { return String(whole) }
        let (left, right) = whole.magnitude.quotientAndRemainder(dividingBy: UInt64(scale))
        let tail = String(right)
        return sign + String(left) + "."
            + String(repeating: "0", count: digits - tail.count) + tail
    }

    private mutating func escape(_ scalar: Unicode.Scalar) {
        let hex = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
    }

    private mutating func name(_ key: String) {
        add(key)
        text += ":"
        needsComma = false
    }

    private mutating func separate() {
        if needsComma { text += "," }
    }

    private mutating func open(_ bracket: String) {
        separate()
        text += bracket
        needsComma = false
    }

    private mutating func close(_ bracket: String) {
        text += bracket
        needsComma = true
    }
}
