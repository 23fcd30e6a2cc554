import Core
import HardwareIO
import Profiles
import Store

/// Writer of JSON for receivers: keys in the given order, numbers with their digits.
package enum WireJSON {
    /// Writes an object whose members have JSON as values.
    package static func object(_ members: [(key: String, value: String)]) -> String {
        let texts = members.map { "\(JSONText.string($0.key)):\($0.value)" }
        return "{" + texts.joined(separator: ",") + "}"
    }

    /// Writes an array whose elements are JSON.
    package static func array(_ elements: [String]) -> String {
        "[" + elements.joined(separator: ",") + "]"
    }

    package static func string(_ text: String) -> String { JSONText.string(text) }

    static func strings(_ texts: [String]) -> String { array(texts.map(JSONText.string)) }

    /// Writes a secret as a JSON string.
    package static func string(_ secret: Secret) -> MaskedText {
        MaskedText(
            secret: JSONText.string(secret.reveal()),
            shown: JSONText.string(Secret.mask)
        )
    }

    /// Parses a server's answer; nil when it is not JSON.
    ///
    /// Bounds: the body's own, and `JSONParser.depthLimit`.
    package static func parse(_ bytes: [UInt8]) -> JSONValue? {
        do throws(JSONParser.Fault) {
            return try JSONParser.parse(bytes)
        } catch {
            return nil
        }
    }
}

extension JSONValue {
    /// Member of an object; nil for any other value.
    subscript(key: String) -> JSONValue? {
        if case .object(let members) = self { members[key] } else { nil }
    }

    var string: String? { if case .string(let text) = self { text } else { nil } }

    var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

    /// Whole number that a double holds exactly; nil for any other value.
    var integer: Int? {
        guard case .number(let number) = self, number == number.rounded(),
            abs(number) <= 9_007_199_254_740_992
        else { return nil }
        return Int(number)
    }

    /// Number with its written digits, or text that holds a number.
    ///
    /// A double keeps 15 digits and prints the shortest text that reads back, so up to 15
    /// significant digits come through unchanged; zeros at the end are lost.
    var fixedPoint: FixedPoint? {
        switch self {
        case .number(let number):
            let text = "\(number)"
            return FixedPoint(decimal: text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
        case .string(let text): return FixedPoint(decimal: text.trimming())
        default: return nil
        }
    }
}
