/// Makes text of strangers fit for a line of a terminal or a log.
///
/// Text from outside may hold line ends, so that it looks like two lines, and control sequences of
/// a terminal.
package enum PlainText {
    /// Default limit in characters; a longer text is cut, and `…` marks the cut.
    package static let limit = 36

    /// The text with `\u{1b}` for each control character and for what turns the writing around.
    package static func shown(_ text: some StringProtocol, limit: Int = limit) -> String {
        var shown = ""
        for (index, scalar) in text.unicodeScalars.enumerated() {
            guard index < limit else { return shown + "…" }
            if isPlain(scalar) {
                shown.unicodeScalars.append(scalar)
            } else {
                shown += "\\u{" + String(scalar.value, radix: 16) + "}"
            }
        }
        return shown
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: false
        default: true
        }
    }
}
