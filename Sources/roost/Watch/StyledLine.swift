/// One line of a screen: pieces of text, each with its look.
///
/// Widths are cells of a terminal: most characters need one, those of East Asia and pictures two.
struct StyledLine: Hashable {
    enum Style: Hashable {
        case plain, bold, red, green, yellow, grey, redBold, yellowBold, greenBold
    }

    struct Piece: Hashable {
        let text: String
        let style: Style
    }

    private(set) var pieces: [Piece] = []

    init() {}
    init(_ text: String, _ style: Style = .plain) { add(text, style) }

    var width: Int { pieces.reduce(0) { $0 + $1.text.cells } }
    var text: String { pieces.map(\.text).joined() }

    /// Adds text; what would move the cursor becomes a dot.
    mutating func add(_ text: String, _ style: Style = .plain) {
        guard !text.isEmpty else { return }
        let plain = String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.value < 0x20 || (0x7F..<0xA0) ~= $0.value ? "·" : $0 }
            )
        )
        pieces.append(Piece(text: plain, style: style))
    }

    /// Adds spaces up to a column.
    mutating func pad(to column: Int) {
        add(String(repeating: " ", count: max(0, column - width)))
    }

    /// The line cut to a width, with an ellipsis where something is missing.
    func cut(to columns: Int) -> StyledLine {
        guard width > columns else { return self }
        var line = StyledLine()
        for piece in pieces {
            let room = columns - line.width
            if piece.text.cells < room || (piece.text.cells == room && piece == pieces.last) {
                line.add(piece.text, piece.style)
                continue
            }
            line.add(piece.text.cut(toCells: room - 1) + (room > 0 ? "…" : ""), piece.style)
            break
        }
        return line
    }

    /// The line, and another at the right edge as far as there is room for it.
    func with(right: StyledLine, columns: Int) -> StyledLine {
        guard width + 1 + right.width <= columns else { return cut(to: columns) }
        var line = self
        line.pad(to: columns - right.width)
        for piece in right.pieces { line.add(piece.text, piece.style) }
        return line
    }

    /// Text wrapped at spaces; every line after the first begins as deep as the first's text.
    static func wrapped(
        _ text: String,
        _ style: Style,
        lead: String,
        columns: Int,
        limit: Int
    ) -> [StyledLine] {
        var lines: [String] = [""]
        let room = max(8, columns - lead.cells)
        for word in text.split(separator: " ") {
            let last = lines[lines.count - 1]
            let isFirst = last.isEmpty
            if isFirst || last.cells + 1 + String(word).cells <= room {
                lines[lines.count - 1] += (isFirst ? "" : " ") + word
            } else {
                lines.append(String(word))
            }
        }
        if lines.count > limit {
            lines[limit - 1] = lines[(limit - 1)...].joined(separator: " ")
            lines.removeSubrange(limit...)
        }
        return lines.enumerated().map { index, text in
            var line = StyledLine()
            line.add(index == 0 ? lead : String(repeating: " ", count: lead.cells))
            line.add(text, style)
            return line.cut(to: columns)
        }
    }

    /// The line for a terminal, with colours or without.
    func painted(isColoured: Bool) -> String {
        guard isColoured else { return text }
        return pieces.map { piece in
            let code: String
            switch piece.style {
            case .plain: return piece.text
            case .bold: code = "1"
            case .red: code = "31"
            case .green: code = "32"
            case .yellow: code = "33"
            case .grey: code = "90"
            case .redBold: code = "1;31"
            case .yellowBold: code = "1;33"
            case .greenBold: code = "1;32"
            }
            return "\u{1B}[\(code)m\(piece.text)\u{1B}[0m"
        }.joined()
    }
}

extension String {
    /// Width in cells of a terminal.
    var cells: Int { reduce(0) { $0 + $1.cells } }

    /// The beginning that fits into so many cells.
    func cut(toCells room: Int) -> String {
        var (kept, used) = ("", 0)
        for character in self {
            used += character.cells
            guard used <= room else { break }
            kept.append(character)
        }
        return kept
    }
}

extension Character {
    /// - Source: Unicode Standard Annex 11, the ranges that every terminal shows wide.
    fileprivate var cells: Int {
        guard let first = unicodeScalars.first?.value else { return 0 }
        switch first {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}
