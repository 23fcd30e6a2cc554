/// Parses the head of an answer line by line, as libcurl passes it.
struct HeadReader: Hashable {
    /// Bytes of all heads of the exchange, interim answers included.
    private(set) var byteCount = 0
    /// Header fields by name in small letters; the last one of several with one name.
    private(set) var fields: [String: String] = [:]

    mutating func receive(_ line: String) {
        byteCount += line.utf8.count
        // After an interim answer such as 100 the fields of the next one count.
        if line.hasPrefix("HTTP/") { fields = [:] }
        guard let colon = line.firstIndex(of: ":") else { return }
        let name = line[..<colon].lowercased()
        fields[name] = Self.trimmed(line[line.index(after: colon)...])
    }

    private static func trimmed(_ text: Substring) -> String {
        var rest = text.drop(while: \.isWhitespace)
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
