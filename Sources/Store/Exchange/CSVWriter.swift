/// Rows of comma separated values as bytes, quoted as RFC 4180 says and Python's `csv` does.
package enum CSVWriter {
    /// A field, in quotes when it holds a comma, a quote or a line end.
    package static func field(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            byte != UInt8(ascii: ",") && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\n")
                && byte != UInt8(ascii: "\r")
        }
        guard !isPlain else { return text }
        var quoted = "\""
        for character in text.unicodeScalars {
            if character == "\"" { quoted.unicodeScalars.append(character) }
            quoted.unicodeScalars.append(character)
        }
        return quoted + "\""
    }

    /// A field that no spreadsheet takes for a formula: `=`, `+`, `-`, `@` or a tab get `'` before.
    ///
    /// - Source: OWASP, *CSV Injection*.
    package static func text(_ text: String) -> String {
        let isFormula = text.utf8.first.map { "=+-@\t\r".utf8.contains($0) } ?? false
        return field(isFormula ? "'" + text : text)
    }

    /// Returns one row, without its line end.
    package static func row(_ fields: [String]) -> String {
        fields.map(field).joined(separator: ",")
    }

    /// A double as Python's `repr` writes it: `12.0`, `0.1`, `1e-05`, `1e+16`.
    ///
    /// Both languages write the shortest digits that read back the same; Python leaves plain
    /// notation below 1e-4 and from 1e16 on, Swift from 2^54.
    ///
    /// - Source: CPython, `Objects/floatobject.c`: `float_repr` asks for format code `r`.
    package static func pythonWords(_ value: Double) -> String {
        guard value.isFinite else {
            return value.isNaN ? "nan" : value < 0 ? "-inf" : "inf"
        }
        let words = value.description
        guard let mark = words.firstIndex(of: "e"),
            let exponent = Int(words[words.index(after: mark)...]), (0..<16).contains(exponent)
        else { return words }
        let mantissa = words[..<mark].split(separator: ".")
        let sign = mantissa[0].hasPrefix("-") ? "-" : ""
        let digits = mantissa.joined().drop { $0 == "-" }
        let whole = digits.prefix(exponent + 1)
        let zeros = String(repeating: "0", count: exponent + 1 - whole.count)
        let rest = digits.dropFirst(exponent + 1)
        return "\(sign)\(whole)\(zeros).\(rest.isEmpty ? "0" : rest)"
    }
}
