import Profiles

/// Rows in an answer of Socrata, the software of Lombardia's open data.
enum SocrataRows {
    /// - Throws: `refused` in the words of Socrata's error object, `shape`.
    static func rows(of body: FeedBody) throws(FeedFault) -> [FeedBody] {
        if let error = body.member("error"), let words = body.member("message")?.text,
            error.value != .bool(false)
        {
            throw .refused(words)
        }
        return try body.elements()
    }

    /// Whether a text can be a sensor's id: up to nine digits.
    static func isID(_ text: String) -> Bool {
        (1...9).contains(text.utf8.count)
            && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
