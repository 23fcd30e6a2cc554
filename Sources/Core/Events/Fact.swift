/// Something known of a device, a part or an event: a typed value under its name in JSON.
///
/// Its name says what the value is: `awakeSeconds` is a time, `lastMotionAgeSeconds` one that has
/// passed, `restartCount` a count, `isLong` a truth.
package struct Fact: Hashable, Sendable {
    package enum Value: Hashable, Sendable {
        case number(Double)
        case truth(Bool)
        case list([String])
        case text(String)
    }

    package let name: String
    package let value: Value

    package init(_ name: String, _ value: Value) { (self.name, self.value) = (name, value) }
    package init(_ name: String, _ number: Double) { self.init(name, .number(number)) }
    package init(_ name: String, _ count: Int) { self.init(name, .number(Double(count))) }
    package init(_ name: String, _ isSo: Bool) { self.init(name, .truth(isSo)) }
    package init(_ name: String, _ texts: [String]) { self.init(name, .list(texts)) }
    package init(_ name: String, _ text: String) { self.init(name, .text(text)) }
}

extension Fact.Value {
    /// Text for the store and for terminals, without a unit.
    package var text: String {
        switch self {
        case .number(let number):
            guard abs(number) < 9e12 else { return "\(number)" }
            if number == number.rounded() { return String(Int64(number)) }
            return FixedPoint(Int64((number * 1_000).rounded()), decimals: 3).description
        case .truth(let isSo): return isSo ? "yes" : "no"
        case .list(let texts): return texts.joined(separator: ", ")
        case .text(let text): return text
        }
    }
}
