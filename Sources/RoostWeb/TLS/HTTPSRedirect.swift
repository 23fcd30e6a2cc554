import HTTPTypes

/// Sends visitors by plain HTTP to HTTPS: all, when the owner's certificate is for the name they
/// use, and with the station's own authority each browser that has once trusted it.
///
/// Never another one: that would lock out every phone that does not trust it. A browser that trusts
/// says so by a cookie, which its page sets over HTTPS once it has a worker. It holds the
/// authority's fingerprint, so that it means nothing for another authority, and is no secret.
package struct HTTPSRedirect: Sendable {
    private let encryption: Encryption
    private let port: Int

    /// Sends to a port of this host.
    package init(_ encryption: Encryption, port: Int) {
        (self.encryption, self.port) = (encryption, port)
    }

    /// - Returns: nil for a request that is answered as it is.
    func answer(_ head: Gate.Head) async -> WebResponse? {
        guard head.scheme == "http", [.get, .head].contains(head.method),
            head.target.hasPrefix("/"), let authority = head.authority,
            let host = authority.lowercased().split(separator: ":").first.map(String.init)
        else { return nil }
        let place = "https://" + host + (port == 443 ? "" : ":\(port)") + head.target
        let headers: HTTPFields = [.location: place, .cacheControl: "no-store"]
        if encryption.isOwn(host) { return WebResponse(.permanentRedirect, headers: headers) }
        guard Self.isPage(head), let said = Self.said(head.headers),
            said == (await encryption.readFacts()?.fingerprint)
        else { return nil }
        return WebResponse(.temporaryRedirect, headers: headers)
    }

    static let cookie = "roost-trusts"

    /// Whether a person opens a page, other than the one by which a device comes to trust again.
    ///
    /// Requests of an open page stay on HTTP, and so do those of a proxy that speaks TLS.
    private static func isPage(_ head: Gate.Head) -> Bool {
        let path = String(head.target.prefix { $0 != "?" })
        let isByProxy = head.headers.contains { field in
            field.name.canonicalName == "x-forwarded-proto" && field.value == "https"
        }
        return path != "/trust" && StaticFiles.pages.contains(path) && !isByProxy
    }

    private static func said(_ headers: HTTPFields) -> String? {
        for field in headers[values: .cookie] {
            for pair in field.split(separator: ";") {
                let pair = pair.drop { $0 == " " }
                guard pair.hasPrefix(cookie + "=") else { continue }
                return String(pair.dropFirst(cookie.utf8.count + 1))
            }
        }
        return nil
    }
}
