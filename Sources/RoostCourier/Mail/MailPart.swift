import Core

/// A part of a mail: its fields and its content, in ASCII with CRLF.
///
/// - Source: RFC 2045 and 2046 (parts and their encodings), RFC 2183 (names of files).
struct MailPart {
    /// Characters of a line of base64, without its end.
    private static let lineLimit = 76

    private let fields: [(String, String)]
    private let content: String

    init(text: String) {
        fields = [
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Transfer-Encoding", "quoted-printable"),
        ]
        content = QuotedPrintable.text(text)
    }

    init(_ picture: NoticePicture) {
        // The name has letters, digits, dots and dashes alone.
        fields = [
            ("Content-Type", "image/jpeg; name=\"\(picture.name)\""),
            ("Content-Transfer-Encoding", "base64"),
            ("Content-Disposition", "attachment; filename=\"\(picture.name)\""),
        ]
        let text = Array(Base64.text(picture.bytes).utf8)
        content = stride(from: 0, to: text.count, by: Self.lineLimit).map { start in
            let end = min(start + Self.lineLimit, text.count)
            return String(decoding: text[start..<end], as: UTF8.self) + "\r\n"
        }.joined()
    }

    /// Its fields, an empty line and its content.
    var form: String {
        fields.map { "\($0.0): \($0.1)\r\n" }.joined() + "\r\n" + content
    }

    /// Several as one; no line of text or base64 is the boundary, as both encode `=`.
    static func mixed(_ parts: [MailPart], boundary name: String) -> String {
        let boundary = "=_\(name)"
        let head = "Content-Type: multipart/mixed; boundary=\"\(boundary)\"\r\n\r\n"
        return head + parts.map { "--\(boundary)\r\n" + $0.form }.joined()
            + "--\(boundary)--\r\n"
    }
}
