/// Bytes that a part once sent, in the pieces they were recorded in.
package struct SDS011Recording: Hashable, Sendable {
    /// Mistake in the text of a recording.
    package struct SyntaxError: Error, Hashable, CustomStringConvertible {
        /// Line number, from 1.
        package let line: Int
        package let text: String

        package var description: String { "line \(line): not a hex dump: \(text)" }
    }

    /// At least one byte each.
    package let pieces: [[UInt8]]

    /// Pieces as they are; empty ones are left out.
    package init(pieces: [[UInt8]]) { self.pieces = pieces.filter { !$0.isEmpty } }

    /// Reads a hex dump as `xxd` writes it, `0000000a: aa c0 09 00 …  ....`; a line is a piece.
    ///
    /// Offset and the column of characters may be absent; bytes may stand in pairs (`aac0 0900`).
    ///
    /// - Throws: `SyntaxError` naming the line.
    package init(hexDump text: some StringProtocol) throws(SyntaxError) {
        var pieces: [[UInt8]] = []
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let afterOffset = line.split(separator: ":", maxSplits: 1).last ?? ""
            let columns = String(afterOffset.drop { $0 == " " })
            // Two spaces end the bytes; what follows are the same bytes as characters.
            let end = Self.endOfBytes(columns)
            guard let bytes = Self.bytes(hex: columns[..<end]) else {
                throw SyntaxError(line: index + 1, text: String(line.prefix(80)))
            }
            pieces.append(bytes)
        }
        self.init(pieces: pieces)
    }

    /// The bytes of `AA C0 06…`, with any spaces between, or nil.
    package static func bytes(hex: some StringProtocol) -> [UInt8]? {
        let digits = hex.utf8.filter { $0 != 0x20 && $0 != 0x0D && $0 != 0x09 }
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = nibble(digits[index]), let low = nibble(digits[index + 1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func endOfBytes(_ text: String) -> String.Index {
        var index = text.startIndex
        while index < text.endIndex {
            let next = text.index(after: index)
            if text[index] == " ", next < text.endIndex, text[next] == " " { return index }
            index = next
        }
        return text.endIndex
    }

    private static func nibble(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x41 + 10
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }
}
