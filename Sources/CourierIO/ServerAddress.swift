import CCurl
import RoostCourier

/// The server that a URL names.
struct ServerAddress: Hashable {
    let scheme: String
    /// Host name, or an IP address without brackets.
    let host: String
    let port: Int
    /// Path from the first slash on; "/" when there is none.
    let path: String

    /// Parses a URL.
    ///
    /// - Throws: `NetworkFailure` when it is none, or of another scheme than those given.
    init(_ url: MaskedText, schemes: Set<String>) throws(NetworkFailure) {
        guard let handle = curl_url() else { throw NetworkFailure(.local, "no memory") }
        defer { curl_url_cleanup(handle) }
        let flags = UInt32(CURLU_NON_SUPPORT_SCHEME)
        guard curl_url_set(handle, CURLUPART_URL, url.revealed, flags) == CURLUE_OK,
            let scheme = Self.part(CURLUPART_SCHEME, of: handle),
            let host = Self.part(CURLUPART_HOST, of: handle), !host.isEmpty,
            let port = Self.part(CURLUPART_PORT, of: handle, UInt32(CURLU_DEFAULT_PORT))
                .flatMap(Int.init)
        else { throw NetworkFailure(.local, "\(url.shown) is no URL", code: "no-url") }
        guard schemes.contains(scheme) else {
            throw NetworkFailure(
                .local,
                "\(url.shown): \(scheme) is not spoken here",
                code: "other-scheme"
            )
        }
        (self.scheme, self.port) = (scheme, port)
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        path = Self.part(CURLUPART_PATH, of: handle) ?? "/"
    }

    /// Text such as `example.org:443`, for people.
    var text: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Whether the host is an IP address.
    var isNumeric: Bool {
        host.contains(":") || host.utf8.allSatisfy { $0 == 0x2E || (0x30...0x39).contains($0) }
    }

    private static func part(_ part: CURLUPart, of url: OpaquePointer, _ flags: UInt32 = 0)
        -> String?
    {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(url, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
