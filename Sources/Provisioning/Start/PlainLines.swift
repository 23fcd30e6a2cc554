/// A small text file of a person, line by line.
///
/// Takes line ends of every system and the mark that Windows' Notepad puts in front. Other
/// files are refused as a whole, and the reason names the program that can save them rightly.
package struct PlainLines: Hashable, Sendable {
    package struct Line: Hashable, Sendable {
        /// 1 is the first.
        package let number: Int
        package let text: String
        /// Where its bytes are in the file, without the line's end.
        package let range: Range<Int>
    }

    package static let byteCountMax = 65_536
    static let lineByteCountMax = 8_192

    package let lines: [Line]

    /// - Parameters:
    ///   - bytes: All of the file, or more of it than `byteCountMax`.
    package init(_ bytes: [UInt8], of file: String) throws(ProvisionProblem) {
        guard bytes.count <= Self.byteCountMax else {
            throw ProvisionProblem(
                file,
                "it is larger than \(Self.byteCountMax / 1_024) KiB and is not used",
                next: "Write only the settings into it"
            )
        }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            throw ProvisionProblem(
                file,
                "it is saved as UTF-16 and is not used",
                next: "Save it as UTF-8 (Notepad: Save as, Encoding, UTF-8)"
            )
        }
        var lines: [Line] = []
        var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count
            lines.append(try Self.line(lines.count + 1, bytes, start..<end, file))
            let isPair = end + 1 < bytes.count && bytes[end] == 0x0D && bytes[end + 1] == 0x0A
            start = end + (isPair ? 2 : 1)
        }
        self.lines = lines
    }

    private static func line(
        _ number: Int,
        _ bytes: [UInt8],
        _ range: Range<Int>,
        _ file: String
    ) throws(ProvisionProblem) -> Line {
        let piece = bytes[range]
        guard piece.count <= lineByteCountMax else {
            throw ProvisionProblem(
                file,
                line: number,
                "the line is longer than \(lineByteCountMax) bytes, and the file is not used",
                next: "Write one setting a line"
            )
        }
        guard piece.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }),
            let text = String(validating: piece, as: UTF8.self)
        else {
            throw ProvisionProblem(
                file,
                line: number,
                "it is no text in UTF-8, and the file is not used",
                next: "Save it as plain text in UTF-8, with a text editor"
            )
        }
        return Line(number: number, text: text, range: range)
    }
}

extension StringProtocol {
    /// The text without spaces and tabs at both ends.
    var trimmedSpace: String {
        let start = drop { $0 == " " || $0 == "\t" }
        let end = start.reversed().drop { $0 == " " || $0 == "\t" }
        return String(end.reversed())
    }
}
