/// One word, number or sign of Swift source.
struct Token: Hashable, Sendable {
    let text: String
    /// Line number from 1.
    let line: Int
}

/// Cuts Swift into tokens, leaving out comments and everything inside string literals.
///
/// A string becomes the one token `""`. Good enough for rules of style, and fast; it is no parser.
struct Tokenizer {
    private let bytes: [UInt8]
    private var index = 0
    private var line = 1
    private var tokens: [Token] = []

    static func tokens(of text: String) -> [Token] {
        var tokenizer = Tokenizer(bytes: Array(text.utf8))
        tokenizer.run()
        return tokenizer.tokens
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func run() {
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\n"): advance(1)
            case UInt8(ascii: " "), UInt8(ascii: "\t"): index += 1
            case UInt8(ascii: "/") where hasPrefix("//"): skipLineComment()
            case UInt8(ascii: "/") where hasPrefix("/*"): skipBlockComment()
            case UInt8(ascii: "\""): skipString(hashCount: 0)
            case UInt8(ascii: "#") where poundString != nil: skipString(hashCount: poundString ?? 0)
            case let byte where Self.isWord(byte): takeWord()
            default:
                tokens.append(Token(text: String(UnicodeScalar(bytes[index])), line: line))
                index += 1
            }
        }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...0xFF:
            true
        default: false
        }
    }

    private mutating func takeWord() {
        let start = index
        while index < bytes.count, Self.isWord(bytes[index]) { index += 1 }
        tokens.append(
            Token(text: String(decoding: bytes[start..<index], as: UTF8.self), line: line)
        )
    }

    private mutating func advance(_ count: Int) {
        for _ in 0..<count where index < bytes.count {
            if bytes[index] == UInt8(ascii: "\n") { line += 1 }
            index += 1
        }
    }

    private func hasPrefix(_ text: StaticString, at start: Int? = nil) -> Bool {
        let start = start ?? index
        guard start + text.utf8CodeUnitCount <= bytes.count else { return false }
        return text.withUTF8Buffer { $0.elementsEqual(bytes[start..<start + $0.count]) }
    }

    private mutating func skipLineComment() {
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
    }

    private mutating func skipBlockComment() {
        var depth = 0
        repeat {
            if hasPrefix("/*") {
                (depth, index) = (depth + 1, index + 2)
            } else if hasPrefix("*/") {
                (depth, index) = (depth - 1, index + 2)
            } else {
                advance(1)
            }
        } while depth > 0 && index < bytes.count
    }

    /// How many `#` open a raw string here; nil when none does.
    private var poundString: Int? {
        var end = index
        while end < bytes.count, bytes[end] == UInt8(ascii: "#") { end += 1 }
        return end < bytes.count && bytes[end] == UInt8(ascii: "\"") ? end - index : nil
    }

    private func poundCount(at start: Int) -> Int {
        bytes[min(start, bytes.count)...].prefix { $0 == UInt8(ascii: "#") }.count
    }

    private mutating func skipString(hashCount: Int) {
        tokens.append(Token(text: "\"\"", line: line))
        index += hashCount
        let quoteCount = hasPrefix("\"\"\"") ? 3 : 1
        index += quoteCount
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\\"), poundCount(at: index + 1) >= hashCount {
                index += 1 + hashCount
                if index < bytes.count, bytes[index] == UInt8(ascii: "(") {
                    skipInterpolation()
                } else {
                    advance(1)
                }
            } else if quoteCount == 3 ? hasPrefix("\"\"\"") : hasPrefix("\""),
                poundCount(at: index + quoteCount) >= hashCount
            {
                index += quoteCount + hashCount
                return
            } else {
                advance(1)
            }
        }
    }

    /// Skips `( … )` with whatever strings are inside.
    private mutating func skipInterpolation() {
        var depth = 0
        repeat {
            switch bytes[index] {
            case UInt8(ascii: "("): (depth, index) = (depth + 1, index + 1)
            case UInt8(ascii: ")"): (depth, index) = (depth - 1, index + 1)
            case UInt8(ascii: "\""):
                skipString(hashCount: 0)
                tokens.removeLast()
            default: advance(1)
            }
        } while depth > 0 && index < bytes.count
    }
}
