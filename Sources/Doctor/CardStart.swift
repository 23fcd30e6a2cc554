import HardwareIO

/// What the memory disk of an image said of the card at the last start.
package enum CardStart {
    /// A sentence a line, 16 at most; none without an image, or where the card was whole.
    package static func said(_ tree: DoctorTree) -> [String] {
        lines(tree.text("/run/roost-start.said"), limit: 16)
    }

    /// Of a text that a person reads on a terminal.
    static func lines(_ text: String?, limit: Int) -> [String] {
        (text ?? "").split(whereSeparator: \.isNewline).prefix(limit)
            .map { PlainText.shown($0, limit: 300) }
    }
}
