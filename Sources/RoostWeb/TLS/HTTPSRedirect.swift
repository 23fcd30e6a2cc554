import HTTPTypes

/// Sends visitors by plain HTTP to HTTPS, when the owner's certificate is for the name they use.
///
/// Never for the station's own authority: that would lock out every phone that does not trust it.
package struct HTTPSRedirect: Sendable {
    private let encryption: Encryption
    private let port: Int

    /// Sends to a port of this host.
    package init(_ encryption: Encryption, port: Int) {
        (self.encryption, self.port) = (encryption, port)
    }

    /// - Returns: nil for a request that is answered as it is.
    func answer(_ head: Gate.Head) -> WebResponse? {
        guard head.scheme == "http", [.get, .head].contains(head.method),
            head.target.hasPrefix("/"), let authority = head.authority,
            let host = authority.lowercased().split(separator: ":").first.map(String.init),
            encryption.isOwn(host)
        else { return nil }
        let place = "https://" + host + (port == 443 ? "" : ":\(port)") + head.target
        return WebResponse(
            .permanentRedirect,
            headers: [.location: place, .cacheControl: "no-store"]
        )
    }
}
