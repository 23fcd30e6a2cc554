import Core
import Store

/// Dates in the form of HTTP and mail, always in UTC.
///
/// - Source: RFC 9110, 5.6.7 (IMF-fixdate); RFC 5322, 3.3.
enum HTTPDate {
    /// Parses `Sun, 06 Nov 1994 08:49:37 GMT`; nil for anything else.
    static func parse(_ text: String) -> WallTime? {
        guard text.utf8.count == 29 else { return nil }
        let words = text.split(separator: " ")
        guard words.count == 6, words[0].hasSuffix(","), words[5] == "GMT" else { return nil }
        let day = words[1].hasPrefix("0") ? " \(words[1].dropFirst())" : String(words[1])
        return AscTime.parse("\(words[0].dropLast()) \(words[2]) \(day) \(words[4]) \(words[3])")
    }

    /// Writes a date such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func text(_ wall: WallTime) -> String { "\(dateAndTime(wall)) GMT" }

    /// Writes a date for a mail's head, such as `Sun, 06 Nov 1994 08:49:37 +0000`.
    static func mailText(_ wall: WallTime) -> String { "\(dateAndTime(wall)) +0000" }

    private static func dateAndTime(_ wall: WallTime) -> String {
        let words = AscTime.text(wall).split(separator: " ")
        let day = words[2].utf8.count == 1 ? "0\(words[2])" : String(words[2])
        return "\(words[0]), \(day) \(words[1]) \(words[4]) \(words[3])"
    }
}
