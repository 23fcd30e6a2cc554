/// Text that another machine wrote, on its way to a person: a terminal, a page, the log.
package enum ForeignText {
    /// Text shown in place of a secret.
    package static let mask = "•••"

    /// A text without control characters, and without marks that turn the direction.
    package static func plain(_ text: some StringProtocol) -> String {
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where isPlain(scalar) { plain.append(scalar) }
        return String(plain)
    }

    /// One plain line of a text: line ends and tabs are blanks.
    ///
    /// - Parameters:
    ///   - byteMax: Bytes of UTF-8; a character that does not fit whole is left out.
    ///   - secrets: Texts to mask, each before anything is cut.
    /// - Returns: The line, without blanks at its ends.
    package static func line(
        _ text: String,
        byteMax: Int,
        without secrets: [String] = []
    ) -> String {
        let spaced = String(
            String.UnicodeScalarView(
                masked(text, secrets).unicodeScalars.map { scalar in
                    scalar.properties.isWhitespace ? " " : scalar
                }
            )
        )
        var line = plain(spaced).drop { $0 == " " }
        if line.utf8.count > byteMax {
            var (size, end) = (0, line.startIndex)
            while end < line.endIndex {
                size += line[end].utf8.count
                guard size <= byteMax else { break }
                end = line.index(after: end)
            }
            line = line[..<end]
        }
        while line.last == " " { line.removeLast() }
        return String(line)
    }

    /// A text with a mask in place of each secret, the longest first.
    package static func masked(_ text: String, _ secrets: [String]) -> String {
        secrets.filter { !$0.isEmpty }.sorted { $0.utf8.count > $1.utf8.count }
            .reduce(text) { $0.replacing($1, with: mask) }
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate,
            .unassigned:
            false
        default: true
        }
    }
}
