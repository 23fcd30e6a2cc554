import HardwareIO

/// Parses JSON strictly, and reports the place of the first mistake.
///
/// Refuses what decoders let pass and people never mean: a key twice in an object, a number that
/// no double holds, text that is not UTF-8. Recursion is bounded, so no text overflows the stack.
package struct JSONParser {
    /// Place and reason of a mistake; the offset counts bytes.
    package struct Fault: Error, Hashable, Sendable {
        package let offset: Int
        package let reason: String
    }

    /// Arrays and objects inside each other; deeper is a fault.
    package static let depthLimit = 64

    private let text: [UInt8]
    private var index = 0

    private init(_ text: [UInt8]) { self.text = text }

    /// The value of a whole text.
    package static func parse(_ text: [UInt8]) throws(Fault) -> JSONValue {
        try refuseMarks(text)
        var parser = JSONParser(text)
        parser.skipSpace()
        let value = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.index == text.count else { throw parser.unexpected() }
        return value
    }

    /// Refuses a byte order mark, which some editors write and JSON does not have.
    private static func refuseMarks(_ text: [UInt8]) throws(Fault) {
        if text.starts(with: [0xEF, 0xBB, 0xBF]) {
            throw Fault(offset: 0, reason: "a byte order mark (save it as UTF-8 without one)")
        }
        if text.starts(with: [0xFF, 0xFE]) || text.starts(with: [0xFE, 0xFF]) {
            throw Fault(offset: 0, reason: "UTF-16 (save it as UTF-8)")
        }
    }

    /// A fault as text, with the line and column that an editor shows.
    package static func text(for fault: Fault, in text: [UInt8]) -> String {
        let before = text.prefix(fault.offset)
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let column = before.reversed().prefix { $0 != UInt8(ascii: "\n") }.count + 1
        return fault.offset < text.count
            ? "\(fault.reason) in line \(line), column \(column)"
            : "it ends in the middle (line \(line))"
    }

    private var byte: UInt8? { index < text.count ? text[index] : nil }

    private func unexpected() -> Fault {
        let shown = text[index...].prefix(1).map {
            $0 > 0x20 && $0 < 0x7F
                ? String(UnicodeScalar($0)) : $0 == 0x20 ? "space" : "byte \($0)"
        }
        return Fault(offset: index, reason: "unexpected \(shown.first ?? "end")")
    }

    private mutating func skipSpace() {
        while let byte, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    private mutating func consume(_ expected: Character) -> Bool {
        guard let byte, byte == expected.asciiValue else { return false }
        index += 1
        return true
    }

    private mutating func value(depth: Int) throws(Fault) -> JSONValue {
        guard depth < Self.depthLimit else {
            throw Fault(offset: index, reason: "more than \(Self.depthLimit) levels")
        }
        switch byte {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(Fault) -> JSONValue {
        for expected in word.utf8 {
            guard byte == expected else { throw unexpected() }
            index += 1
        }
        return value
    }

    private mutating func object(depth: Int) throws(Fault) -> JSONValue {
        var fields: [String: JSONValue] = [:]
        index += 1
        skipSpace()
        if consume("}") { return .object(fields) }
        repeat {
            skipSpace()
            guard byte == UInt8(ascii: "\"") else { throw unexpected() }
            let start = index
            let key = try string()
            guard fields[key] == nil else {
                throw Fault(
                    offset: start,
                    reason: "key \"\(PlainText.shown(key))\" for the second time"
                )
            }
            skipSpace()
            guard consume(":") else { throw unexpected() }
            skipSpace()
            fields[key] = try value(depth: depth + 1)
            skipSpace()
        } while consume(",")
        guard consume("}") else { throw unexpected() }
        return .object(fields)
    }

    private mutating func array(depth: Int) throws(Fault) -> JSONValue {
        var values: [JSONValue] = []
        index += 1
        skipSpace()
        if consume("]") { return .array(values) }
        repeat {
            skipSpace()
            values.append(try value(depth: depth + 1))
            skipSpace()
        } while consume(",")
        guard consume("]") else { throw unexpected() }
        return .array(values)
    }

    private mutating func string() throws(Fault) -> String {
        let start = index
        index += 1
        var bytes: [UInt8] = []
        while let byte, byte >= 0x20, byte != UInt8(ascii: "\"") {
            index += 1
            if byte == UInt8(ascii: "\\") {
                bytes += try escape()
            } else {
                bytes.append(byte)
            }
        }
        guard consume("\"") else { throw unexpected() }
        guard let string = String(validating: bytes, as: UTF8.self) else {
            throw Fault(offset: start, reason: "text that is not UTF-8")
        }
        return string
    }

    private mutating func escape() throws(Fault) -> [UInt8] {
        let plain: [Character: UInt8] = [
            "\"": 0x22, "\\": 0x5C, "/": 0x2F, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9,
        ]
        guard let byte else { throw unexpected() }
        let character = Character(UnicodeScalar(byte))
        if let code = plain[character] {
            index += 1
            return [code]
        }
        guard character == "u" else { throw unexpected() }
        index += 1
        var code = try hexadecimal()
        if (0xD800...0xDBFF).contains(code), consume("\\"), consume("u") {
            let low = try hexadecimal()
            guard (0xDC00...0xDFFF).contains(low) else { throw loneSurrogate }
            code = 0x1_0000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = UnicodeScalar(code) else { throw loneSurrogate }
        return Array(String(scalar).utf8)
    }

    private var loneSurrogate: Fault {
        Fault(offset: index - 1, reason: "half of a surrogate pair")
    }

    private mutating func hexadecimal() throws(Fault) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let byte, let digit = Character(UnicodeScalar(byte)).hexDigitValue else {
                throw unexpected()
            }
            code = code << 4 | UInt32(digit)
            index += 1
        }
        return code
    }

    private mutating func number() throws(Fault) -> Double {
        let start = index
        _ = consume("-")
        if !consume("0") { try digits() }
        if consume(".") { try digits() }
        if consume("e") || consume("E") {
            if !consume("+") { _ = consume("-") }
            try digits()
        }
        let digits = String(decoding: text[start..<index], as: UTF8.self)
        guard let number = Double(digits), number.isFinite else {
            throw Fault(offset: start, reason: "a number beyond any measure")
        }
        return number
    }

    private mutating func digits() throws(Fault) {
        guard let first = byte, (0x30...0x39).contains(first) else { throw unexpected() }
        while let byte, (0x30...0x39).contains(byte) { index += 1 }
    }
}
