import Core

/// JSON web token signed by ES256, as push services require it.
///
/// - Source: RFC 7519; RFC 7515, section 3.1; RFC 7518, section 3.4.
enum SignedToken {
    /// - Parameters:
    ///   - head: Members of the header, with values that are JSON already.
    /// - Returns: Three parts of base64url, with points between them.
    static func make(
        _ head: [(key: String, value: String)],
        _ claims: [(key: String, value: String)],
        by key: CurveKey
    ) throws(CryptoFailure) -> Secret {
        let parts = [head, claims].map { Base64.url(Array(WireJSON.object($0).utf8)) }
        let text = parts.joined(separator: ".")
        let signature = try key.signES256(Array(text.utf8))
        return Secret("\(text).\(Base64.url(signature))")
    }
}

extension WallTime {
    /// Whole seconds since 1970.
    var unixSeconds: Int64 { nanoseconds / 1_000_000_000 }
}
