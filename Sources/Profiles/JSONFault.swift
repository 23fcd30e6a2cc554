import FoundationEssentials

/// Finds where a text stops being JSON, in a line and column that an editor shows.
package enum JSONFault {
    /// What the decoder says, with the place where it can be told.
    package static func words(for error: any Error, in text: [UInt8]) -> String {
        guard let index = faultIndex(in: text) else {
            guard case DecodingError.dataCorrupted(let context) = error else { return "\(error)" }
            return context.debugDescription
        }
        let before = text[..<min(index, text.count)]
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let column = before.reversed().prefix { $0 != UInt8(ascii: "\n") }.count + 1
        guard index < text.count else { return "it ends in the middle (line \(line))" }
        let character = String(decoding: text[index...].prefix(1), as: UTF8.self)
        return "unexpected \(character) in line \(line), column \(column)"
    }

    /// The first byte at which no JSON text can go on; `text.count` when it is cut short.
    package static func faultIndex(in text: [UInt8]) -> Int? {
        var scanner = Scanner(text: text)
        scanner.skipSpace()
        guard scanner.value(depth: 0) else { return scanner.index }
        scanner.skipSpace()
        return scanner.index < text.count ? scanner.index : nil
    }

    private struct Scanner {
        let text: [UInt8]
        var index = 0

        private var byte: UInt8? { index < text.count ? text[index] : nil }

        mutating func skipSpace() {
            while let byte, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { index += 1 }
        }

        private mutating func take(_ expected: Character) -> Bool {
            guard byte == expected.asciiValue else { return false }
            index += 1
            return true
        }

        /// Bound: 64 levels; deeper counts as a fault.
        mutating func value(depth: Int) -> Bool {
            guard depth < 64, let byte else { return false }
            switch byte {
            case UInt8(ascii: "{"): return members(depth: depth, closing: "}", isObject: true)
            case UInt8(ascii: "["): return members(depth: depth, closing: "]", isObject: false)
            case UInt8(ascii: "\""): return string()
            case UInt8(ascii: "t"): return word("true")
            case UInt8(ascii: "f"): return word("false")
            case UInt8(ascii: "n"): return word("null")
            default: return number()
            }
        }

        private mutating func members(depth: Int, closing: Character, isObject: Bool) -> Bool {
            index += 1
            skipSpace()
            if take(closing) { return true }
            while true {
                if isObject {
                    guard byte == UInt8(ascii: "\""), string() else { return false }
                    skipSpace()
                    guard take(":") else { return false }
                    skipSpace()
                }
                guard value(depth: depth + 1) else { return false }
                skipSpace()
                if take(closing) { return true }
                guard take(",") else { return false }
                skipSpace()
            }
        }

        private mutating func string() -> Bool {
            index += 1
            while let byte, byte >= 0x20 {
                index += 1
                if byte == UInt8(ascii: "\"") { return true }
                if byte == UInt8(ascii: "\\") { index += 1 }
            }
            index = min(index, text.count)
            return false
        }

        private mutating func word(_ word: StaticString) -> Bool {
            for expected in word.description.utf8 {
                guard byte == expected else { return false }
                index += 1
            }
            return true
        }

        private mutating func number() -> Bool {
            let start = index
            while let byte,
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || "+-.eE".utf8.contains(byte)
            {
                index += 1
            }
            return index > start
        }
    }
}
