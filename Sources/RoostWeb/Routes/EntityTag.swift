/// The tag in the field If-Match of a request.
enum EntityTag {
    /// Returns the tag in `"5f2a"` or `W/"5f2a"`; nil for `*`, which every state matches.
    static func value(_ match: String) -> String? {
        if match == "*" { return nil }
        let parts = match.split(separator: "\"", omittingEmptySubsequences: false)
        return parts.count == 3 ? String(parts[1]) : match
    }
}
